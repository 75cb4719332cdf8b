"""Kernels deformed by a graph: smooth along it, for rows with and without a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, eigh, solve_triangular

from .base import Array


@dataclass(frozen=True)
class Deformed:
    """K̃ = K(I + γLK)⁻¹ on the labelled rows, and what new rows need.

    Attributes
    ----------
    gram : ndarray (l, l)
        K̃ between the labelled rows: symmetric, positive semidefinite.
    transfer : ndarray (n, l)
        The labelled columns of (I + γLK)⁻¹.
    """

    gram: Array
    transfer: Array

    def cross(self, K: Array) -> Array:
        """k̃(x, ·) = k(x, X)(I + γLK)⁻¹ at the labelled rows, (m, l), for K (m, n).

        The rows of the training matrix itself give K̃ of the unlabelled samples.
        """
        return K @ self.transfer


def deform(K: Array, L: Any, gamma: float, labelled: Array | None = None) -> Deformed:
    """K̃ = K(I + γLK)⁻¹: the kernel whose norm is ‖f‖² + γ fᵀLf.

    With f = Kα this norm is αᵀ(K + γKLK)α (Sindhwani, Niyogi and Belkin 2005; γ is
    γ_I/γ_A of LapMKL, Hao et al. 2012, (16)). K and L may be singular: with K = RRᵀ and
    M = I + γRᵀLR, whose eigenvalues are at least one,

        K̃ = RM⁻¹Rᵀ,    (I + γLK)⁻¹ = I − γLRM⁻¹Rᵀ.

    R comes from the eigenvectors of K, some 9n³ flops. A Cholesky factor with pivots
    is cheaper, but what it drops at the rank made K̃ up to a thousand times less exact.

    Parameters
    ----------
    K : ndarray (n, n)
        A Gram matrix of labelled and unlabelled rows.
    L : sparse array or ndarray (n, n)
        Symmetric positive semidefinite: `kernelweave.graph.laplacian(...)`.
    gamma : float
        Not negative; zero leaves K as it is.
    labelled : ndarray of int (l,) or of bool (n,), optional
        The rows of K̃ that are wanted; the default is all.

    Examples
    --------
    >>> import numpy as np
    >>> L = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> deform(np.eye(2), L, gamma=1.0).gram.round(3)
    array([[0.667, 0.333],
           [0.333, 0.667]])
    """
    n = len(K)
    if not 0 <= gamma < np.inf:
        raise ValueError(f"gamma must be finite and not negative, got {gamma!r}")
    if K.shape != (n, n) or L.shape != (n, n):
        raise ValueError(
            f"K and L must be square and of the same rows, got {K.shape} and {L.shape}"
        )
    rows = np.arange(n) if labelled is None else np.arange(n)[labelled]
    transfer = np.zeros((n, len(rows)))
    transfer[rows, np.arange(len(rows))] = 1.0
    if gamma == 0:
        return Deformed(K[np.ix_(rows, rows)].copy(), transfer)
    R = _factor(K)
    LR = np.asarray(L @ R)
    M = gamma * (R.T @ LR)
    M = (M + M.T) / 2
    M.flat[:: len(M) + 1] += 1
    C = cholesky(M, lower=True, overwrite_a=True)
    X = solve_triangular(C, R[rows].T, lower=True)
    transfer -= gamma * (LR @ cho_solve((C, True), R[rows].T))
    # XᵀX is symmetric and positive semidefinite whatever was rounded before.
    return Deformed(X.T @ X, transfer)


def _factor(K: Array) -> Array:
    """R (n, r) with RRᵀ = K to rounding, r the numerical rank."""
    values, vectors = eigh(K)
    some = values > len(K) * np.finfo(float).eps * values[-1]
    return vectors[:, some] * np.sqrt(values[some])
