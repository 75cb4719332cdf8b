"""Problems that several tests pose: synthetic ones and the papers' protocol."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from kernelweave.datasets import load_table

# Kim et al. 2006, §4, and Ye et al. 2008, §5: ten widths, k = exp(−d²/σ²).
SIGMAS = np.logspace(-1, 2, 10)


def random_psd(rng, p, n, rank=None):
    """p Gram matrices ZZᵀ of n samples and the given rank, of trace n."""
    Z = rng.normal(size=(p, n, rank or n))
    K = Z @ Z.transpose(0, 2, 1)
    return K * (n / np.trace(K, axis1=1, axis2=2))[:, None, None]


def labels(rng, n, k):
    """Class numbers of n samples, every class present."""
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    return rng.permutation(y)


def blobs(n=60, d=4, k=2, seed=0):
    """A small classification table: k overlapping Gaussian classes."""
    rng = np.random.default_rng(seed)
    y = labels(rng, n, k)
    centres = 1.5 * rng.normal(size=(k, d))
    return centres[y] + rng.normal(size=(n, d)), y


def table(name, n=None, seed=0):
    """Features scaled to [0, 1] and class numbers of (n random rows of) a data set."""
    try:
        X, y = load_table(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    if n is not None and n < len(X):
        rows = np.random.default_rng(seed).permutation(len(X))[:n]
        X, y = X[rows], y[rows]
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    X = (X - low) / np.where(span > 0, span, 1)
    return X, np.unique(y, return_inverse=True)[1]


def ten_gaussians(X, scale="trace"):
    """The papers' ten kernels, centred, of unit trace (or of implied variance one)."""
    squares = np.sum(X * X, axis=1)
    D = np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0)
    np.fill_diagonal(D, 0)
    K = np.stack([naive.centre(np.exp(-D / sigma**2)) for sigma in SIGMAS])
    K = (K + K.transpose(0, 2, 1)) / 2
    K /= np.trace(K, axis1=1, axis2=2)[:, None, None]
    return K * len(X) if scale == "variance" else K
