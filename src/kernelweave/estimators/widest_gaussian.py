"""The widest Gaussian alone in the place of several kernels on the same columns.

Squared left-out errors reward a kernel for every target that it brings nearer, classes
only for those that change side. Where the borders between classes are smooth, narrow
kernels and those of ranks lower the squares and blur the borders: then the widest
Gaussian alone has fewer left-out samples on the wrong side. No view is dropped: every
set of columns keeps a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..fitted.grams import GramData
from ..kernels import RBF, AnisotropicLaplacian, Laplacian, Linear
from ..problem import Array
from ..selection.descent import Descent, paired_gain
from ..selection.relevances import Mixture
from ..selection.ridge_path import FOR_CLASSES, decompose
from .ridge_for_classes import ClassLosses

# Standard errors by which the log-loss of left-out samples must fall. On 46 sets, three
# folds each, with which nothing else here was chosen, 1 and 2 gained a quarter of a
# point of accuracy each, four on vehicle silhouettes, and lost nothing with 2. Choices
# of the ranks alone, of all but the ranks or among six widths gained no more.
BEYOND_NOISE = 2.0

# Kernels that know nothing but the numbers in their columns.
OF_NUMBERS = RBF, Laplacian, AnisotropicLaplacian, Linear


def widest_for_classes(
    data: GramData,
    keep: Array,
    mixture: Mixture,
    losses: ClassLosses,
    lams: Sequence[float],
    before: tuple[Descent, float, Array],
) -> tuple[Descent, float]:
    """The widest Gaussians at equal weights, and their λ of classes.

    What was found before, unless the log-loss of left-out samples falls by more than
    the noise of the fall.

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
    mask = widest(data.kernels or [], keep)
    if np.array_equal(mask, keep):
        return found, alpha
    stack: Any = data.stack
    theta = mask / np.sum(mask)
    K = stack.subset(mask).combine(theta[mask])
    at = decompose(K, mixture.H, mixture.intercept, mixture.v)
    path = at.path(lams)
    place = path.largest(FOR_CLASSES)
    lam, after = losses.least_near(at, float(path.lams[place]))
    if not paired_gain(now, after, BEYOND_NOISE)[2]:
        return found, alpha
    found = replace(
        found,
        theta=theta[keep],
        lam=float(path.lams[place]),
        value=float(path.values[place]),
        errors=path.errors[place],
        accepted=True,
        widest=True,
    )
    return found, lam


def widest(kernels: Sequence[Any], keep: Array) -> Array:
    """The kernels that stay, a mask (p,).

    Of every set of columns that has Gaussians whose width is a multiple of the median
    distance, the widest of these; of other columns all. Kernels of other types stay:
    they may know more than the numbers in their columns.
    """
    groups: dict[Any, list[int]] = {}
    for j, kernel in enumerate(kernels):
        if keep[j] and type(kernel) in OF_NUMBERS:
            columns = kernel.columns_
            groups.setdefault(None if columns is None else tuple(columns), []).append(j)
    mask = np.array(keep)
    for members in groups.values():
        relative = [j for j in members if _relative(kernels[j])]
        if relative:
            mask[members] = False
            mask[max(relative, key=lambda j: kernels[j].factor)] = True
    return mask


def _relative(kernel: Any) -> bool:
    return type(kernel) is RBF and kernel.gamma == "median" and kernel.scale != "rank"
