"""Is a matrix a Gram matrix? If rounding alone says no, it is made one.

All bounds on the optimum rest on K_j ⪰ 0, so every stored matrix is looked at as a
whole. Centring takes off the mean, not the rounding, which may then be most of a kernel
that hardly varies: what counts is the matrix that is used, after it.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import eigh

from ..arrays import add_to_diagonal, cholesky, host, is_foreign, like, namespace
from ..stacklevel import outside
from .base import Array
from .normalise import Statistics
from .tiles import spans

# Negative eigenvalues down to this share of the largest are rounding in single
# precision or in six digits of text: scikit-learn's `_check_psd_eigenvalues` as well.
ROUNDING = 1e-5

# Negative eigenvalues below this share of the largest are no rounding.
INDEFINITE = 1e-2

# They may be where the entries that were rounded are not known: those of a matrix that
# came centred. Below this share it is a Gram matrix no longer.
CENTRED_INDEFINITE = 0.5

# Sums of such entries over all pairs of samples are finite.
LARGEST = 1e280


def refuse_large(K: Array, what: str) -> None:
    """Raise a ValueError if there is a number in K whose sums overflow."""
    if 0 in K.shape:
        return
    xp = namespace(K)
    largest = max(float(xp.max(K)), -float(xp.min(K)))
    if largest > LARGEST:
        raise ValueError(
            f"entries as large as {largest:.2g} in {what}, whose sums overflow (the "
            f"limit is {LARGEST:.0e}): divide the kernel by a constant"
        )


def check_entries(K: Array, label: str) -> None:
    """Raise a ValueError that names the kernel unless, to rounding,

        K = Kᵀ,    |K_ij| ≤ √(K_ii K_jj),

    and K is finite. Where K and Kᵀ differ, K becomes their mean, in place; a warning
    says so if the difference is more than rounding beside what varies of K.
    """
    xp, n = namespace(K), K.shape[0]
    if not bool(xp.all(xp.isfinite(K))):
        raise ValueError(
            f"kernel {label} contains NaN or infinity: compute it again or impute the "
            "data it was made from"
        )
    refuse_large(K, f"kernel {label}")
    largest = max(float(xp.max(K)), -float(xp.min(K)))
    # By blocks of rows, which the cache holds: K − Kᵀ at once is many times slower.
    asymmetry = max(
        float(xp.max(xp.abs(K[rows, :] - K[:, rows].T))) for rows in spans(n, 128)
    )
    if asymmetry > ROUNDING * largest:
        raise ValueError(
            f"kernel {label} is not symmetric: K and its transpose differ by "
            f"{asymmetry:.2g}; check that rows and columns are the same samples in the "
            "same order"
        )
    root = xp.sqrt(xp.clip(xp.linalg.diagonal(K), min=0.0))
    excess = max(
        float(xp.max(xp.abs(K[rows, :]) - root[rows, None] * root))
        for rows in spans(n, 128)
    )
    if excess > CENTRED_INDEFINITE * largest:
        raise ValueError(
            f"kernel {label} is not positive semidefinite: a k(x, x) is negative, or a "
            f"k(x, z) is larger than √(k(x, x)k(z, z)), by {excess:.2g}; {_ADVICE}"
        )
    if asymmetry > 0:
        for rows in spans(n, 128):
            rest = slice(rows.start, None)
            part = 0.5 * (K[rows, rest] + K[rest, rows].T)
            K[rows, rest] = part
            K[rest, rows] = part.T
        means = xp.mean(K, axis=0)
        left = float(xp.max(xp.linalg.diagonal(K) - 2 * means + xp.mean(means)))
        if asymmetry > ROUNDING * left:
            warnings.warn(
                f"kernel {label} is nearly constant and not quite symmetric: K and its "
                f"transpose differ by {asymmetry:.2g}, and after centring its largest "
                f"entry is {left:.2g}. Their mean is used; check that rows and columns "
                "are the same samples in the same order, and compute the kernel in "
                "double precision",
                UserWarning,
                stacklevel=outside(),
            )


def make_definite(K: Array, statistics: Statistics, label: str) -> None:
    """Replace a K̃ with negative eigenvalues by the nearest matrix without, in place.

    A ValueError names the kernel if that is more than rounding; a change beyond the
    rounding of six digits is warned of. `statistics` are those of its normalisation.
    """
    found = negative_part(K)
    if found is None:
        return
    values, vectors = found
    largest, source = _sizes(K, statistics, values)
    share = -values[0] / max(largest, np.finfo(float).tiny)
    rounded = source is not None and -values[0] <= ROUNDING * source
    if share > (CENTRED_INDEFINITE if source is None else INDEFINITE) and not rounded:
        # In the units of the matrix that was given.
        raise ValueError(indefinite(label, values / statistics.scale))
    keep = values > 0
    root = vectors[:, keep] * np.sqrt(values[keep])
    K[...] = like(root @ root.T, K)
    if share > ROUNDING:
        what = "nearly constant, and what varies of it is " if rounded else ""
        warnings.warn(
            f"kernel {label} is {what}not quite positive semidefinite: its smallest "
            f"eigenvalue is −{share:.1g} times the largest after centring. Negative "
            "eigenvalues on the training rows were set to zero; compute the kernel in "
            "double precision, or leave it out",
            UserWarning,
            stacklevel=outside(),
        )


def negative_part(K: Array) -> tuple[Array, Array] | None:
    """Eigenvalues and eigenvectors of K = Kᵀ; None if no eigenvalue is negative.

    That is told by a Cholesky factorisation, to some 100nε of the largest entry.
    """
    from ..losses.cholesky import factorise_lower  # losses/ imports this folder

    xp, n = namespace(K), K.shape[0]
    diagonal = xp.linalg.diagonal(K)
    slack = 100 * n * np.finfo(float).eps * float(xp.max(xp.abs(diagonal)))
    slack += np.finfo(float).tiny
    if is_foreign(K):
        shifted = xp.asarray(K, copy=True)
        add_to_diagonal(shifted, slack)
        if cholesky(shifted) is not None:
            return None
    else:
        # The factor takes the upper triangle of K, and K is then restored by the lower.
        diagonal = diagonal.copy()
        add_to_diagonal(K, slack)
        failed = factorise_lower(K.T)
        for rows in spans(n, 256):
            K[rows, rows.stop :] = K[rows.stop :, rows].T
            corner = np.tril(K[rows, rows], -1)
            K[rows, rows] = corner + corner.T
        K.flat[:: n + 1] = diagonal
        if not failed:
            return None
    values, vectors = eigh(host(K))
    return (values, vectors) if values[0] < 0 else None


def indefinite(label: str, values: Array) -> str:
    """What to say of a kernel with these eigenvalues."""
    return (
        f"kernel {label} is not positive semidefinite: its smallest eigenvalue is "
        f"{values[0]:.3g}, its largest {values[-1]:.3g}; {_ADVICE}"
    )


_ADVICE = (
    "check how it was made, and that a distance or a similarity is not taken for a "
    "kernel; compute it in double precision, or set its negative eigenvalues to zero"
)


def _sizes(
    K: Array, statistics: Statistics, values: Array
) -> tuple[float, float | None]:
    """Lower bounds of the largest eigenvalue of K̃ after centring, and before.

    The latter is the larger of scale·max k(x, x) and scale·1ᵀK1/n; None if K came
    centred.
    """
    xp = namespace(K)
    diagonal, n = xp.linalg.diagonal(K), K.shape[0]
    if statistics.row_means is None:
        means = xp.mean(K, axis=0)
        # Interlacing: λ₂(K) ≤ λ₁(PKP), and no diagonal entry is above λ₁.
        varies = float(xp.max(diagonal - 2 * means + xp.mean(means)))
        after = max(float(values[-2:][0]), varies)
    else:
        means, after = statistics.scale * statistics.row_means, float(values[-1])
        diagonal = diagonal + 2 * means - xp.mean(means)
    largest = float(xp.max(diagonal))
    if float(xp.max(xp.abs(means))) <= ROUNDING * largest:
        return after, None
    return after, max(largest, n * float(xp.mean(means)))
