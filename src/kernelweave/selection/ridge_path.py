"""Left-out errors at every λ, for fixed weights; for matrices, one decomposition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import filled, host, namespace
from ..grams.base import Array
from ..threads import blas_threads

# The path goes on beyond either end of the λ while the error falls, this many steps at
# most.
BEYOND = 8
# The path ends at this λ, in units of tr K/n: below, rounding takes over.
SMALLEST = 1e-8

# An error that is larger by this share is no worse. Where narrow kernels act as a ridge
# it hardly depends on λ below some value, and the largest of these λ is well
# conditioned.
SAME = 1e-3

# The same where classes are told. Squared errors of targets ask for less ridge than
# classes and their probabilities do, and weights that were learned from them ask for
# still less: on 33 sets, 15 folds each, 1 % gained 0.1 points of accuracy over 0.1 %,
# and 2 % and 3 % no more.
FOR_CLASSES = 1e-2

# Neighbours among the λ that are looked at in the end differ by at most this factor.
STEP = 2**0.5


@dataclass(frozen=True)
class RidgePath:
    """Left-out errors v_i‖r_i‖² of every λ at the same weights of the kernels.

    Attributes
    ----------
    lams : ndarray (m,)
        In increasing order. They go beyond those that were asked for, at the same
        ratio, where the best was the first or the last.
    errors : ndarray (m, n)
        Of samples; or (m, F), added up over the folds.
    """

    lams: Array
    errors: Array

    @property
    def values(self) -> Array:
        """P = Σ_i v_i‖r_i‖² of every λ, (m,)."""
        return self.errors.sum(axis=1)

    @property
    def best(self) -> int:
        """The place of the largest λ whose P is the smallest, within a thousandth."""
        return self.largest(SAME)

    def largest(self, share: float, most: float = np.inf) -> int:
        """The place of the largest λ whose P exceeds the smallest by this share.

        It does not exceed `most`, unless the smallest does.
        """
        least = float(self.values.min())
        most = max(least, min((1 + share) * least, most))
        return int(np.flatnonzero(self.values <= most)[-1])

    @property
    def lam(self) -> float:
        """The best λ."""
        return float(self.lams[self.best])


@dataclass(frozen=True)
class Decomposed:
    """K = VΛVᵀ, from which left-out residuals follow for every λ.

    (λI + K)⁻¹ = V(λ + Λ)⁻¹Vᵀ gives G's diagonal and A. Samples of weights v = s² are
    those of SKS, S = diag(s), and SH without weights, but that the border of the
    intercept is s: the residuals there are s_ir_i.

    Attributes
    ----------
    values : array (n,)
        Λ.
    vectors, squares : arrays (n, n)
        V, and its entries squared.
    targets : array (n, k)
        VᵀSH.
    border : array (n,), optional
        s, where there is an intercept.
    """

    values: Array
    vectors: Array
    squares: Array
    targets: Array
    border: Array | None

    @property
    def least(self) -> float:
        """λ below this are rounding."""
        total = float(namespace(self.values).sum(self.values))
        return SMALLEST * total / self.values.shape[0]

    def residuals(self, lam: float) -> Array:
        """s_ir_i, (n, k)."""
        inverse = 1 / (self.values + lam)
        A = self.vectors @ (inverse[:, None] * self.targets)
        g, s = self.squares @ inverse, self.border
        if s is not None:
            M1 = self.vectors @ (inverse * (s @ self.vectors))
            A = A - M1[:, None] * (s @ A / (s @ M1))
            g = g - M1 * M1 / (s @ M1)
        return A / g[:, None]

    def errors(self, lam: float) -> Array:
        """v_i‖r_i‖², (n,), on the host."""
        R = self.residuals(lam)
        return host(namespace(R).sum(R * R, axis=1))

    def path(self, lams: Sequence[float]) -> RidgePath:
        """The errors at these λ, and beyond an end that is the best."""
        with blas_threads(self.values.shape[0]):
            return along_ridge(self.errors, lams, self.least)


def decompose(
    K: Array, H: Array, intercept: bool = True, v: Array | None = None
) -> Decomposed:
    """See `ridge_path`, which takes the same matrices. K is overwritten."""
    xp, n = namespace(K), K.shape[0]
    with blas_threads(n):
        s = filled(n, K, 1.0)
        if v is not None:
            s = xp.sqrt(v)
            K *= s
            K *= s[:, None]
            H = s[:, None] * H
        if intercept:
            # On sᵀA = 0 a shift along s changes nothing, and K may annihilate s.
            K += (float(xp.linalg.trace(K)) / (n * xp.sum(s * s)) * s) * s[:, None]
        w, V = xp.linalg.eigh(K)
        w = xp.clip(w, min=0.0)
        return Decomposed(w, V, V * V, V.T @ H, s if intercept else None)


def ridge_path(
    K: Array,
    H: Array,
    lams: Sequence[float],
    intercept: bool = True,
    v: Array | None = None,
) -> RidgePath:
    """The errors of samples that are left out, by one decomposition: `Decomposed`.

    Parameters
    ----------
    K : array (n, n)
        K(θ). It is overwritten.
    H : array (n, k)
    lams : sequence of float
        λ > 0.
    intercept, v
        As in `leave_out`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.selection import ridge_path
    >>> x = np.linspace(-1, 1, 30)[:, None]
    >>> path = ridge_path(x @ x.T, x + 0.1 * np.sin(9 * x), [0.1, 1.0, 10.0])
    >>> path.lam < 1
    True
    """
    return decompose(K, H, intercept, v).path(lams)


def finely(lams: Sequence[float]) -> Sequence[float]:
    """From the least λ to the largest, at one ratio; a single one stays alone.

    Examples
    --------
    >>> [round(lam, 2) for lam in finely([1, 4])]
    [1.0, 1.41, 2.0, 2.83, 4.0]
    """
    if len(lams) == 1:
        return lams
    first, last = min(lams), max(lams)
    # 1e-9 is for the rounding of a ratio that STEP divides.
    steps = int(np.ceil(np.log(last / first) / np.log(STEP) - 1e-9))
    return np.geomspace(first, last, 1 + max(steps, len(lams) - 1)).tolist()


def along_ridge(
    errors: Callable[[float], Array], lams: Sequence[float], least: float
) -> RidgePath:
    """Left-out errors at every λ; it goes on beyond an end that is the best.

    Parameters
    ----------
    errors : callable
        From λ to the left-out errors of all samples, or of all folds.
    lams : sequence of float
        λ > 0.
    least : float
        No λ below this is added.
    """
    known = sorted({float(lam) for lam in lams})
    if not known or not known[0] > 0 or not np.isfinite(known[-1]):
        raise ValueError(f"lams must be positive numbers, got {list(lams)!r}")
    found = {lam: errors(lam) for lam in known}
    if len(known) > 1:
        ratio = (known[-1] / known[0]) ** (1 / (len(known) - 1))
        _go_on(found, errors, 1 / ratio, min, least)
        _go_on(found, errors, ratio, max, least)
    order = sorted(found)
    return RidgePath(np.array(order), np.array([found[lam] for lam in order]))


def _go_on(
    found: dict[float, Array],
    errors: Callable[[float], Array],
    ratio: float,
    end: Callable[[Iterable[float]], float],
    least: float,
) -> None:
    """Add λ beyond one end while the best is there."""
    for _ in range(BEYOND):
        last = end(found)
        inner = min(np.sum(e) for lam, e in found.items() if lam != last)
        better = np.sum(found[last]) < (1 - 1e-9) * inner
        if not better or last * ratio < least:
            return
        found[last * ratio] = errors(last * ratio)
