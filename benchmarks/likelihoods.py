"""Time of the losses of likelihoods beside the square loss, in one run.

    python benchmarks/likelihoods.py [rows]

Ten RBF kernels, 2000 rows, relative gap 1e-4, the default solver. Prints seconds of the
processor and their ratio to those of the square loss, which is solved in between: the
least of five each. The goal for the logistic loss is 4.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Cox, Huber, Logistic, Poisson, Quantile, Square
from kernelweave.weights import LpBall, Simplex


def kernels(X: np.ndarray) -> np.ndarray:
    """Ten widths around the mean distance, centred, of trace n."""
    squares = np.sum(X * X, axis=1)
    D = np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0)
    found = []
    for width in np.logspace(-1.5, 1.5, 10):
        K = np.exp(-D / (width * D.mean()))
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        found.append(K * (len(X) / np.trace(K)))
    return np.stack(found)


def main() -> int:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8))
    f = np.sin(2 * X[:, 0]) + X[:, 1]
    y = (f + 0.5 * rng.normal(size=n))[:, None]
    two = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * f)), 1.0, -1.0)[:, None]
    lives, event = rng.exponential(np.exp(-f)), rng.random(n) < 0.6
    counts = rng.poisson(np.exp(f))[:, None].astype(float)
    losses = {
        "square": Square(two, 1.0, True),
        "logistic": Logistic(two, 1.0),
        "Cox": Cox(lives, event, 1.0),
        "Poisson": Poisson(counts, 1.0),
        "Huber": Huber(y, 1.0, 0.5),
        "quantile": Quantile(y, 1.0, 0.5),
    }
    gram = DenseStack(kernels(X))
    for weights in (Simplex(), LpBall(2)):
        for name, loss in losses.items():
            seconds, base, gap = [], [], 0.0
            for _ in range(5):
                base.append(timed(Problem(gram, losses["square"], weights))[0])
                took, gap = timed(Problem(gram, loss, weights))
                seconds.append(took)
            print(
                f"{weights!r:12s} {name:10s} {min(seconds):6.2f} s  "
                f"{min(seconds) / min(base):5.1f} times the square loss  gap {gap:.1e}",
                flush=True,
            )
    return 0


def timed(problem: Problem) -> tuple[float, float]:
    """Seconds of the processor, and the gap."""
    began = time.process_time()
    solution = solve(problem, tol=1e-4)
    return time.process_time() - began, solution.certificate.relative_gap


if __name__ == "__main__":
    raise SystemExit(main())
