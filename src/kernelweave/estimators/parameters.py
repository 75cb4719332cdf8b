"""What the parameters of the estimators may be, by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from ..checks import (
    count,
    instance,
    not_negative,
    numbers,
    one_of,
    positive,
    share,
    shown,
    weights_of_classes,
    yes_or_no,
)
from ..grams.normalise import NORMALIZATIONS
from ..kernels import FunctionKernel, Kernel


def check_parameters(estimator: Any) -> None:
    """Raise a ValueError for a parameter that cannot be.

    Where estimators differ in what a name may be, `_checks` of the class tells. What
    depends on the data, or on another parameter, is seen where it is used.
    """
    for name, default, check in _checked(type(estimator)):
        value = getattr(estimator, name)
        if value is not default:
            check(name, value)


@cache
def _checked(estimator: type) -> list[tuple[str, Any, Callable[[str, Any], object]]]:
    """Name, default and check of every parameter of an estimator that has a check."""
    checks = _CHECKS | getattr(estimator, "_checks", {})
    found = inspect.signature(estimator).parameters.values()
    return [(p.name, p.default, checks[p.name]) for p in found if p.name in checks]


def _unless_none(check: Callable[..., object], name: str, value: Any) -> None:
    if value is not None:
        check(name, value)


_SET = "a set of kernelweave.weights such as Simplex()"
_SOLVER = "one of kernelweave.solvers such as Newton()"

_CHECKS: dict[str, Callable[[str, Any], object]] = {
    "kernels": lambda _, value: checked_kernels(value),
    "kernel": lambda _, value: checked_kernels(
        value if isinstance(value, str) else [value]
    ),
    "weights": partial(_unless_none, partial(instance, method="support", allowed=_SET)),
    "solver": partial(
        _unless_none, partial(instance, method="iterates", allowed=_SOLVER)
    ),
    "normalize": partial(one_of, choices=NORMALIZATIONS),
    "center": yes_or_no,
    "tol": not_negative,
    "max_iter": count,
    # True is 1, and usual.
    "verbose": lambda name, value: count(
        name, int(value) if value is True else value, 0
    ),
    "alpha": partial(positive, word="learn"),
    "C": partial(positive, word="learn"),
    "class_weight": weights_of_classes,
    "loss": partial(one_of, choices=("hinge", "squared_hinge")),
    "epsilon": not_negative,
    "nu": share,
    "multiclass": partial(one_of, choices=("shared", "per_class")),
    "scatter": partial(one_of, choices=("total", "within")),
    "multiclass_sdp": partial(one_of, choices=("exact", "approximate")),
    "norms": partial(_unless_none, partial(numbers, least=1)),
    "alphas": numbers,
    "vs": partial(numbers, least=0, most=1),
    "Cs": numbers,
    "formulation": partial(one_of, choices=("deformed", "tied")),
    "gamma_A": positive,
    "gamma_I": not_negative,
    "n_neighbors": count,
    "n_components": partial(_unless_none, count),
    "graph": partial(one_of, choices=("binary", "heat")),
    "normalized": yes_or_no,
    "balance": yes_or_no,
    "weights_per_target": yes_or_no,
}


def checked_kernels(kernels: Any) -> list[Kernel]:
    """The list of kernels that was given, if it is one; empty for "precomputed"."""
    if isinstance(kernels, str) and kernels == "precomputed":
        return []
    if isinstance(kernels, str) or not hasattr(kernels, "__iter__"):
        raise ValueError(
            "kernels must be None, 'precomputed' or a list of kernels such as "
            f"[RBF(gamma=0.1), Linear()], got {shown(kernels)}"
        )
    kernels = list(kernels)
    if not kernels:
        raise ValueError(
            "kernels is an empty list: give at least one kernel, or None for the "
            "default family"
        )
    for j, kernel in enumerate(kernels):
        if callable(kernel) and not isinstance(kernel, Kernel | type):
            kernels[j] = FunctionKernel(kernel)
        elif not isinstance(kernel, Kernel):
            raise ValueError(
                f"kernels[{j}] is {shown(kernel)}, which is no kernel of "
                "kernelweave.kernels; wrap a Gram matrix as Precomputed(K)"
            )
    return kernels
