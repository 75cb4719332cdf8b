"""The methods that `accuracy.py` compares, each as an estimator for a data set."""

from __future__ import annotations

from typing import Any

import numpy as np
from accuracy_sets import DataSet
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import Kernel, Linear, number_kernels, rbf_grid

# What the automatic mode had before: Yan's norms, and λ from 4⁻⁵ to 4⁴.
NORMS = (1, *(1 + 2.0**-k for k in range(6, 0, -1)), 2, 3, 4, 8, 1e6)
ALPHAS = tuple(4.0**k for k in range(-5, 5))
RIVALS = ("svc", "linear", "forest", "boosting", "stacking")
OURS = ("average", "plain", "former")
AUTOMATIC = ("automatic",)
NUMBER_RIVALS = ("svr", "forest", "boosting", "gp")


def former_kernels(data: DataSet) -> list[Kernel]:
    """Five RBF widths and a linear kernel a view, on standardised columns."""
    kernels: list[Kernel] = []
    for view, columns in data.views.items():
        prefix = f"{view}: "
        kernels += rbf_grid(columns=columns, prefix=prefix, scale=True)
        kernels.append(Linear(columns, f"{prefix}linear", scale=True))
    return kernels


def view_kernels(data: DataSet) -> list[Kernel] | None:
    """What the automatic mode takes: its own choice, or `number_kernels` a view."""
    if len(data.views) == 1:
        return None
    pairs = data.views.items()
    return [k for view, place in pairs for k in number_kernels(place, f"{view}: ")]


def methods(data: DataSet) -> tuple[str, ...]:
    """The names of the rivals that a data set has."""
    if data.numbers:
        return (*AUTOMATIC, *NUMBER_RIVALS, *OURS)
    several = len(data.views) > 1
    return (*AUTOMATIC, *(RIVALS if several else RIVALS[:-1]), *OURS)


def make(method: str, data: DataSet) -> Any:
    """The unfitted estimator."""
    if method == "automatic":
        chosen = MKLRidgeCV if data.numbers else MKLDiscriminantAnalysisCV
        return chosen(view_kernels(data))
    if method == "calibrated":
        return CalibratedClassifierCV(make("automatic", data))
    if method in OURS:
        kernels = former_kernels(data)
        plain, chosen = (
            (MKLRidge, MKLRidgeCV)
            if data.numbers
            else (MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV)
        )
        if method == "plain":
            return plain(kernels)
        norms = NORMS if method == "former" else [1e6]
        return chosen(kernels, norms=norms, alphas=ALPHAS)
    return _numbers(method, data) if data.numbers else _classes(method, data)


def _classes(method: str, data: DataSet) -> Any:
    d = data.X.shape[1]
    if method == "svc":
        grid = {
            "svc__C": [0.1, 1, 10, 100],
            "svc__gamma": [f / d for f in (1 / 16, 1 / 4, 1, 4)],
        }
        return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid)
    if method == "linear":
        machine = LinearSVC(dual="auto", max_iter=2000)
        grid = {"linearsvc__C": 10.0 ** np.arange(-4, 2)}
        return GridSearchCV(make_pipeline(StandardScaler(), machine), grid)
    if method == "forest":
        return RandomForestClassifier(500, random_state=0)
    if method == "boosting":
        return HistGradientBoostingClassifier(random_state=0)
    assert method == "stacking", method
    single = []
    for view, columns in data.views.items():
        part = make_column_transformer((StandardScaler(), columns))
        machine = GridSearchCV(SVC(), {"C": [1, 10, 100]}, cv=3)
        single.append((view, make_pipeline(part, machine)))
    return StackingClassifier(single, LogisticRegression(max_iter=2000))


def _numbers(method: str, data: DataSet) -> Any:
    d = data.X.shape[1]
    if method == "forest":
        return RandomForestRegressor(500, random_state=0)
    if method == "boosting":
        return HistGradientBoostingRegressor(random_state=0)
    if method == "svr":
        grid = {
            "svr__C": [0.1, 1, 10, 100],
            "svr__gamma": [f / d for f in (1 / 16, 1 / 4, 1, 4)],
            "svr__epsilon": [0.03, 0.1, 0.3],
        }
        machine = GridSearchCV(make_pipeline(StandardScaler(), SVR()), grid)
        return TransformedTargetRegressor(machine, transformer=StandardScaler())
    assert method == "gp", method
    lengths = RBF(np.full(d, np.sqrt(d)), (1e-2, 1e4))
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * lengths + WhiteKernel(0.1, (1e-6, 1e2))
    machine = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    return make_pipeline(StandardScaler(), machine)
