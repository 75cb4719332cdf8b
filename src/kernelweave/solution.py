"""What `solve` returns: an answer with its proof, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from .problem import Array


class Status(Enum):
    """Why the loop ended.

    Examples
    --------
    >>> Status.OPTIMAL.value
    'the relative duality gap is within the tolerance'
    """

    OPTIMAL = "the relative duality gap is within the tolerance"
    MAX_ITER = "the limit on iterations was reached"
    TIME_LIMIT = "the time limit was reached"
    STALLED = "the solver could make no further progress"
    STOPPED = "the callback asked to stop"
    INTERRUPTED = "interrupted from the keyboard"
    NOT_FINITE = "the solver came to numbers that are NaN or infinite"
    CONTRADICTED = "the bounds contradict each other: rounding is larger than the gap"


@dataclass(frozen=True)
class Certificate:
    """dual ≤ optimum ≤ primal: the proof that comes with every answer.

    Examples
    --------
    >>> certificate = Certificate(primal=10.01, dual=10.0)
    >>> print(f"{certificate.relative_gap:.4f}")
    0.0010
    """

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """`(F − D) / max(|F|, |D|)`; zero when both bounds are zero.

        Infinite while one of them is missing.
        """
        scale = max(abs(self.primal), abs(self.dual))
        if np.isinf(scale):
            return np.inf
        return self.gap / scale if scale > 0 else 0.0


@dataclass(frozen=True)
class TraceRow:
    """D ≤ min F ≤ F, the bounds proved after one iteration, and when.

    Attributes
    ----------
    seconds : float
        Since the start of the loop.
    certificate : Certificate
    """

    seconds: float
    certificate: Certificate


@dataclass(frozen=True)
class Solution:
    """The answer of `solve`.

    Attributes
    ----------
    weights : ndarray (p,)
        θ at the smallest F(θ) seen.
    A : ndarray (n, k)
        The inner maximiser at these weights: the coefficients of the prediction.
    bias : ndarray (k,)
    dual_A : ndarray (n, k)
        The point that proves the lower bound. Cutting planes have another one
        than `A`.
    certificate : Certificate
    status : Status
    trace : tuple of TraceRow
        One an iteration.
    n_iter : int
        Length of the trace.
    converged : bool
        Whether the status is OPTIMAL.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> model = MKLDiscriminantAnalysis().fit(*load_iris(return_X_y=True))
    >>> model.solution_.converged, model.solution_.status.name
    (True, 'OPTIMAL')
    """

    weights: Array
    A: Array
    bias: Array
    dual_A: Array
    certificate: Certificate
    status: Status
    trace: tuple[TraceRow, ...]

    # Files keep the name of the status: skops knows no enumerations, and names outlive
    # their explanations.
    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"status": self.status.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, status=Status[state["status"]])

    @property
    def n_iter(self) -> int:
        return len(self.trace)

    @property
    def converged(self) -> bool:
        return self.status is Status.OPTIMAL


def uninterrupted(solution: Solution) -> Solution:
    """The solution of a part of longer work, which an interruption ends as a whole.

    `solve` survives a KeyboardInterrupt; here it is raised again, for the outermost
    loop, the only one that knows what the best so far is.
    """
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return solution
