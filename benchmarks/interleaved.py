"""20,000 rows, ten RBF kernels, no Gram matrix stored: seconds, peak memory, gap.

The letter data (20,000 rows, 16 columns, from the folder KERNELWEAVE_DATA; without it,
random classes of the same size), scaled to [0, 1]; A–M against N–Z, or all 26 letters.
Ten kernels exp(−d²/σ²), σ log-spaced on [0.1, 100], centred and of implied variance
one; square loss with α = 1. Stored, the ten matrices would take 80 n² bytes: 32 GB.

What it should cost, before it is run. A pass over the rows computes pn² = 4e9
exponentials, 2.5 ns each in NumPy's float64: 5 s on two cores. The product of a kernel
value with k columns of A is 2k flops: nothing beside the exponential for k = 1, as much
again and more for k = 25. One Cholesky factor of 2000 rows a block is 2.7e9 flops, 27e9
a pass: a second. The statistics of the kernels are half a pass. Memory: the subspace,
1.8 MB a vector; K(θ) of a block, 32 MB, three times; tiles of half a megabyte.

    python benchmarks/interleaved.py            # n = 20,000
    python benchmarks/interleaved.py --quick    # n = 3,000, compared with Newton
"""

import argparse
import resource
import sys
import time

import numpy as np
from sklearn.datasets import make_classification

from kernelweave import Problem, solve
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack, LazyStack
from kernelweave.kernels import rbf_grid
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solvers import Interleaved, Newton
from kernelweave.weights import LpBall, Simplex

SIGMAS = np.logspace(-1, 2, 10)


def letters(n, classes, seed=0):
    """n random rows in [0, 1]^16 and class numbers."""
    try:
        X, labels = load_table("letter")
        y = np.unique(labels, return_inverse=True)[1]
    except FileNotFoundError as error:
        print(f"{error}: random data", file=sys.stderr)
        X, y = make_classification(
            20_000, 16, n_informative=12, n_classes=26, random_state=seed
        )
    rows = np.random.default_rng(seed).permutation(len(X))[:n]
    X, y = X[rows], y[rows]
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return X, y if classes == 26 else (y >= 13).astype(int)


def peak():
    """Peak resident memory of this process, in GB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n = 3000, and Newton")
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--classes", type=int, choices=(2, 26), default=2)
    parser.add_argument("--p", type=float, default=1.0, help="1 is the simplex")
    parser.add_argument("--alpha", type=float, default=1.0)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--block", type=int, default=2000)
    parser.add_argument("--memory", type=float, default=0.5, help="GB, the subspace")
    options = parser.parse_args()
    n = 3000 if options.quick else options.n
    block = min(options.block, n // 5)
    X, y = letters(n, options.classes)
    base = peak()

    began = time.perf_counter()
    kernels = [kernel.fit(X) for kernel in rbf_grid(sigmas=SIGMAS)]
    gram = LazyStack(kernels, X)
    statistics = time.perf_counter() - began
    weights = Simplex() if options.p == 1 else LpBall(options.p)
    loss = Square(discriminant_targets(y, y.max() + 1), options.alpha, True)
    problem = Problem(gram, loss, weights)
    solver = Interleaved(block=block, memory=int(options.memory * 1e9))
    solution = solve(problem, solver, options.tol, verbose=1, max_iter=1000)
    seconds = solution.trace[-1].seconds

    passes = solution.n_iter / round(n / block)
    values = len(SIGMAS) * n * n * (passes + 0.5)
    gap = solution.certificate.relative_gap
    print(f"n = {n}, p = {len(SIGMAS)} kernels, {loss.H.shape[1]} targets, {weights!r}")
    print(f"relative gap      {gap:.1e} ({solution.status.name})")
    print(f"passes            {passes:.1f} in {solution.n_iter} blocks of {block} rows")
    print(f"seconds           {seconds:.1f}, and {statistics:.1f} for the statistics")
    print(f"ns a kernel value {1e9 * (seconds + statistics) / values:.2f}")
    print(f"peak memory       {peak():.2f} GB, {base:.2f} of it before the kernels")
    print(f"stored matrices   {8e-9 * len(SIGMAS) * n * n:.1f} GB (computed)")
    print(f"weights           {solution.weights.round(4)}")
    if options.quick:
        dense = DenseStack(np.stack([gram[j] for j in range(gram.p)]))
        began = time.perf_counter()
        newton = solve(Problem(dense, loss, weights), Newton(), options.tol)
        seconds = time.perf_counter() - began
        off = solution.certificate.primal / newton.certificate.primal - 1
        print(f"Newton, stored    {seconds:.1f} s, F lower by {off:.1e}")


if __name__ == "__main__":
    main()
