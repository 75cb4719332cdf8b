"""Weights and alpha that predict best, by exact leave-one-out."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..checks import numbers
from ..fitted.features import FeatureData
from ..fitted.grams import GramData
from ..grams import DenseStack
from ..grams.normalise import is_centred
from ..grams.stored import stored_stack
from ..kernels import AnisotropicRBF
from ..kernels.fitting import fit_kernels
from ..problem import Array
from ..reporting import reporter
from ..selection.choice import Choice
from ..selection.descent import Descent, descend_on
from ..selection.left_out_error import FoldErrors, LeftOutError, SampleErrors
from ..selection.results import grid_results
from ..selection.ridge_path import SMALLEST, RidgePath, along_ridge, ridge_path
from ..selection.widths import LearnedWidths, learn_widths, worth_learning

# What the kernel of lengthscales is called.
LENGTHSCALES = "rbf, a lengthscale a column"


def learn_to_predict(
    model: Any, data: Any, H: Array | None, lengthscales: bool = False
) -> tuple[Any, Choice, Descent | LearnedWidths]:
    """Equal weights with the best λ, then weights and λ by descent on left-out errors.

    H (n, k) are the targets; those of `FeatureData` are in its sums, and its samples
    are left out by folds. `lengthscales`: whether a kernel with one lengthscale a
    column joins the others, if the rows are many enough to learn them and left-out
    samples speak for it. The data come back, with that kernel perhaps; the choice is
    that of λ at equal weights.
    """
    began = time.perf_counter()
    keep = model._kept(data)
    start = np.full(int(np.sum(keep)), 1 / np.sum(keep))
    with reporter() as tell:
        error, path, total = _left_out(model, data, keep, H, start)
        tell(1, 3, "choosing alpha")
        found = descend_on(error, start, path.lam)
        tell(2, 3, "learning weights by leave-one-out")
        if lengthscales and model.center and model.normalize == "variance":
            data, keep, found = _with_lengthscales(model, data, keep, H, found)
        tell(3, 3, "learning weights by leave-one-out")
    theta = np.zeros(len(keep))
    theta[keep] = found.theta
    choice = _choice(path, total, found, time.perf_counter() - began)
    return data, choice, replace(found, theta=theta)


def _left_out(
    model: Any, data: Any, keep: Array, H: Array | None, start: Array
) -> tuple[LeftOutError, RidgePath, float]:
    """The left-out error, its path over λ at the start, and that of the mean alone."""
    lams = numbers("alphas", model.alphas)
    gram = data.stack.subset(keep)
    if isinstance(data, FeatureData):
        total = float(np.sum(data.reduced.H**2))
        error = FoldErrors(data.held_out(), keep, data.n, total)
        least = SMALLEST * float(start @ gram.traces) / data.n
        path = along_ridge(lambda lam: error.errors(start, lam), lams, least)
        return error, path, total
    assert H is not None
    K = gram.combine(start)
    # Matrices that come centred tell a left-out target by their centring.
    intercept = model.center or bool(is_centred(K.sum(), np.trace(K)))
    path = ridge_path(K, H, lams, intercept, data.v)
    total = squares_about_mean(H, data.v)
    return SampleErrors(gram, H, intercept, data.v), path, total


def _with_lengthscales(
    model: Any, data: Any, keep: Array, H: Any, found: Descent
) -> tuple[Any, Array, Descent | LearnedWidths]:
    """The same with a kernel of lengthscales, if that is better beyond its noise."""
    if not isinstance(data, GramData):
        return data, keep, found
    X: Any = data.X
    stack: Any = data.stack
    plain = isinstance(X, np.ndarray) and isinstance(stack, DenseStack)
    if not plain or not worth_learning(data.n, X.shape[1]) or np.isnan(X).any():
        return data, keep, found
    kernel = AnisotropicRBF(scale=True, name=LENGTHSCALES).fit(X, centred=True)
    rows = kernel.select(X)
    gram = stack.subset(keep)
    better = learn_widths(gram, H, found.theta, found.lam, [kernel], [rows], v=data.v)
    if not better.accepted:
        return data, keep, found
    fitted = fit_kernels([kernel.learned(better.widths[0])], X, X, True)
    extra, statistics = stored_stack(fitted, X, "variance", True)
    matrices = np.concatenate([stack.matrices, extra.matrices])
    data = replace(
        data,
        names=[*data.names, LENGTHSCALES],
        kernels=[*(data.kernels or []), *fitted],
        stack=DenseStack(matrices),
        statistics=[*data.statistics, *statistics],
        alive=np.append(data.alive, True),
    )
    return data, np.append(keep, True), better


def squares_about_mean(H: Array, v: Array | None) -> float:
    """Σ_i v_i‖h_i − h̄‖², h̄ the weighted mean; one where that is zero."""
    v = np.ones(len(H)) if v is None else v
    return float(np.sum(v @ (H - v @ H / v.sum()) ** 2)) or 1.0


def _choice(path: RidgePath, total: float, found: Any, seconds: float) -> Choice:
    """λ along the path of equal weights, as `cv_results_` has it."""
    total = total or 1.0
    scores = 1 - path.values / total
    norms = np.full(len(path.lams), np.inf)
    each = np.full(len(path.lams), seconds / len(path.lams))
    grid = {"norm": norms, "alpha": path.lams}
    results = grid_results(grid, scores[None], 0 * each, each, None)
    return Choice(np.inf, found.lam, 1 - found.value / total, path.best, results)


def predicts(model: Any) -> bool:
    """Whether the parameters ask for the best prediction, not for a grid of norms."""
    return model.norms is None and model.cv is None and model.scoring is None


def words(found: Descent | LearnedWidths) -> str:
    """What was learned, and what it is worth, in plain words."""
    share = 1 - found.value / found.start_value
    if not found.accepted:
        return (
            "Equal weights: no other weights were seen to predict left-out samples "
            "better, beyond the noise of doing so."
        )
    return (
        f"Weights that predict left-out samples better than equal ones, by {share:.1%} "
        "of their squared error: a local optimum of leave-one-out, which nothing "
        "proves to be the best."
    )
