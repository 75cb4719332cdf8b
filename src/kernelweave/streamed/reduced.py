"""The same problem with as many samples as there are features.

    [Z H] = QR,   QᵀQ = I:   K_j = Q(R_jR_jᵀ)Qᵀ,   H = QR_H

For the square loss the inner maximiser A = (λI + K(θ))⁻¹H lies in the range of Q, so
A = QB, and with B in the place of A, R_j of Z_j and R_H of H every value is the same:

    F(θ) = max_B ⟨B, R_H⟩ − (λ/2)‖B‖² − ½Σ_j θ_j‖R_jᵀB‖²,   D(B) = D(QB).

The Gram matrix of [Z H] gives R, by a Cholesky factorisation. So solvers, certificates
and paths work as they are, on r ≤ D + k samples, whatever n is. Every column has a unit
of its own, so that what counts as rounding does not depend on those of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr_multiply
from scipy.linalg.lapack import dpstrf

from ..grams.lowrank import LowRankStack
from ..grams.normalise import check_normalize, is_centred, varies
from ..kernels.origin import ROUNDING
from ..problem import Array
from .features import FeatureMap
from .moments import Moments

# The rounding error of a sum, relative to the size of what was added up.
_ROUNDING = 10 * np.finfo(float).eps

# Bytes of small Gram matrices that are kept.
_STORE = 2**29


@dataclass(frozen=True)
class Scaling:
    """How features are centred and scaled: K̃_j = scale_j·(Z_j − 1z̄_jᵀ)(Z_j − 1z̄_jᵀ)ᵀ.

    Attributes
    ----------
    center : bool
    scales : ndarray (p,)
        Zero for a kernel that is zero or constant on the training rows.
    blocks : list of slices
    """

    center: bool
    scales: Array
    blocks: list[slice]

    def by_feature(self, per_kernel: Array) -> Array:
        """One number a kernel, repeated for its features, (D,)."""
        widths = [block.stop - block.start for block in self.blocks]
        return np.repeat(per_kernel, widths)

    def about(self, moments: Moments) -> Array:
        """What the rows (z, t) are centred about: their mean, or zero."""
        return moments.mean if self.center else np.zeros_like(moments.origin)

    def centred_features(self, moments: Moments) -> Array:
        """Whether the features of a kernel have mean zero over these rows, (D,)."""
        spread, middle = _traces(moments, self.blocks)
        # 1ᵀK1 = n²‖z̄‖²
        total = moments.count * middle
        return self.by_feature(is_centred(total, spread + middle))


def find_scaling(
    moments: Moments,
    map: FeatureMap,
    present: Array,
    normalize: str | None,
    center: bool,
) -> Scaling:
    """The scaling that `grams.normalise` gives the Gram matrices, from their traces."""
    check_normalize(normalize)
    centred, middle = _traces(moments, map.blocks, map.origins)
    raw = centred + middle
    starts = [block.start for block in map.blocks]
    rounding = moments.count * np.add.reduceat((ROUNDING * map.origins) ** 2, starts)
    total = centred if center or normalize == "variance" else raw
    real = (total > rounding) & varies(total, raw)
    unit = np.where(real, total, 1.0)
    factors = {"variance": present / unit, "trace": 1 / unit}
    scales = factors.get(normalize or "", np.ones(len(total)))
    return Scaling(center, np.where(real, scales, 0.0), map.blocks)


def _traces(
    moments: Moments, blocks: list[slice], origin: Array | float = 0.0
) -> tuple[Array, Array]:
    """Σ‖z − z̄‖² and n‖z̄ − origin‖² of the features of each kernel, (p,).

    tr K is their sum, seen from the origin.
    """
    D, n = blocks[-1].stop, moments.count
    mean = moments.mean[:D]
    offset = mean - moments.origin[:D]
    spread = np.diag(moments.second)[:D] - n * offset**2
    starts = [block.start for block in blocks]
    middle = n * np.add.reduceat((mean - origin) ** 2, starts)
    return np.add.reduceat(spread, starts), middle


@dataclass(frozen=True)
class Reduced:
    """R_1..R_p and R_H, and the way back to coefficients of the features.

    `mean` (D + k,) is what features and targets are centred about.
    """

    gram: LowRankStack
    H: Array
    scaling: Scaling
    mean: Array

    def coefficients(self, theta: Array, B: Array) -> Array:
        """C (D, k) with f(x) = (z(x) − z̄)ᵀC: C_j = θ_j√scale_j R_jᵀB."""
        roots = np.sqrt(self.scaling.scales)
        parts = zip(theta, roots, self.gram.blocks, strict=True)
        return np.vstack([weight * root * (R.T @ B) for weight, root, R in parts])

    def intercept(self, C: Array) -> Array:
        """b (k,) with f(x) = z(x)ᵀC + b."""
        return self.mean[len(C) :] - self.mean[: len(C)] @ C


def reduce(moments: Moments, scaling: Scaling, coding: Array) -> Reduced:
    """The reduced problem of targets H = T·coding (q, k)."""
    D = scaling.blocks[-1].stop
    about = scaling.about(moments)
    S, sizes = moments.scatter(about), moments.sizes(about)
    roots = scaling.by_feature(np.sqrt(scaling.scales))
    both = np.block(
        [
            [S[:D, :D] * roots * roots[:, None], roots[:, None] * (S[:D, D:] @ coding)],
            [(coding.T @ S[D:, :D]) * roots, coding.T @ S[D:, D:] @ coding],
        ]
    )
    units = np.r_[sizes[:D] * roots, sizes[D:] @ abs(coding)]
    if not np.all(np.isfinite(units)):
        raise ValueError(
            "the sums of squares of features and targets are beyond the largest "
            "number: measure X or y in larger units"
        )
    inverse = 1 / np.where(units > 0, units, 1.0)
    both *= inverse
    both *= inverse[:, None]
    # In these units all sums are rounded alike; directions below that are none.
    U, pivots, rank, _ = dpstrf(both, tol=_ROUNDING, lower=0)
    R = np.triu(U)[:rank] * units[pivots - 1]
    # Another basis: the features that span it, the largest first. So a kernel of large
    # units is zero, not rounded, where those of small ones are measured.
    basis = pivots[:rank] - 1
    sizes = np.where(basis < D, units[basis], 0.0)
    largest_first = R[:, np.argsort(-sizes, kind="stable")]
    # (RᵀQ)ᵀ
    R[:, pivots - 1] = qr_multiply(largest_first, R.T, mode="right")[0].T
    blocks = [np.ascontiguousarray(R[:, block]) for block in scaling.blocks]
    mean = np.r_[about[:D], about[D:] @ coding]
    return Reduced(LowRankStack(blocks, _STORE), R[:, D:].copy(), scaling, mean)


def ridge(G: Array, B: Array, scaling: Scaling, theta: Array, lam: float) -> Array:
    """C (D, k) at fixed weights: (λI + ZᵀZ)C = ZᵀH, the features scaled by √θ.

    G = ZᵀZ (D, D) and B = ZᵀH (D, k) are those of the features as they are, centred.
    """
    active, r, factor = _ridge_factor(G, scaling, theta, lam)
    C = np.zeros_like(B)
    C[active] = r[:, None] * cho_solve(factor, r[:, None] * B[active])
    return C


def ridge_slopes(
    G: Array,
    B: Array,
    scaling: Scaling,
    theta: Array,
    lam: float,
    outward: Callable[[Array], tuple[float, Array]],
) -> tuple[float, Array]:
    """A function v of C = `ridge`(...), and ∂v/∂log θ (p,).

    With w_d = θ_j·scale_j for the features d of kernel j and W = diag(w),
    (G + λW⁻¹)C = B, so that

        ∂C/∂log θ_j = λ(G + λW⁻¹)⁻¹W⁻¹E_jC,
        ∂v/∂log θ_j = λΣ_{d in j} ⟨V_d, C_d⟩/w_d,   V = (G + λW⁻¹)⁻¹∂v/∂C,

    E_j being the features of kernel j. One more solve with the factor of C.

    Parameters
    ----------
    outward : callable
        From C (D, k) to v and ∂v/∂C (D, k).
    """
    active, r, factor = _ridge_factor(G, scaling, theta, lam)
    C, terms = np.zeros_like(B), np.zeros(len(B))
    # C = √W·inner and V = √W·back, so that no weight divides.
    inner = cho_solve(factor, r[:, None] * B[active])
    C[active] = r[:, None] * inner
    value, slopes = outward(C)
    back = cho_solve(factor, r[:, None] * slopes[active])
    terms[active] = lam * np.sum(inner * back, axis=1)
    return value, np.array([np.sum(terms[block]) for block in scaling.blocks])


def _ridge_factor(
    G: Array, scaling: Scaling, theta: Array, lam: float
) -> tuple[Array, Array, tuple[Array, bool]]:
    """The features that count, their √w, and the factor of λI + √W G√W of them."""
    roots = scaling.by_feature(np.sqrt(theta * scaling.scales))
    active = np.flatnonzero(roots)
    r = roots[active]
    M = G[np.ix_(active, active)] if len(active) < len(G) else G.copy()
    M *= r
    M *= r[:, None]
    M.flat[:: len(M) + 1] += lam
    return active, r, _factor(M)


def _factor(M: Array) -> tuple[Array, bool]:
    """The Cholesky factor of M, in its memory; rounding may have made M indefinite.

    Where λ is below the rounding of the sums, features that depend on each other leave
    M + diag(M)·jitter: by a jitter of D roundings the sums are uncertain anyway.
    """
    diagonal = np.diag(M).copy()
    unit = len(M) * _ROUNDING
    for jitter in (0.0, unit, 1e2 * unit, 1e4 * unit):
        if jitter:
            # Below the diagonal M is as it was.
            M[:] = np.tril(M, -1) + np.tril(M, -1).T
        M.flat[:: len(M) + 1] = (1 + jitter) * diagonal
        with suppress(LinAlgError):
            return cho_factor(M.T, lower=True, overwrite_a=True, check_finite=False)
    raise ValueError(
        "the sums of products of features are not positive semidefinite: are there "
        "features that are infinite, or not numbers?"
    )
