"""Fits on a GPU beside what no fit can do without, all in one run.

    python benchmarks/gpu.py                       # writes docs/performance_gpu.md
    python benchmarks/gpu.py --rows 4000 --kernels 10 --output page.md
    python benchmarks/gpu.py --phases              # prints one task after the other

A floor is one squared-distance matrix, p n² exponentials and one Cholesky factor of an
n × n matrix, in float64 by PyTorch, on the same GPU in the same run. `solve` is the
problem on a LazyStack, which is made within the time; `fit` is the estimator from table
to thresholds. Times are medians of three after a first run, from 40,000 rows on of one.
"""

# --phases needs about a minute on a GPU, and takes apart 20,000 rows and ten kernels:
# the solve of the square loss and of the squared hinge, and a leave-one-out gradient.

import argparse
import gc
import platform
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gpu_phases import finish, report
from sklearn.datasets import load_digits

from kernelweave import MKLDiscriminantAnalysis, Problem, solve
from kernelweave.grams import LazyStack
from kernelweave.kernels import RBF
from kernelweave.losses import Square, discriminant_targets
from kernelweave.weights import Simplex

Row = dict[str, Any]

# The CPU is there to try --phases on.
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Kernels times rows that are attempted.
LARGEST = 1_000_000


def waveform(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's three classes of waves with noise, 21 columns (CART, 1984, §2.6.2)."""
    rng = np.random.default_rng(seed)
    place = np.arange(1, 22)
    waves = np.stack([np.maximum(6 - np.abs(place - c), 0) for c in (11, 7, 15)])
    y = rng.integers(0, 3, n)
    u = rng.uniform(size=(n, 1))
    one, other = np.array([0, 0, 1])[y], np.array([1, 2, 2])[y]
    return u * waves[one] + (1 - u) * waves[other] + rng.normal(size=(n, 21)), y


def digits(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Ten classes, 64 columns: scikit-learn's digits drawn again, with noise."""
    rng = np.random.default_rng(seed)
    X, y = load_digits(return_X_y=True)
    rows = rng.integers(0, len(X), n)
    return X[rows] + 3 * rng.normal(size=(n, 64)), y[rows]


def task(n: int, p: int, classes: int) -> tuple[np.ndarray, np.ndarray, list[RBF]]:
    X, y = waveform(n) if classes == 3 else digits(n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    factors = np.logspace(-1, 1, p)
    return X, y, [RBF(factor=float(f), name=f"{f:.3g}×median") for f in factors]


def timed(run: Callable[[], Any], n: int) -> tuple[float, Any]:
    """The median time of `run` on n rows after a first one, and the last answer."""
    answer, times = None, []
    for _ in range(4 if n < 40_000 else 2):
        answer = None
        gc.collect()
        finish()
        began = time.perf_counter()
        answer = run()
        finish()
        times.append(time.perf_counter() - began)
    return float(np.median(times[1:])), answer


def floors(X: np.ndarray, p: int) -> Row:
    """Seconds for the distances, p n² exponentials, and a factor; also of 32 bits."""
    Z = torch.asarray(X, dtype=torch.float64, device=DEVICE)
    squares = torch.sum(Z * Z, dim=1)
    M = [torch.empty((len(Z), len(Z)), dtype=Z.dtype, device=DEVICE) for _ in "DE"]

    def distances() -> None:
        torch.matmul(Z, Z.T, out=M[0])
        M[0].mul_(2).sub_(squares).sub_(squares[:, None])

    def exponentials() -> None:
        for j in range(p):
            torch.mul(M[0], 0.001 * (j + 1), out=M[1])
            M[1].exp_()

    n = len(Z)
    one_product, exponential = timed(distances, n)[0], timed(exponentials, n)[0]
    torch.mul(M[0], 0.02, out=M[1])
    M[1].exp_().diagonal().add_(1.0)
    M.pop(0)
    factor = timed(lambda: torch.linalg.cholesky_ex(M[0]), n)[0]
    M[0] = M[0].float()
    factor32 = timed(lambda: torch.linalg.cholesky_ex(M[0]), n)[0]
    M.clear()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
    return {
        "product": one_product,
        "exponentials": exponential,
        "factor": factor,
        "floor": one_product + exponential + factor,
        "factor32": factor32,
    }


def solved(X: Any, y: np.ndarray, kernels: list[RBF], tol: float) -> Any:
    fitted = [kernel.fit(X) for kernel in kernels]
    gram = LazyStack(fitted, X, memory=2**50)
    H = discriminant_targets(y, int(y.max()) + 1)
    if isinstance(X, torch.Tensor):
        H = torch.asarray(H, device=X.device)
    return solve(Problem(gram, Square(H, 1.0, True), Simplex()), tol=tol)


def measure(n: int, p: int, classes: int, tol: float, with_cpu: bool) -> Row:
    X, y, kernels = task(n, p, classes)
    row: Row = {"n": n, "p": p, "classes": classes, **floors(X, p)}
    Z = torch.asarray(X, device="cuda")
    torch.cuda.reset_peak_memory_stats()
    row["solve"], solution = timed(lambda: solved(Z, y, kernels, tol), n)
    row["gap"], row["steps"] = solution.certificate.relative_gap, solution.n_iter
    row["peak"] = torch.cuda.max_memory_allocated() / 1e9
    row["floors"] = row["solve"] / row["floor"]
    weights = solution.weights
    del solution
    model = MKLDiscriminantAnalysis(kernels, tol=tol)
    row["fit"], _ = timed(lambda: model.fit(Z, y), n)
    row["fit peak"] = torch.cuda.max_memory_allocated() / 1e9
    if with_cpu:
        began = time.perf_counter()
        host = solved(X, y, kernels, tol)
        row["cpu"] = time.perf_counter() - began
        row["apart"] = float(np.max(np.abs(host.weights - weights)))
        row["times"] = row["cpu"] / row["solve"]
    return row


COLUMNS = [
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("classes", "classes", "d"),
    ("solve", "solve s", ".3f"),
    ("gap", "gap", ".0e"),
    ("steps", "steps", "d"),
    ("product", "product s", ".4f"),
    ("exponentials", "exp s", ".4f"),
    ("factor", "factor s", ".4f"),
    ("floors", "floors", ".2f"),
    ("peak", "peak GB", ".1f"),
    ("fit", "fit s", ".3f"),
    ("fit peak", "fit peak GB", ".1f"),
    ("cpu", "CPU solve s", ".2f"),
    ("times", "CPU/GPU", ".1f"),
    ("apart", "weights apart", ".0e"),
    ("factor32", "factor s, 32 bits", ".4f"),
]


def line(row: Row) -> str:
    cells = [format(row[key], form) if key in row else "-" for key, _, form in COLUMNS]
    return "| " + " | ".join(cells) + " |"


def agreement(n: int = 2000, p: int = 10) -> str:
    """Weights and predictions of the GPU beside those of NumPy."""
    X, y, kernels = task(n, p, 3)
    ours = MKLDiscriminantAnalysis(kernels, tol=1e-10)
    Z, new = torch.asarray(X, device="cuda"), waveform(n, seed=1)[0]
    here = ours.fit(X, y)
    weights, labels = here.weights_, here.predict(new)
    there = ours.fit(Z, y)
    apart = float(np.max(np.abs(there.weights_ - weights)))
    predicted = there.predict(torch.asarray(new, device="cuda")).cpu().numpy()
    same = int(np.sum(predicted == labels))
    return (
        f"n = {n}, p = {p}, tol = 1e-10: the weights differ by {apart:.1e} at most "
        f"from those of NumPy, and {same} of {n} new samples get the same class."
    )


NOTES = """\
`product`, `exp` and `factor` are the floor. `peak` is the most that PyTorch held;
an n × n matrix takes 8n² bytes, 28.8 GB for 60,000 rows. `weights apart` is how far
the weights are from those that the CPU finds for the same gap: from 400 rows on the
two start from other samples. Small fits are bound by the host, which launches some
thousand operations. Where a factor of 32 bits takes as long as one of 64, mixed
precision gains nothing: it is not used.
"""


def by_phase(n: int, p: int, tol: float) -> Iterator[str]:
    X, y, kernels = task(n, p, 3)
    yield from report(X, y, kernels, floors(X, p)["floor"], tol)


def page(rows: list[Row], agreed: str, command: str) -> str:
    head = [
        "# On a GPU",
        "",
        (__doc__ or "").split("\n\n", 2)[2].strip(),
        "",
        "Three classes: Breiman's waveform. Ten: scikit-learn's digits drawn again,",
        "with noise. RBF kernels of 0.1 to 10 times the median distance, α = 1.",
        "",
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Python "
        f"{platform.python_version()}; made by",
        "",
        f"    {command}",
        "",
        "| " + " | ".join(name for _, name, _ in COLUMNS) + " |",
        "|" + "---|" * len(COLUMNS),
    ]
    return "\n".join([*head, *map(line, rows), "", NOTES, agreed, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [4000, 10000, 20000, 40000, 60000]
    parser.add_argument("--rows", type=int, nargs="+", default=sizes)
    parser.add_argument("--kernels", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--classes", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--cpu-rows", type=int, default=10000, help="at most, on it")
    parser.add_argument("--output", default="docs/performance_gpu.md")
    parser.add_argument("--phases", action="store_true", help="take 20,000 rows apart")
    options = parser.parse_args()
    if options.phases:
        n = 20_000 if options.rows == sizes else options.rows[0]
        for section in by_phase(n, options.kernels[0], options.tol):
            print(section, flush=True)
        return
    rows = []
    for p, c, n in product(options.kernels, options.classes, options.rows):
        if p * n > LARGEST:
            continue
        rows.append(measure(n, p, c, options.tol, n <= options.cpu_rows))
        print(line(rows[-1]), flush=True)
    text = page(rows, agreement(), "python benchmarks/gpu.py")
    Path(options.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
