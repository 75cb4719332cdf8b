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
from .relevances import Mixture

PARTS = 3

# What is learned from some samples: weights, λ and relevances, or None for u = 0.
Learned = tuple[Array, float, Array | None]


def cross_fitted_errors(
    mixture: Mixture, learners: Sequence[Callable[[Mixture], Learned]]
) -> Array:
    """v_i‖h_i − f(x_i)‖² with f learned without the third that i is in, (m, n).

    Kernels are centred and scaled by all samples, which changes no prediction but for
    the scale of a kernel, and that by the order of 1/n.

    Parameters
    ----------
    mixture : Mixture
    learners : sequence of m callables
        From the mixture of some samples to what is learned from them.
    """
    out = np.empty((len(learners), len(mixture.H)))
    for inside, outside in parts(mixture.H):
        some = mixture.sample(inside)
        for errors, learn in zip(out, learners, strict=True):
            theta, lam, u = learn(some)
            K = mixture.combine(theta, u)
            f = _predictions(K, lam, mixture, inside, outside)
            errors[outside] = np.sum((mixture.H[outside] - f) ** 2, axis=1)
    return out if mixture.v is None else mixture.v * out


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
