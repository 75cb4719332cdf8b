"""Seconds to learn, with the solvers of the paper and with Newton (Table 16, Figure 1).

The paper: SeDuMi for SDP, MOSEK for QCQP, MATLAB's linprog inside SILP, one computer of
its time. Here: SCS, Clarabel and HiGHS, through cvxpy and SciPy; so the ratios between
the rows are what can be compared. A row of cross-validation is the whole choice of
kernel and parameter.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable

from sklearn.exceptions import ConvergenceWarning

from kernelweave.methods import METHODS
from kernelweave.solvers import QCQP, SDP

from ..table import Cell
from .protocol import EPSILON, RIVALS
from .rivals import cross_validate
from .tasks import Task

# Printed name → rows of METHODS for two classes and for several.
PAPER = {
    "SDP_θ": ("ye2008-sdp", "ye2008-sdp-approximate"),
    "SDP_θ,λ": ("ye2008-sdp-lambda", "ye2008-sdp-approximate-lambda"),
    "QCQP_θ": ("ye2008-qcqp", "ye2008-qcqp"),
    "QCQP_θ,λ": ("ye2008-qcqp-lambda", "ye2008-qcqp-lambda"),
    "SILP_θ": ("ye2008-silp", "ye2008-silp"),
    "SILP_θ,λ": ("ye2008-silp-lambda", "ye2008-silp-lambda"),
    "Newton_θ": ("ye2008", "ye2008"),
    "Newton_θ,λ": ("ye2008-lambda", "ye2008-lambda"),
}
SIX = ("QCQP_θ", "QCQP_θ,λ", "SILP_θ", "SILP_θ,λ", "RKDA_K,λ", "SVM_K,C")
ALL = (*PAPER, *RIVALS)
# Rows of the matrix inequality, and numbers in the quadratic constraints, beyond which
# the conic solvers take longer than half an hour, or more memory than there is.
SDP_ROWS, QCQP_NUMBERS = 250, 1_500_000


def seconds(task: Task, methods: Iterable[str] = ALL) -> dict[str, float]:
    """How long each method takes; programs beyond the limits above are left out."""
    return {name: _seconds(task, name) for name in methods if _within_reach(task, name)}


def time_cells(name: str, task: Task, methods: Iterable[str] = ALL) -> list[Cell]:
    """The column of a data set."""
    return [Cell(row, name, value) for row, value in seconds(task, methods).items()]


def _within_reach(task: Task, name: str) -> bool:
    n, k = len(task.y), task.n_classes
    if name.startswith("SDP"):
        return n + k <= SDP_ROWS
    if name.startswith("QCQP"):
        return len(task.K) * n**2 * (k - 1) <= QCQP_NUMBERS
    return True


def _seconds(task: Task, name: str) -> float:
    if name in RIVALS:
        began = time.perf_counter()
        cross_validate(RIVALS[name], task)
        return time.perf_counter() - began
    method = METHODS[PAPER[name][task.n_classes > 2]]
    changes = {"solver": SDP(max_size=SDP_ROWS)} if name.startswith("SDP") else {}
    if name.startswith("QCQP"):
        changes = {"solver": QCQP(max_size=QCQP_NUMBERS)}
    estimator = method.estimator("precomputed", tol=EPSILON, **changes)
    with warnings.catch_warnings():
        # A conic solver has one answer; how far it is off is not the question here.
        warnings.simplefilter("ignore", ConvergenceWarning)
        began = time.perf_counter()
        estimator.fit(task.K, task.y)
        return time.perf_counter() - began
