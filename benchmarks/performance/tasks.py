"""The data sets, their kernels and the floor."""

import sys
import time
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf
from sklearn.preprocessing import scale

from kernelweave import Problem
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack, LazyStack
from kernelweave.grams.normalise import normalise
from kernelweave.kernels import RBF
from kernelweave.losses import Square, discriminant_targets
from kernelweave.weights import Simplex

ALPHA = 1.0  # the default of the estimator
# Of Gaussians on scaled columns, as in Yang et al. (2011).
WIDTHS = 2.0 ** np.arange(-3, 7)


def waveform(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n scaled rows, three classes; beyond its 5000 rows drawn again, with noise."""
    X, y = load_table("waveform")
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(X))[:n]
    again = rng.integers(len(X), size=n - len(rows))
    X = scale(X)
    noisy = X[again] + 0.3 * rng.standard_normal((len(again), X.shape[1]))
    return np.vstack([X[rows], noisy]), y[np.concatenate([rows, again])]


def letters(k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The first k letters, at most n rows."""
    X, y = load_table("letter")
    rows = np.flatnonzero(np.isin(y, np.unique(y)[:k]))
    rows = np.random.default_rng(0).permutation(rows)[:n]
    return scale(X[rows]), y[rows]


def spambase(n: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_table("spambase")
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    return scale(X[rows]), y[rows]


def widths(X: np.ndarray, p: int = 10) -> list[float]:
    """γ of p Gaussians, 0.1 to 10 times the median distance wide."""
    D = -negative_distances(X[:1000])
    median = np.median(D[np.triu_indices(len(D), 1)])
    return [float(1 / (f * f * median)) for f in np.logspace(-1, 1, p)]


def rbf_kernels(gammas: list[float]) -> list[RBF]:
    return [RBF(gamma=gamma) for gamma in gammas]


def negative_distances(X: np.ndarray) -> np.ndarray:
    """−‖x − z‖², (n, n)."""
    squares = np.sum(X * X, axis=1)
    D = X @ X.T
    D *= 2
    D -= squares
    D -= squares[:, None]
    return np.minimum(D, 0, out=D)


def gram_stack(X: np.ndarray, gammas: list[float], center: bool = True) -> np.ndarray:
    """The Gram matrices, (p, n, n), scaled as the estimators do."""
    D = negative_distances(X)
    K = np.empty((len(gammas), *D.shape))
    for matrix, gamma in zip(K, gammas, strict=True):
        np.exp(gamma * D, out=matrix)
        normalise(matrix, "variance", center)
    return K


def square_problem(gram: Any, y: np.ndarray, intercept: bool = False) -> Problem:
    """What MKLDiscriminantAnalysis solves."""
    classes, labels = np.unique(y, return_inverse=True)
    H = discriminant_targets(labels, len(classes))
    return Problem(gram, Square(H, ALPHA, intercept), Simplex())


def lazy_problem(X: np.ndarray, y: np.ndarray, gammas: list[float]) -> Problem:
    """The same on a stack that stores nothing; the pass for its means included."""
    kernels = [kernel.fit(X) for kernel in rbf_kernels(gammas)]
    return square_problem(LazyStack(kernels, X, memory=sys.maxsize), y, True)


def dense_problem(K: np.ndarray, y: np.ndarray) -> Problem:
    return square_problem(DenseStack(K), y)


def floor(X: np.ndarray, gammas: list[float]) -> tuple[float, float, float]:
    """Seconds of one product XXᵀ, of pn² exponentials, and of one factorisation.

    numpy's exponential, which has one thread, of the exponents that the kernels have;
    LAPACK's dpotrf in place, with the threads that BLAS takes by itself.
    """
    began = time.perf_counter()
    X @ X.T
    product = time.perf_counter() - began
    D = negative_distances(X)
    K = np.empty_like(D)
    exponentials = 0.0
    for gamma in gammas:
        np.multiply(D, gamma, out=K)
        began = time.perf_counter()
        np.exp(K, out=K)
        exponentials += time.perf_counter() - began
    del D
    K.flat[:: len(K) + 1] += ALPHA
    began = time.perf_counter()
    _, info = dpotrf(K.T, lower=1, overwrite_a=1, clean=0)
    assert info == 0
    return product, exponentials, time.perf_counter() - began
