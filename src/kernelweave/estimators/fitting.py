"""What every `fit` does: check parameters, join rows, leave all or nothing, warn."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sklearn.exceptions import ConvergenceWarning

from ..arrays import TooLarge
from ..checks import (
    count,
    instance,
    not_negative,
    numbers,
    one_of,
    penalty,
    positive,
    share,
    shown,
    weights_of_classes,
    yes_or_no,
)
from ..frames import only_by_place
from ..grams.normalise import NORMALIZATIONS
from ..kernels import FunctionKernel, Kernel
from ..solution import Solution, Status
from ..stacklevel import outside
from .joining import joining

M = TypeVar("M")
P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(
    fit: Callable[Concatenate[M, P], R], anew: bool = True
) -> Callable[Concatenate[M, P], R]:
    """`fit` that checks the parameters first, and after an error leaves what there was.

    Where estimators differ in what a parameter may be, `_checks` of the class tells.
    What depends on the data, or on another parameter, is seen where it is used.

    A fit sets attributes one after the other and changes none of them in place, so the
    old ones together are the old estimator. An interruption is an error too. `anew`:
    nothing of an earlier fit, of another kind perhaps, stays.

    Targets, weights and groups of a `fit` are joined to X by index: see `joining`.
    """
    joins = joining(fit) if fit.__name__ == "fit" else None

    @wraps(fit)
    def fit_or_restore(model: M, *args: P.args, **options: P.kwargs) -> R:
        before = vars(model).copy()
        try:
            kind: Any = type(model)
            checks = _CHECKS | kind._checks
            for name, parameter in inspect.signature(kind).parameters.items():
                value = getattr(model, name)
                unsaid = value is parameter.default
                if value is None and name in _MAY_BE_NONE:
                    unsaid = True
                if name in checks and not unsaid:
                    checks[name](name, value)
            for name in before if anew else ():
                learned = name.endswith("_") and not name.startswith("_")
                if learned or name in ("_fitted", "_sums"):
                    delattr(model, name)
            if joins is None or only_by_place(args, options):
                return fit(model, *args, **options)
            return joins(model, *args, **options)
        except BaseException as error:
            rows = vars(model).get("n_samples_fit_")
            vars(model).clear()
            vars(model).update(before)
            if isinstance(error, MemoryError) and not isinstance(error, TooLarge):
                raise TooLarge(_remedy(model, rows, str(error))) from error
            raise

    return fit_or_restore


def _remedy(model: Any, rows: int | None, error: str) -> str:
    """What to do where memory ends. NumPy's error tells the bytes of one array."""
    size = ""
    if rows is not None:
        gigabytes = 8 * rows**2 / 1e9
        size = f": a Gram matrix of {rows} rows takes {gigabytes:.3g} GB"
    return (
        f"{type(model).__name__} ran out of memory{size}{error and f' ({error})'}. "
        "Fit fewer rows, or use MKLDiscriminantAnalysis, MKLRidge or "
        "MKLSVC(loss='squared_hinge') with kernels that have features, such as "
        "Nystroem(RBF(), n_components=200), which need no such matrix"
    )


def warn_if_unproved(
    name: str, solution: Solution, tol: float, softer: str, remedy: str
) -> None:
    """Say what the proof lacks of a solution that did not converge, and what to do.

    `softer` is what makes the problem easier, `remedy` all that an open gap may mean.
    """
    if solution.converged:
        return
    ending, gap = solution.status.value, solution.certificate.relative_gap
    if solution.status is Status.CONTRADICTED:
        message = (
            f"{name}: {ending}. They do by {-gap:.1e} of their size, so nothing is "
            f"proved of the weights; {softer}, or rescale the kernels or columns"
        )
    else:
        message = (
            f"{name} stopped at a relative duality gap of {gap:.1e}, not the tol of "
            f"{tol:.1e}: {ending}. {remedy}"
        )
    warnings.warn(message, ConvergenceWarning, stacklevel=outside())


_SET = "a set of kernelweave.weights such as Simplex()"
_SOLVER = "one of kernelweave.solvers such as Newton()"

