"""What every `fit` does: check the parameters first, leave all or nothing, and warn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..arrays import TooLarge
from ..solution import Solution, Status
from ..stacklevel import outside
from .parameters import check_parameters


def whole(fit: Callable[..., Any]) -> Callable[..., Any]:
    """`fit`, after which the estimator is fitted, or on any error what it was before.

    A fit sets attributes one after the other and changes none of them in place, so the
    old ones together are the old estimator. An interruption is an error too.
    """

    @wraps(fit)
    def guarded(self: Any, *arguments: Any, **options: Any) -> Any:
        before = vars(self).copy()
        try:
            check_parameters(self)
            return fit(self, *arguments, **options)
        except BaseException as error:
            rows = vars(self).get("_n")
            vars(self).clear()
            vars(self).update(before)
            if isinstance(error, MemoryError) and not isinstance(error, TooLarge):
                raise TooLarge(_remedy(self, rows, str(error))) from error
            raise

    return guarded


def _remedy(estimator: Any, rows: int | None, error: str) -> str:
    """What to do where memory ends. NumPy's error tells the bytes of one array."""
    size = ""
    if rows is not None:
        gigabytes = 8 * rows**2 / 1e9
        size = f": a Gram matrix of {rows} rows takes {gigabytes:.3g} GB"
    return (
        f"{type(estimator).__name__} ran out of memory{size}{error and f' ({error})'}. "
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
