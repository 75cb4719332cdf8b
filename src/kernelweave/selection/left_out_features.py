"""Every sample left out where kernels are features, K_j = Z_jZ_jᵀ: no matrix (n, n).

With Z = [√θ_1Z_1 … √θ_pZ_p] centred, P = I − 11ᵀ/n and S = (λI + ZᵀZ)⁻¹, (D, D),

    λG = P − ZSZᵀ,   λA = PH − ZS(ZᵀH),   λg_i = 1 − 1/n − z_iᵀSz_i,

and everything of `left_out` costs n·D² operations and n·D numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from array_api_compat import device

from ..arrays import host, namespace
from ..grams.base import Array


@dataclass(frozen=True)
class LeftOutFeatures:
    """A, left-out residuals R = A/g, their parts and derivatives.

    Attributes
    ----------
    blocks : list of arrays (n, D_j)
        Z_j, centred.
    theta : ndarray (p,)
    lam : float
    S : array (D, D)
        (λI + ZᵀZ)⁻¹, with the columns of Z in the order of the blocks.
    A, R : arrays (n, k)
    g : array (n,)
    """

    blocks: list[Array]
    theta: Array
    lam: float
    S: Array
    A: Array
    R: Array
    g: Array

    @property
    def errors(self) -> Array:
        """‖r_i‖², (n,)."""
        return namespace(self.R).sum(self.R * self.R, axis=1)

    @property
    def value(self) -> float:
        """P = Σ_i‖r_i‖²."""
        return float(namespace(self.R).sum(self.R * self.R))

    def gradient(self) -> tuple[Array, float]:
        """∂P/∂θ (p,) and ∂P/∂λ, by ⟨Q, K_j⟩ and tr Q.

        ⟨Q, K_j⟩ = 2Σ_i w_i‖(Z_jᵀG)_i‖² − 2⟨Z_jᵀA, Z_jᵀG(R/g)⟩,   w_i = ‖r_i‖²/g_i
        """
        xp = namespace(self.A)
        w, B = self.errors / self.g, self.R / self.g[:, None]
        slopes = []
        for Z, ZG in zip(self.blocks, self._through, strict=True):
            square = xp.sum(w * xp.sum(ZG * ZG, axis=1))
            slopes.append(float(2 * (square - xp.sum((Z.T @ self.A) * (ZG.T @ B)))))
        # λ²(G²)_ii = 1 − 1/n − 2zᵀSz + zᵀ(S − λS²)z
        Z, n = self._Z, self.A.shape[0]
        ZS = Z @ self.S
        leverage, ridge = xp.sum(ZS * Z, axis=1), xp.sum(ZS * ZS, axis=1)
        square = xp.sum(w * (1 - 1 / n - leverage - self.lam * ridge)) / self.lam**2
        GB = (B - xp.mean(B, axis=0) - ZS @ (Z.T @ B)) / self.lam
        return np.array(slopes), float(2 * (square - xp.sum(self.A * GB)))

    def contributions(self) -> Array:
        """Every kernel's part of every left-out prediction, (p, n, k): `LeftOut`'s."""
        xp = namespace(self.A)
        parts = []
        pairs = zip(self.theta.tolist(), self.blocks, self._through, strict=True)
        for weight, Z, ZG in pairs:
            inside = xp.sum(Z * ZG, axis=1)[:, None]
            parts.append(weight * (Z @ (Z.T @ self.A) - inside * self.R))
        return xp.stack(parts)

    def shares(self, H: Array) -> Array:
        """⟨c_j, H⟩/⟨H, H⟩ with H centred, (p,): `LeftOut.shares`."""
        xp = namespace(H)
        H = H - xp.mean(H, axis=0)
        return host(xp.sum(self.contributions() * H, axis=(1, 2)) / xp.sum(H * H))

    @cached_property
    def _Z(self) -> Array:
        return _joined(self.blocks, self.theta)

    @cached_property
    def _through(self) -> list[Array]:
        """GZ_j, (n, D_j)."""
        Z = self._Z
        found = [Zj - Z @ (self.S @ (Z.T @ Zj)) for Zj in self.blocks]
        return [ZG / self.lam for ZG in found]


def leave_out_features(
    blocks: Sequence[Array], theta: Array, lam: float, H: Array
) -> LeftOutFeatures:
    """All fits without one sample, with an intercept, from features.

    Parameters
    ----------
    blocks : sequence of arrays (n, D_j)
        Features of every kernel, scaled; they are centred here.
    theta : ndarray (p,)
        θ ≥ 0.
    lam : float
        λ > 0.
    H : array (n, k)
        Targets.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.selection import leave_out_features
    >>> x = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> h = 3 * x + 1
    >>> found = leave_out_features([x], np.ones(1), 1e-9, h)
    >>> (h - found.R).round(3).ravel()
    array([ 1.,  4.,  7., 13.])
    """
    if not lam > 0:
        raise ValueError(f"leaving samples out needs λ > 0, got {lam!r}")
    theta = np.asarray(theta, dtype=float)
    if not np.all(theta >= 0):
        raise ValueError("weights of features must not be negative")
    xp, n = namespace(H), H.shape[0]
    blocks = [Z - xp.mean(Z, axis=0) for Z in blocks]
    Z = _joined(blocks, theta)
    unit = xp.eye(Z.shape[1], dtype=Z.dtype, device=device(Z))
    S = xp.linalg.inv(Z.T @ Z + lam * unit)
    S = 0.5 * (S + S.T)
    centred = H - xp.mean(H, axis=0)
    A = (centred - Z @ (S @ (Z.T @ centred))) / lam
    g = (1 - 1 / n - xp.sum((Z @ S) * Z, axis=1)) / lam
    return LeftOutFeatures(blocks, theta, lam, S, A, A / g[:, None], g)


def _joined(blocks: Sequence[Array], theta: Array) -> Array:
    """[√θ_1Z_1 … √θ_pZ_p]."""
    roots = np.sqrt(theta).tolist()
    parts = [root * Z for root, Z in zip(roots, blocks, strict=True)]
    return namespace(*blocks).concat(parts, axis=1)
