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
from ..kernels import RBF
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
    now: Array,
    found: Descent,
    lams: Sequence[float],
) -> tuple[Descent, float | None]:
    """The kind whose left-out log-loss is the least, and its λ of classes.

    What was found before, and None, unless that gains more than the noise of the gain.

    Parameters
    ----------
    data : GramData
    keep : ndarray of bool (p,)
        The kernels that `found.theta` has.
    mixture : Mixture
        All kernels at equal weights, with targets.
    losses : ClassLosses
    now : ndarray (n,)
        The log-losses of what was found.
    lams : sequence of float
    """
    best, alpha, least = found, None, float(np.sum(now))
    stack: Any = data.stack
    for kind, mask in kinds(data.kernels or [], keep):
        part = replace(mixture, gram=stack.subset(mask), families=())
        theta, hopeful = _weights(part, losses, now, lams)
        if not hopeful:
            continue
        at = decompose(part.combine(theta), part.H, part.intercept, part.v)
        path = at.path(lams)
        place = path.largest(FOR_CLASSES)
        lam, after = losses.least_near(at, float(path.lams[place]))
        gains = paired_gain(now, after, BEYOND_NOISE)[2]
        if not gains or float(np.sum(after)) >= least:
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

    Only those that leave kernels out, each of them once.
    """
    groups: dict[Any, list[int]] = {}
    for j in np.flatnonzero(keep[: len(kernels)]):
        columns = kernels[j].columns_
        groups.setdefault(None if columns is None else tuple(columns), []).append(j)
    seen = [np.asarray(keep)]
    for kind in KINDS:
        mask = np.zeros(len(keep), dtype=bool)
        for members in groups.values():
            mask[_of_kind(kind, kernels, members) or members] = True
        if mask.any() and not any(np.array_equal(mask, other) for other in seen):
            seen.append(mask)
            yield kind, mask


def _of_kind(kind: str, kernels: Sequence[Any], members: list[int]) -> list[int]:
    if kind == "gentle":
        widths = [j for j in members if _relative(kernels[j])]
        return sorted(widths, key=lambda j: kernels[j].factor)[-1:]
    ranks = kind == "ranks"
    return [j for j in members if (kernels[j].scale == "rank") == ranks]


def _relative(kernel: Any) -> bool:
    """Whether its width is a multiple of the median distance."""
    return type(kernel) is RBF and kernel.gamma is None and kernel.scale != "rank"


def _weights(
    part: Mixture, losses: ClassLosses, now: Array, lams: Sequence[float]
) -> tuple[Array, bool]:
    """The average of equal and learned weights; whether there is hope for the kind."""
    p = part.gram.p
    start = np.full(p, 1 / p)
    at = decompose(part.combine(start), part.H, part.intercept, part.v)
    lam = at.path(lams).lam
    rise = losses.least_near(at, lam)[1] - now
    if rise.mean() > HOPELESS * rise.std() / np.sqrt(len(rise)):
        return start, False
    if p == 1:
        return start, True
    learned, _ = learn_relevances(part, start, lam, None, small=COARSE)
    traces = np.asarray(part.gram.traces)
    return (start + float(start @ traces / (learned @ traces)) * learned) / 2, True
