"""The approximate multi-class problem of Ye et al. (2008), equation (32)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse import eye as sparse_eye
from sklearn.base import BaseEstimator

from ..problem import Array, Inner
from .quadratic import maximise


@dataclass(eq=False, repr=False)
class MajorizedSquare(BaseEstimator):
    """F(θ) = ½ min{Σ_j t_j : diag(t) ⪰ Hᵀ(λI + K(θ))⁻¹H}.

    Its dual is max ½ tr(Z·HᵀM⁻¹H) over correlation matrices Z (Z ⪰ 0, Z_jj = 1).
    With Z = BBᵀ, the rows of B of unit length, this is the square loss with targets
    HB and A = M⁻¹HB, and for a given A the best B has the rows of HᵀA scaled to unit
    length:

        g(A) = Σ_j ‖(HᵀA)_j‖ − (λ/2)‖A‖²,   1ᵀA = 0 if there is an intercept.

    Only a k×k semidefinite program is left. λ times 2F is the value of (32).

    Parameters
    ----------
    H : ndarray (n, k)
        One column a class. Unlike `Square`, the columns must not be rotated.
    lam : float
        λ. Zero is for a stack `WithIdentity`: equation (45).
    intercept : bool
    """

    H: Array
    lam: float
    intercept: bool = False

    @property
    def constraint(self) -> Array:
        return np.ones((len(self.H), 1 if self.intercept else 0))

    def value(self, A: Array) -> float:
        rows = np.linalg.norm(self.H.T @ A, axis=1)
        return float(np.sum(rows) - 0.5 * self.lam * np.sum(A * A))

    def best_scale(self, A: Array, support: float) -> float:
        curvature = self.lam * np.sum(A * A) + support
        rows = np.linalg.norm(self.H.T @ A, axis=1)
        return float(np.sum(rows) / curvature) if curvature > 0 else 1.0

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        n, k = self.H.shape
        # H = QR has rank k − 1: solve for the columns of Q only.
        Q, s, Vt = np.linalg.svd(self.H, full_matrices=False)
        rank = int(np.sum(s > s[0] * n * np.finfo(float).eps))
        Q, R = Q[:, :rank], s[:rank, None] * Vt[:rank]
        E = self.constraint
        d = np.full(n, float(self.lam))
        best = maximise(K, d, Q, E, np.zeros((E.shape[1], rank)))
        T = R.T @ (Q.T @ best.A) @ R
        t, B = correlation_sdp(0.5 * (T + T.T))
        bias = best.nu[0] @ R @ B if self.intercept else np.zeros(k)
        return Inner(best.A @ R @ B, 0.5 * float(np.sum(t)), bias, best.hessian)


def correlation_sdp(T: Array) -> tuple[Array, Array]:
    """max tr(ZT) over Z ⪰ 0, Z_jj = 1, and its dual min Σt over diag(t) ⪰ T.

    Returns
    -------
    t : ndarray (k,)
        Feasible: diag(t) − T is positive semidefinite (shifted by what the solver
        left), so Σt is an upper bound.
    B : ndarray (k, k)
        Z = BBᵀ; its rows have unit length, so tr(BᵀTB) is a lower bound.
    """
    k = len(T)
    unit = np.trace(T) / k or 1.0
    # The upper triangle of Z column by column, off-diagonal entries times √2.
    i, j = _triangle(k)
    weight = np.where(i == j, 1.0, np.sqrt(2))
    diagonal = np.flatnonzero(i == j)
    size = len(i)
    pick = csc_matrix((np.ones(k), (np.arange(k), diagonal)), shape=(k, size))
    constraints: Any = csc_matrix(
        np.vstack([pick.toarray(), -sparse_eye(size).toarray()])
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solver = clarabel.DefaultSolver(
        csc_matrix((size, size)),
        -weight * T[i, j] / unit,
        constraints,
        np.append(np.ones(k), np.zeros(size)),
        [clarabel.ZeroConeT(k), clarabel.PSDTriangleConeT(k)],
        settings,
    )
    solution = solver.solve()
    x, z = np.array(solution.x), np.array(solution.z)
    Z = np.zeros((k, k))
    Z[i, j] = Z[j, i] = x / weight
    values, vectors = np.linalg.eigh(Z)
    B = vectors * np.sqrt(np.maximum(values, 0))
    B /= np.linalg.norm(B, axis=1, keepdims=True)
    t = unit * z[:k]
    lowest = np.linalg.eigvalsh(np.diag(t) - T)[0]
    return t + max(0.0, -lowest), B


def _triangle(k: int) -> tuple[Array, Array]:
    j, i = np.tril_indices(k)
    return i, j