# Parameters that may be left open, whatever their default is.
_MAY_BE_NONE = ("weights", "solver", "norms", "n_components")

_CHECKS: dict[str, Callable[[str, Any], object]] = {
    "kernels": lambda _, value: checked_kernels(value),
    "kernel": lambda _, value: checked_kernel(value),
    "weights": partial(instance, method="support", allowed=_SET),
    "solver": partial(instance, method="iterates", allowed=_SOLVER),
    "normalize": partial(one_of, choices=NORMALIZATIONS),
    "center": yes_or_no,
    "tol": not_negative,
    "max_iter": count,
    # verbose=True is usual, and means 1.
    "verbose": lambda name, value: count(
        name, int(value) if value is True else value, 0
    ),
    "alpha": partial(positive, word="learn"),
    "C": partial(penalty, word="learn"),
    "class_weight": weights_of_classes,
    "loss": partial(one_of, choices=("hinge", "squared_hinge")),
    "epsilon": not_negative,
    "nu": share,
    "multiclass": partial(one_of, choices=("shared", "per_class")),
    "scatter": partial(one_of, choices=("total", "within")),
    "multiclass_sdp": partial(one_of, choices=("exact", "approximate")),
    "norms": partial(numbers, least=1),
    "alphas": numbers,
    "vs": partial(numbers, least=0, most=1),
    "Cs": numbers,
    "formulation": partial(one_of, choices=("deformed", "tied")),
    "gamma_A": positive,
    "gamma_I": not_negative,
    "n_neighbors": count,
    "n_components": count,
    "graph": partial(one_of, choices=("binary", "heat")),
    "normalized": yes_or_no,
    "weights_per_target": yes_or_no,
    "balance": yes_or_no,
    "store_covariance": yes_or_no,
}


def checked_kernels(kernels: Any) -> list[Kernel]:
    """The list of kernels that was given, if it is one; empty for "precomputed"."""
    if isinstance(kernels, str) and kernels == _GIVEN:
        return []
    if isinstance(kernels, str) or not hasattr(kernels, "__iter__"):
        raise ValueError(
            "kernels must be None, 'precomputed' or a list of kernels, or of functions "
            f"of two tables, such as [RBF(gamma=0.1), Linear()], got {shown(kernels)}"
            + (f": for one kernel pass [{one}]" if (one := _meant(kernels)) else "")
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
                f"kernelweave.kernels: {_instead(kernel)}"
            )
    return kernels


_GIVEN = "precomputed"

# What kernels are called in scikit-learn, whose SVC takes these names.
_KERNEL_NAMES = {
    "chi2": "ChiSquared()",
    "cosine": "Cosine()",
    "laplacian": "Laplacian()",
    "linear": "Linear()",
    "poly": "Polynomial()",
    "polynomial": "Polynomial()",
    "precomputed": "Precomputed(K)",
    "rbf": "RBF()",
    "sigmoid": "Sigmoid()",
}


def checked_kernel(kernel: Any) -> None:
    """Refuse what is neither one kernel nor "precomputed"."""
    if isinstance(kernel, Kernel) or (isinstance(kernel, str) and kernel == _GIVEN):
        return
    if isinstance(kernel, type) or not callable(kernel):
        raise ValueError(
            "kernel must be 'precomputed', a kernel such as RBF(gamma=0.1) or a "
            f"function of two tables, got {shown(kernel)}: {_instead(kernel)}"
        )


def _instead(kernel: Any) -> str:
    """What to pass in the place of what is no kernel."""
    meant = _meant(kernel)
    return f"pass {meant}" if meant else "wrap a Gram matrix as Precomputed(K)"


def _meant(kernel: Any) -> str | None:
    """The kernel that was meant, as it is written, if that can be guessed."""
    if isinstance(kernel, str):
        return _KERNEL_NAMES.get(kernel.lower())
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        return f"{kernel.__name__}()"
    if isinstance(kernel, Kernel):
        return shown(kernel)
    if callable(kernel):
        name = getattr(kernel, "__name__", "")
        return name if name.isidentifier() else "function"
    return None
