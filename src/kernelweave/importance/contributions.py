"""What each kernel adds to the prediction of samples that are left out, exactly.

    B = [[λI + K(θ), 1], [1ᵀ, 0]],   G the upper left block of B⁻¹,   A = GH

With the samples i of a group g left out together, or one alone, kernel j's part of
their predictions by the fit without them is

    c_j(g) = θ_j[(K_jA)_g − (K_jG)_gg R_g],   R_g = (G_gg)⁻¹A_g,

and Σ_j c_j(g) + b_{−g} = H_g − R_g. Without an intercept B has no border. Of samples
with weights v, λI becomes λ/v on the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..losses.left_groups import bordered_inverse, group_residuals, members
from ..problem import Array


@dataclass(frozen=True)
class Parts:
    """Left-out predictions taken apart, at fixed θ and λ.

    Attributes
    ----------
    parts : ndarray (p, n, k)
        c_j(i).
    residuals : ndarray (n, k)
        R = H − f_{−i}(x_i).
    H : ndarray (n, k)
        Targets less their mean.
    v : ndarray (n,)
        Weights of the samples, with which products are taken: ⟨a, b⟩ = Σ_i v_ia_ib_i.
    """

    parts: Array
    residuals: Array
    H: Array
    v: Array

    @property
    def shares(self) -> Array:
        """⟨c_j, H⟩/⟨H, H⟩, (p,): how much of the targets kernel j predicts, left out.

        A kernel that tells nothing has about zero, whatever its weight. All add up to
        the share of the targets that the whole predicts, but for the intercept.
        """
        vH = self.v[:, None] * self.H
        return np.sum(self.parts * vH, axis=(1, 2)) / np.sum(vH * self.H)

    @property
    def losses(self) -> Array:
        """n v_i‖r_i‖²/Σ_l v_l‖h_l‖², (n,): 1 less their mean is R², left out."""
        squares = self.v * np.sum(self.residuals**2, axis=1)
        return squares / np.mean(self.v * np.sum(self.H**2, axis=1))

    @property
    def score(self) -> float:
        """R² of the left-out predictions, over all columns of H."""
        return float(1 - np.mean(self.losses))


def left_out_parts(
    matrices: Array,
    theta: Array,
    lam: float,
    H: Array,
    intercept: bool = True,
    groups: Array | None = None,
    v: Array | None = None,
) -> Parts:
    """Take left-out predictions apart by kernel.

    Parameters
    ----------
    matrices : ndarray (p, n, n)
        Gram matrices; centred ones need the intercept.
    theta : ndarray (p,)
    lam : float
        λ > 0.
    H : ndarray (n, k)
    intercept : bool
    groups : ndarray (n,), optional
        Samples of the same group are left out together.
    v : ndarray (n,), optional
        Weights of the samples.

    Examples
    --------
    The second kernel knows nothing of the target, and has most of the weight:

    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.normal(size=(40, 1)), rng.normal(size=(40, 300))
    >>> K = np.stack([x @ x.T, noise @ noise.T / 300])
    >>> shares = left_out_parts(K, np.array([0.3, 0.7]), 0.1, x).shares
    >>> shares[0] > 0.8, abs(shares[1]) < 0.02
    (np.True_, np.True_)
    """
    v = np.ones(len(H)) if v is None else v
    G = bordered_inverse(np.tensordot(theta, matrices, 1), lam / v, intercept)
    A = G @ H
    if groups is None:
        R = A / np.diag(G)[:, None]
        inside = np.einsum("jab,ab->ja", matrices, G)[:, :, None] * R
    else:
        R = group_residuals(G, A, groups)
        inside = np.empty((len(matrices), *A.shape))
        for rows in members(groups):
            inside[:, rows] = matrices[:, rows] @ (G[:, rows] @ R[rows])
    parts = theta[:, None, None] * (matrices @ A - inside)
    return Parts(parts, R, H - v @ H / v.sum(), v)
