"""The widest Gaussian alone in the place of several kernels on the same columns.

Squared left-out errors reward a kernel for every target that it brings nearer, classes
only for those that change side. Where the borders between classes are smooth, narrow
kernels and those of ranks lower the squares and blur the borders: then the widest
Gaussian alone has fewer left-out samples on the wrong side. Views that kernels are
named for keep a kernel of each of their columns.
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
from ..selection.ridge_path import FOR_CLASSES, decompose, finely
from ..views import view_of
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
    losses: ClassLosses,
    intercept: bool,
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
    losses : ClassLosses
    intercept : bool
        As in `leave_out`.
    lams : sequence of float
    before : (Descent, float, ndarray (n,))
        What was found, its λ of classes and its log-losses there.
    """
    found, alpha, now = before
    mask = np.array(keep)
    if data.kernels is not None:
        mask = widest(data.kernels, keep, data.X.shape[1])
    if np.array_equal(mask, keep):
        return found, alpha
    stack: Any = data.stack
    theta = mask / np.sum(mask)
    K = stack.subset(mask).combine(theta[mask])
    at = decompose(K, losses.H, intercept, losses.v)
    path = at.path(finely(lams))
    place = path.largest(FOR_CLASSES)
    _, lam, after = losses.least_near(at, float(path.lams[place]))
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


def widest(kernels: Sequence[Any], keep: Array, width: int) -> Array:
    """The kernels that stay, a mask (p,).

    Of every view and set of columns that has Gaussians whose width is a multiple of the
    median distance, the widest of these; of others all. Where a Gaussian of the same
    columns has a width of its own, or their scale differs, widths do not compare, and
    all stay. So do kernels of types that may know more than the numbers in their
    columns.

    Parameters
    ----------
    kernels : sequence of fitted kernels
    keep : ndarray of bool (p,)
    width : int
        Columns of the table.
    """
    groups: dict[Any, list[int]] = {}
    for j, kernel in enumerate(kernels):
        if keep[j] and type(kernel) in OF_NUMBERS:
            columns = range(width) if kernel.columns_ is None else kernel.columns_
            view = view_of(kernel.label)
            # A kernel whose name begins with no view is called a view of its own.
            named = view if view != kernel.label else None
            groups.setdefault((named, tuple(columns)), []).append(j)
    mask = np.array(keep)
    for members in groups.values():
        gaussians = [j for j in members if _is_gaussian(kernels[j])]
        widths = {(kernels[j].gamma == "median", kernels[j].scale) for j in gaussians}
        if len(widths) == 1 and next(iter(widths))[0]:
            mask[members] = False
            mask[max(gaussians, key=lambda j: kernels[j].factor)] = True
    return mask


def _is_gaussian(kernel: Any) -> bool:
    """Of the numbers themselves, not of their ranks."""
    return type(kernel) is RBF and kernel.scale != "rank"
