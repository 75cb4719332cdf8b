"""Fewer kinds of kernels on the same columns, where these tell classes better.

Squared left-out errors reward a kernel for every target that it brings nearer, classes
only for those that change side. Where classes are smooth, kernels of ranks lower the
squares and blur the sides (or the other way round): then one kind alone, its weights
learned for it, has fewer left-out samples on the wrong side. No view is dropped: a kind
is one of several on the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..fitted.grams import GramData
from ..kernels import RBF, AnisotropicLaplacian, Laplacian, Linear
from ..problem import Array
from ..selection.descent import Descent, paired_gain
from ..selection.relevances import Mixture, learn_relevances
from ..selection.ridge_path import FOR_CLASSES, decompose
from .ridge_for_classes import ClassLosses

# A descent ends when an iteration lowers log P by less than this.
COARSE = 1e-3

# Standard errors by which the log-loss must fall. On 52 sets that nothing else here was
# chosen on, three folds each, 1 gained 0.5 points of accuracy and 2 gained 0.35; on 33
# others, on which the rest was chosen, both gained 0.0.
BEYOND_NOISE = 1.0

# Kernels that know nothing but the numbers in their columns.
OF_NUMBERS = RBF, Laplacian, AnisotropicLaplacian, Linear

# A kind whose log-loss is higher at equal weights by so many standard errors is left.
HOPELESS = 2.0

KINDS = {
    "numbers": "kernels of the numbers themselves, without those of ranks",
    "ranks": "kernels of ranks",
    "gentle": "the widest Gaussian kernel of the same columns",
}


def kind_for_classes(
    data: GramData,
    keep: Array,
    mixture: Mixture,
    losses: ClassLosses,
    lams: Sequence[float],
    before: tuple[Descent, float, Array],
) -> tuple[Descent, float]:
    """The kind whose left-out log-loss is the least, and its λ of classes.

    What was found before, unless a kind gains more than the noise of the gain.

    Parameters
    ----------
    data : GramData
    keep : ndarray of bool (p,)
        The kernels that were learned from.
    mixture : Mixture
        Them at equal weights, with targets.
    losses : ClassLosses
    lams : sequence of float
    before : (Descent, float, ndarray (n,))
        What was found, its λ of classes and its log-losses there.
    """
    found, alpha, now = before
    best, least = found, float(np.sum(now))
    stack: Any = data.stack
    for kind, mask in kinds(data.kernels or [], keep):
        part = replace(mixture, gram=stack.subset(mask), families=())
        theta = _weights(part, losses, now, lams)
        if theta is None:
            continue
        at = decompose(part.combine(theta), part.H, part.intercept, part.v)
        path = at.path(lams)
        place = path.largest(FOR_CLASSES)
        lam, after = losses.least_near(at, float(path.lams[place]))
        if np.sum(after) >= least or not paired_gain(now, after, BEYOND_NOISE)[2]:
            continue
        least, alpha = float(np.sum(after)), lam
        every = np.zeros(len(keep))
        every[mask] = theta
        best = replace(
            found,
            theta=every[keep],
            lam=float(path.lams[place]),
            value=float(path.values[place]),
            errors=path.errors[place],
            accepted=True,
            kind=kind,
        )
    return best, alpha


def kinds(kernels: Sequence[Any], keep: Array) -> Iterator[tuple[str, Array]]:
    """Names of `KINDS` and masks (p,): some of the kernels of every set of columns.

    Only those that leave kernels out, each of them once. Kernels of other types stay:
    they may know more than the numbers in their columns.
    """
    groups: dict[Any, list[int]] = {}
    for j, kernel in enumerate(kernels):
        if keep[j] and type(kernel) in OF_NUMBERS:
            columns = kernel.columns_
            groups.setdefault(None if columns is None else tuple(columns), []).append(j)
    seen = [np.asarray(keep)]
    for kind in KINDS:
        mask = keep.copy()
        for members in groups.values():
            mask[members] = False
            mask[_of_kind(kind, kernels, members) or members] = True
        if not any(np.array_equal(mask, other) for other in seen):
            seen.append(mask)
            yield kind, mask


def _of_kind(kind: str, kernels: Sequence[Any], members: list[int]) -> list[int]:
    if kind == "gentle":
        relative = [j for j in members if _relative(kernels[j])]
        return sorted(relative, key=lambda j: kernels[j].factor)[-1:]
    return [j for j in members if (kernels[j].scale == "rank") == (kind == "ranks")]


def _relative(kernel: Any) -> bool:
    """Whether its width is a multiple of the median distance."""
    return type(kernel) is RBF and kernel.gamma == "median" and kernel.scale != "rank"


def _weights(
    part: Mixture, losses: ClassLosses, now: Array, lams: Sequence[float]
) -> Array | None:
    """The average of equal and learned weights; None for a kind without hope."""
    p = part.gram.p
    start = np.full(p, 1 / p)
    at = decompose(part.combine(start), part.H, part.intercept, part.v)
    lam = at.path(lams).lam
    rise = losses.least_near(at, lam)[1] - now
    if rise.mean() > HOPELESS * rise.std() / np.sqrt(len(rise)):
        return None
    if p == 1:
        return start
    learned, _ = learn_relevances(part, start, lam, None, small=COARSE)
    traces = np.asarray(part.gram.traces)
    return (start + float(start @ traces / (learned @ traces)) * learned) / 2
