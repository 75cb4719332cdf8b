"""Centring and scaling of a Gram matrix by training statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arrays import like, namespace
from .base import Array

NORMALIZATIONS = ("variance", "trace", "spherical", None)

# A centred trace below this share of the raw one is rounding: a constant kernel.
NEGLIGIBLE = 1e-10

# What is smaller has lost its digits, and its reciprocal may not be finite.
TINIEST = 1e-280

# 1ᵀK1 of a centred kernel, relative to its trace, is rounding: up to 1e-7 where the
# matrix was in float32. Of data that were not centred it is about one or more.
_CENTRED = 1e-6


def is_centred(total: Array, trace: Array) -> Array:
    """Whether K1 = 0 to rounding, from 1ᵀK1 and tr K: ‖K1‖² ≤ ‖K‖·1ᵀK1.

    The samples were then centred together: in feature space each is minus the sum of
    the others. If also Σh = 0, a model without intercept that fits the others exactly
    predicts −Σf = −Σh = h for the sample that is left out, whatever the data. So what
    leaves a sample out must leave it out of the centring too.

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> bool(is_centred(K.sum(), np.trace(K)))
    True
    """
    return total <= _CENTRED * trace


@dataclass(frozen=True)
class Statistics:
    """What a kernel's training rows say, to treat new rows alike.

    K̃ = scale·P(K ∘ (1/q)(1/q)ᵀ)P, where q_i = √k(x_i, x_i) if spherical, else 1, and
    P = I − 11ᵀ/n if centred, else I.
    """

    scale: float
    root_diagonal: Array | None
    row_means: Array | None
    mean: float

    def cross(self, K: Array, diagonal: Array | None) -> Array:
        """K̃ of new rows (m, n); `diagonal` holds k(x, x) of them, if spherical."""
        K = like(K, K)
        xp = namespace(K)
        K = xp.asarray(K, copy=True)
        if self.root_diagonal is not None:
            if diagonal is None:
                raise ValueError(
                    "normalize='spherical' needs k(x, x) of the new rows, which Gram "
                    "matrices (p, m, n) do not hold: use kernels=[Precomputed(K), ...] "
                    "or normalise the matrices yourself and pass normalize=None"
                )
            K /= root_of(diagonal)[:, None]
            K /= self.root_diagonal
        if self.row_means is not None:
            K -= xp.mean(K, axis=1, keepdims=True)
            K -= self.row_means
            K += self.mean
        K *= self.scale
        return K


def check_normalize(normalize: str | None) -> None:
    """Raise a ValueError if there is no such normalisation."""
    if normalize not in NORMALIZATIONS:
        raise ValueError(
            f"normalize must be one of {NORMALIZATIONS}, got {normalize!r}"
        )


def normalise(
    K: Array, normalize: str | None, center: bool, present: int | None = None
) -> Statistics:
    """Centre and scale a Gram matrix in place, and keep how.

    Parameters
    ----------
    K : array (n, n)
        Overwritten by K̃.
    normalize : {"variance", "trace", "spherical", None}
        "variance" divides by the implied variance Σ_i‖φ(x_i) − μ‖²/n, "trace" by the
        trace (of the centred matrix, if it is centred), "spherical" scales every
        sample to k(x, x) = 1 before centring.
    center : bool
        Whether the features are centred in feature space.
    present : int, optional
        How many of the samples the kernel describes, if the others are at the mean:
        the variance is that of these.

    Returns
    -------
    Statistics
        With scale = 0 for a kernel that is zero, or constant where that matters.
    """
    check_normalize(normalize)
    xp, n = namespace(K), K.shape[0]
    root = None
    if normalize == "spherical":
        root = root_of(xp.linalg.diagonal(K))
        K /= root[:, None]
        K /= root
    raw = float(xp.linalg.trace(K))
    row_means, mean, total = None, 0.0, raw
    if center:
        row_means = xp.mean(K, axis=0)
        mean = float(xp.mean(row_means))
        K -= row_means
        K -= row_means[:, None] - mean
        total = float(xp.linalg.trace(K))
    elif normalize == "variance":
        # tr PKP = tr K − 1ᵀK1/n
        total = raw - float(xp.sum(K)) / n
    if not varies(total, raw):
        K[...] = 0.0
        return Statistics(0.0, root, row_means, mean)
    count = n if present is None else present
    scale = {"variance": count / total, "trace": 1 / total}.get(normalize or "", 1.0)
    K *= scale
    return Statistics(scale, root, row_means, mean)


def varies(total: Any, raw: Any) -> Any:
    """Whether the (centred) trace of a kernel with tr K = raw is above rounding."""
    return total > NEGLIGIBLE * abs(raw) + TINIEST


def root_of(diagonal: Array) -> Array:
    # A sample with k(x, x) = 0 is the zero vector: it stays so.
    xp = namespace(diagonal)
    return xp.sqrt(xp.where(diagonal > 0, diagonal, xp.ones_like(diagonal)))
