"""
More rows than memory
=====================

Kernels with features need sums over the rows only, so the rows may stay on the disk.
``fit_chunks`` reads them twice, a chunk at a time: once for a sample that places the
landmarks of ``Nystroem``, once for the sums. Here the rows are in memory-mapped arrays;
``FileSource`` reads CSV and Parquet files in the same way.
"""

import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV
from kernelweave.kernels import RBF, Nystroem
from kernelweave.plots import WeightsDisplay
from kernelweave.streamed import ArraySource, fit_chunks

plt.style.use("tableau-colorblind10")


def write_rows(folder, n, step=20_000):
    """Two files of n rows: three views of four columns, and three classes."""
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(folder / f"X{n}.npy", "w+", float, (n, 12))
    y = np.lib.format.open_memmap(folder / f"y{n}.npy", "w+", int, (n,))
    for first in range(0, n, step):
        part = slice(first, min(first + step, n))
        y[part] = labels = rng.integers(3, size=part.stop - first)
        rows = rng.normal(size=(len(labels), 12))
        rows[:, :2] += 1.2 * np.c_[labels == 1, labels == 2]  # where
        rows[:, 4:8] *= (1 + 0.4 * labels)[:, None]  # how far apart
        X[part] = rows


def read_rows(folder, n):
    """The arrays, of which nothing is read yet."""
    return [np.load(folder / f"{name}{n}.npy", mmap_mode="r") for name in "Xy"]


def kernels(components):
    views = {"place": 0, "spread": 4, "noise": 8}
    return [
        Nystroem(RBF(factor=f, columns=slice(c, c + 4), name=f"{v}: {f:g}"), components)
        for v, c in views.items()
        for f in (0.5, 1)
    ]


# %%
# Twice the rows take no more memory: the features of a few thousand rows are there at a
# time, and the sums. The matrices of six exact kernels would take 8 · 6n² bytes, 480
# gigabytes for 100,000 rows.
folder = Path(tempfile.mkdtemp())
for n in (25_000, 50_000, 100_000):
    write_rows(folder, n)
    X, y = read_rows(folder, n)
    tracemalloc.start()
    model = fit_chunks(MKLDiscriminantAnalysis(kernels(40)), ArraySource(X, y))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    gap = model.solution_.certificate.relative_gap
    print(f"{n:7,d} rows: {peak / 1e6:.0f} MB, gap {gap:.0e}")

# %%
# The weights are proved optimal for the approximated kernels. How near these are to the
# exact ones is estimated on rows that are no landmarks.
WeightsDisplay.from_estimator(model)
for name, error in zip(model.kernel_names_, model.approximation_error_, strict=True):
    print(f"{name:12} ‖K − ZZᵀ‖/‖K‖ = {error:.3f}")

# %%
# How many components are enough? As many as it takes until more do not help. 20,000
# rows to learn from here, and 10,000 others to test.
counts, accuracies, errors = [5, 10, 20, 40, 80], [], []
train, test = slice(0, 20_000), slice(20_000, 30_000)
for count in counts:
    model = MKLDiscriminantAnalysis(kernels(count))
    fit_chunks(model, ArraySource(X[train], y[train]))
    accuracies.append(model.score(X[test], y[test]))
    errors.append(float(model.approximation_error_ @ model.weights_))

figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
panels[0].semilogx(counts, accuracies, "o-")
panels[0].set(ylabel="accuracy on new rows")
panels[1].semilogx(counts, errors, "o-")
panels[1].set(ylabel="error of the kernels, by weight", ylim=(0, None))
for ax in panels:
    ax.set_xticks(counts, counts)
    ax.minorticks_off()
    ax.set(xlabel="components of each kernel")
    ax.spines[["top", "right"]].set_visible(False)

# %%
# The grid of norms and regularisations needs no further pass: it is learned from the
# same sums, by folds.
chosen = MKLDiscriminantAnalysisCV(kernels(20), norms=[1, 1.5, 4], alphas=[1, 10, 100])
fit_chunks(chosen, ArraySource(X[train], y[train]))
print(f"norm {chosen.norm_:g}, alpha {chosen.alpha_:g}")
print(f"accuracy {chosen.score(X[test], y[test]):.3f}")
