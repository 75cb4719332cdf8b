"""The main job on data that ship with scikit-learn: digits in several views."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from .estimators import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis
from .kernels import RBF, Kernel, Linear
from .weights import Fixed


def digit_views() -> tuple[dict[str, NDArray[np.float64]], NDArray[np.int_]]:
    """Five descriptions of 1797 images of 8×8 pixels, and the digits.

    The last view is noise: a method that learns the weights should leave it out.
    """
    images, digits = load_digits(return_X_y=True)
    n = len(digits)
    images = images.reshape(n, 8, 8)
    dy, dx = np.gradient(images, axis=(1, 2))
    strength = np.hypot(dx, dy)
    direction = np.floor(np.arctan2(dy, dx) / (2 * np.pi) * 8).astype(int) % 8
    cells = [
        (strength * (direction == d)).reshape(n, 2, 4, 2, 4).sum(axis=(2, 4))
        for d in range(8)
    ]
    views = {
        "pixels": images.reshape(n, -1),
        "gradients": np.stack(cells, axis=-1).reshape(n, -1),
        "profiles": np.hstack([images.sum(axis=1), images.sum(axis=2)]),
        "spectrum": np.abs(np.fft.rfft2(images)).reshape(n, -1),
        "noise": np.random.default_rng(0).normal(size=(n, 20)),
    }
    return views, digits


def view_kernels(views: dict[str, NDArray[np.float64]]) -> list[Kernel]:
    """An RBF and a linear kernel on the columns of each view, side by side."""
    kernels: list[Kernel] = []
    first = 0
    for name, view in views.items():
        columns = slice(first, first + view.shape[1])
        first += view.shape[1]
        kernels.append(RBF(columns=columns, name=f"{name} rbf"))
        kernels.append(Linear(columns=columns, name=f"{name} linear"))
    return kernels


@dataclass(frozen=True)
class DemoResult:
    """What the demo prints."""

    model: MKLDiscriminantAnalysis
    seconds: float
    accuracy: float
    average: float
    single: NDArray[np.float64]
    n_train: int
    n_test: int


def run_demo(progress: Callable[[str], None] = lambda message: None) -> DemoResult:
    """Fit, and compare with the plain average and with each kernel alone."""
    progress("making five views of the digits")
    views, digits = digit_views()
    train, test, y, y_test = train_test_split(
        np.hstack(list(views.values())),
        digits,
        train_size=600,
        stratify=digits,
        random_state=0,
    )
    scaler = StandardScaler().fit(train)
    X, X_test = scaler.transform(train), scaler.transform(test)
    kernels = view_kernels(views)
    progress("learning the weights of ten kernels")
    began = time.perf_counter()
    model = MKLDiscriminantAnalysis(kernels).fit(X, y)
    seconds = time.perf_counter() - began
    progress("fitting the average and each kernel alone")
    average = MKLDiscriminantAnalysis(kernels, weights=Fixed()).fit(X, y)
    single = [
        KernelDiscriminantAnalysis(kernel).fit(X, y).score(X_test, y_test)
        for kernel in kernels
    ]
    return DemoResult(
        model,
        seconds,
        float(model.score(X_test, y_test)),
        float(average.score(X_test, y_test)),
        np.array(single),
        len(y),
        len(y_test),
    )
