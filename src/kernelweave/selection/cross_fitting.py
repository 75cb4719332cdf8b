"""What learned weights are worth to samples that had no part in learning them.

The left-out error of a sample is exact at given weights. But weights that were learned
from all left-out errors have seen the sample, and the more parameters were learned, the
more its error flatters them. So a third of the samples is left out altogether: weights,
relevances and λ are learned from the rest, and judged by the error of that third.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..grams.base import Array
from .left_out import leave_out
from .relevances import Blend, Mixture
from .ridge_path import ridge_path

PARTS = 3


def cross_fitted_errors(
    mixture: Mixture,
    learn: Callable[[Mixture], Sequence[Blend]],
    lams: Sequence[float],
) -> Array:
    """v_i‖h_i − f(x_i)‖² with f learned without the third that i is in, (m, n).

    Kernels are centred and scaled by all samples, which changes no prediction but for
    the scale of a kernel, and that by the order of 1/n.

    Parameters
    ----------
    mixture : Mixture
    learn : callable
        From the mixture of some samples to the m blends that are learned from them.
    lams : sequence of float
        λ of every blend is chosen from these, and beyond them, by the same samples.
    """
    out = []
    for inside, outside in parts(mixture.H):
        some = mixture.sample(inside)
        for number, blend in enumerate(learn(some)):
            K = mixture.blended(blend)
            own = K[np.ix_(inside, inside)]
            lam = ridge_path(own, some.H, lams, mixture.intercept, some.v).lam
            f = _predictions(K, lam, mixture, inside, outside)
            if number == len(out):
                out.append(np.empty(len(mixture.H)))
            out[number][outside] = np.sum((mixture.H[outside] - f) ** 2, axis=1)
    return np.array(out) if mixture.v is None else mixture.v * np.array(out)


def parts(H: Array) -> Iterator[tuple[Array, Array]]:
    """Three times two thirds of the samples and the other third.

    Samples are dealt out in the order of their targets, those of equal targets in an
    order drawn by a fixed seed: every part has its share of every class.
    """
    drawn = np.random.default_rng(0).permutation(len(H))
    order = np.lexsort((drawn, *H.T[::-1]))
    part = np.empty(len(H), dtype=int)
    part[order] = np.arange(len(H)) % PARTS
    for number in range(PARTS):
        yield np.flatnonzero(part != number), np.flatnonzero(part == number)


def _predictions(
    K: Array, lam: float, mixture: Mixture, inside: Array, outside: Array
) -> Array:
    """f of the samples outside by a fit to those inside, (m, k)."""
    own, v = K[np.ix_(inside, inside)], mixture.v
    H, v = mixture.H[inside], None if v is None else v[inside]
    A = leave_out(own.copy(), lam, H, mixture.intercept, v).A
    f = K[np.ix_(outside, inside)] @ A
    if mixture.intercept:
        ridge = lam * (A if v is None else A / v[:, None])
        f += np.mean(H - ridge - own @ A, axis=0)
    return f
