"""
Many samples, and no Gram matrix in memory
==========================================

Ten kernels of 20,000 samples are 32 gigabytes. They need not be stored: a ``LazyStack``
computes tiles of them when they are used and throws them away, and ``Interleaved``
solves the same problem with the same certificate, from a few rows at a time.
"""

import time
import tracemalloc

import matplotlib.pyplot as plt
import numpy as np

from kernelweave import MKLRidge, Problem, solve
from kernelweave.grams import LazyStack
from kernelweave.kernels import rbf_grid
from kernelweave.losses import Square
from kernelweave.plots import ConvergenceDisplay
from kernelweave.solvers import Interleaved
from kernelweave.weights import Simplex


def samples(n):
    """A wave in two of six columns."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 6))
    y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * rng.normal(size=n)
    return X, y[:, None]


def kernels(X):
    """Two widths on each pair of columns, and on all."""
    groups = {"a": [0, 1], "b": [2, 3], "c": [4, 5], "all": None}
    return [
        kernel.fit(X)
        for name, columns in groups.items()
        for kernel in rbf_grid(factors=[0.5, 1], columns=columns, prefix=f"{name}: ")
    ]


# %%
# Small sizes here, so that the page builds quickly; what counts is how memory grows.
sizes = [500, 1000, 2000, 4000]
peaks, solutions = [], {}
for n in sizes:
    X, y = samples(n)
    tracemalloc.start()
    began = time.perf_counter()
    stack = LazyStack(kernels(X), X)
    problem = Problem(stack, Square(y, 1.0, True), Simplex())
    solution = solve(problem, Interleaved(block=500, memory=2**25), tol=1e-3)
    peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    solutions[f"{n} samples"] = solution
    print(
        f"{n:5d} samples: {time.perf_counter() - began:4.1f} s, "
        f"{peaks[-1] / 1e6:5.1f} MB, gap {solution.certificate.relative_gap:.1e}"
    )

# %%
# Eight stored matrices, 8 · 8n² bytes, grow with n². What was measured hardly grows
# here: most of it are the 32 megabytes that the solver was given for its steps. For 500
# samples that is more than the matrices would take.
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
more = np.geomspace(500, 50_000, 20)
ax.loglog(more, 64 * more**2 / 1e6, color="#D55E00", label="eight stored Gram matrices")
ax.loglog(
    sizes, np.array(peaks) / 1e6, "X-", color="#0072B2", label="measured, LazyStack"
)
ax.axhline(16e3, color="gray", linewidth=0.8, linestyle=":")
ax.text(500, 18e3, "16 GB", fontsize=9)
ax.set(xlabel="samples", ylabel="megabytes")
ax.legend(loc="lower right")
ax.spines[["top", "right"]].set_visible(False)

# %%
# An iteration takes a block of 500 rows, so the 26 iterations for 4000 samples are
# little more than three passes over all rows; for 500 samples they are four.
ConvergenceDisplay.from_solutions(solutions, tol=1e-3, against="iterations")

# %%
# Estimators do this by themselves: Gram matrices of more than 256 megabytes are not
# stored. By default one matrix, K(θ), is formed; for regression with
# ``solver=Interleaved()`` not even that one. The model predicts as usual:
X, y = samples(1500)
model = MKLRidge(kernels(X), solver=Interleaved(block=500), tol=1e-3)
model.fit(X[:1000], y[:1000, 0])
print(f"R² on new rows {model.score(X[1000:], y[1000:, 0]):.3f}")
print("heaviest kernel:", model.kernel_names_[model.weights_.argmax()])
