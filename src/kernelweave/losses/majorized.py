"""The approximate multi-class problem of Ye et al. (2008), equation (32)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import require_host
from ..problem import Array, Inner
from .correlation import correlation_sdp
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
        return self.consume(K.copy())

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        require_host(self, "MajorizedSquare, equation (32),")
        n, k = self.H.shape
        # H = QR has rank k − 1: solve for the columns of Q only.
        Q, s, Vt = np.linalg.svd(self.H, full_matrices=False)
        rank = int(np.sum(s > s[0] * n * np.finfo(float).eps))
        Q, R = Q[:, :rank], s[:rank, None] * Vt[:rank]
        E = self.constraint
        d = np.full(n, float(self.lam))
        best = maximise(K, d, Q, E, np.zeros((E.shape[1], rank)))
        MH = best.A @ R
        sdp = correlation_sdp(self.H.T @ MH)
        bias = best.nu[0] @ R @ sdp.B if self.intercept else np.zeros(k)

        def hessian(applied: Array) -> Array:
            # At fixed Z it is that of the square loss; the best Z moves with θ. With
            # T = HᵀM⁻¹H, the rows BᵀG_j of G_j = −∂T/∂θ_j are (K_jA)ᵀM⁻¹H.
            BG = np.einsum("jik,il->jkl", applied, MH)
            return best.hessian(applied) + 0.5 * sdp.curvature(BG)

        return Inner(MH @ sdp.B, 0.5 * float(np.sum(sdp.t)), bias, hessian)
