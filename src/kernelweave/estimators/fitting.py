"""What every `fit` does: check the parameters first, leave all or nothing, and warn."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..arrays import TooLarge
from ..solution import Solution, Status
from ..stacklevel import outside
from .parameters import check_parameters


@contextmanager
def fitting(model: Any, anew: bool = True) -> Iterator[None]:
    """Inside, a model is fitted; after any error it is what it was before.

    A fit sets attributes one after the other and changes none of them in place, so the
    old ones together are the old estimator. An interruption is an error too. `anew`:
    nothing of an earlier fit, of another kind perhaps, stays.
    """
    before = vars(model).copy()
    try:
        check_parameters(model)
        for name in before if anew else ():
            learned = name.endswith("_") and not name.startswith("_")
            if learned or name in ("_fitted", "_sums"):
                delattr(model, name)
        yield
    except BaseException as error:
        rows = vars(model).get("n_samples_fit_")
        vars(model).clear()
        vars(model).update(before)
        if isinstance(error, MemoryError) and not isinstance(error, TooLarge):
            raise TooLarge(_remedy(model, rows, str(error))) from error
        raise


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
