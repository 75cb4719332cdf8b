"""Which estimator solves a task, with the weights that --norm asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from .target import SURVIVAL
from .task import SEMI


def make_estimator(task: str, norm: str | None, kernels: Any) -> Any:
    """The estimator for a task, with the set of weights that a norm stands for.

    Parameters
    ----------
    task : str
        As in `Task`.
    norm : str, optional
        "1", a larger number, "elastic:v" with 0 ≤ v ≤ 1, or "auto": chosen together
        with alpha by leave-one-out. The default is "auto" where there is a choice.
    kernels
        As the estimators take them.
    """
    from .. import estimators

    if norm is None:
        norm = "1" if task == SEMI else "auto"
    if norm == "auto":
        if task == SEMI:
            raise ValueError(
                "--norm auto chooses by leaving out labelled rows, of which --task "
                f"{SEMI} has few: choose one, such as --norm 1"
            )
        return _automatic(task)(kernels)
    weights = weight_set(norm)
    if task == SURVIVAL:
        return estimators.MKLCoxRegression(kernels, weights)
    if task == "count":
        return estimators.MKLPoissonRegressor(kernels, weights)
    if task == "probability":
        return estimators.MKLLogisticRegression(kernels, weights)
    if task == SEMI:
        return estimators.LaplacianMKLSVC(kernels, weights, metric="kernels")
    if task == "regress":
        return estimators.MKLRidge(kernels, weights)
    return estimators.MKLDiscriminantAnalysis(kernels, weights)


def _automatic(task: str) -> Any:
    """The estimator that chooses its weights and alpha itself."""
    from .. import estimators

    return {
        "classify": estimators.MKLDiscriminantAnalysisCV,
        "regress": estimators.MKLRidgeCV,
        "probability": estimators.MKLLogisticRegressionCV,
        "count": estimators.MKLPoissonRegressorCV,
        SURVIVAL: estimators.MKLCoxRegressionCV,
    }[task]


def set_class_weight(model: Any, class_weight: str | None, task: str) -> None:
    """Set what --class-weight says, where the estimator has such a parameter."""
    if class_weight is None:
        return
    if "class_weight" not in model.get_params():
        what = {
            SEMI: "classes of few labelled samples",
            SURVIVAL: "events and times",
        }.get(task, "numbers")
        raise ValueError(
            f"--class-weight is for --task classify; --task {task} is about {what}, "
            f"and {type(model).__name__} has no weights of classes"
        )
    model.set_params(class_weight=class_weight)


def weight_set(norm: str) -> Any:
    """The set of weights that the text of --norm stands for."""
    from ..weights import ElasticNet, LpBall, Simplex

    kind, colon, number = norm.rpartition(":")
    try:
        value = float(number)
    except ValueError:
        value = np.nan
    if kind == "elastic" and 0 <= value <= 1:
        return ElasticNet(value)
    if not colon and value == 1:
        return Simplex()
    if not colon and value > 1:
        return LpBall(value)
    raise ValueError(
        f"--norm {norm}: write 1 (few kernels), a larger number such as 2 (many), "
        "elastic:0.5 (between 0 and 1), or auto"
    )
