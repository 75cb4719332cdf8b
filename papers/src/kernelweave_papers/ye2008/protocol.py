"""One split of one data set with the methods of Tables 2 to 15.

The programs (8), (13) and (16) have one optimum, and so have (41), (43) and (44), and
(34) and (37), and (46) and (47); every optimum is computed once, by Newton's method,
but for the rows of SILP, which go as far as the paper's ε = 5e-4. With several classes
the rows of SDP are the approximation (32) and (45).

What the coefficients of the printed tables are:

    discriminants    θ_jr_j, which add up to one, λ learned counting as θ_0r_0
    SDP_Kim          θ_j of kernels with k(x, x) = 1, adding up to one
    SM1, SM2         θ_j of the same kernels, adding up to p = 10
    SM2_C            the same, with 1/C, adding up to p + 1

The print says so of the first; the others are what the printed numbers add up to, and
what Lanckriet et al. (2004), whose trace is that of all kernels together, ask for.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelweave.grams.normalise import normalise
from kernelweave.methods import METHODS
from kernelweave.problem import Array

from ..table import Cell
from .projection import Discriminant, nearest
from .rivals import Chosen, choose, rkda, svm
from .tasks import Task

LAMBDA, KIM_LAMBDA, PENALTY, EPSILON = 5e-4, 1e-8, 1.0, 5e-4
SPLITS = 30

# Printed name → the row of METHODS that has the same optimum, and its tolerance.
TOL = 1e-5
DISCRIMINANTS = {
    "SDP_θ": ("ye2008", TOL),
    "SDP_θ,λ": ("ye2008-lambda", TOL),
    "QCQP_θ": ("ye2008", TOL),
    "QCQP_θ,λ": ("ye2008-lambda", TOL),
    "SILP_θ": ("ye2008-silp", EPSILON),
    "SILP_θ,λ": ("ye2008-silp-lambda", EPSILON),
}
APPROXIMATE = {
    "SDP_θ": ("ye2008-approximate", TOL),
    "SDP_θ,λ": ("ye2008-approximate-lambda", TOL),
}
MACHINES = {"SM1": "ye2008-sm1", "SM2": "ye2008-sm2", "SM2_C": "ye2008-sm2-c"}
RIVALS = {"RKDA_K,λ": rkda, "SVM_K,C": svm}
ALONE = {"RKDA_K,λ": "RKDA_λ", "SVM_K,C": "SVM_C"}
TWELVE = (*DISCRIMINANTS, "SDP_Kim", *MACHINES, *RIVALS)
EIGHT = (*DISCRIMINANTS, *RIVALS)


@dataclass(frozen=True)
class Learned:
    """What a method made of a split.

    Attributes
    ----------
    weights : ndarray (p,)
        In the units of the printed tables.
    regularisation : float
        λ or C, in the same; infinite where 1/C is zero.
    accuracy : float
        Share of the test rows that it gets right.
    vectors : int or None
        Support vectors of a machine.
    gap : float
        Relative duality gap that was proved.
    """

    weights: Array
    regularisation: float
    accuracy: float
    vectors: int | None
    gap: float


def learn(task: Task) -> dict[str, Learned]:
    """The methods that learn weights: all ten for two classes, six for several."""
    out = learn_discriminants(task)
    if task.n_classes == 2:
        out["SDP_Kim"] = learn_kim(task)
        out |= {name: learn_machine(task, name) for name in MACHINES}
    return out


def learn_discriminants(task: Task) -> dict[str, Learned]:
    """The six formulations of the paper, each optimum once."""
    rows = DISCRIMINANTS | (APPROXIMATE if task.n_classes > 2 else {})
    stack, tests = centred(task)
    solved: dict[tuple[str, float], Learned] = {}
    for method, tol in dict.fromkeys(rows.values()):
        estimator = METHODS[method].estimator("precomputed", tol=tol)
        model = estimator.fit(task.K, task.y)
        solved[method, tol] = _tested(task, stack, tests, model)
    return {name: solved[key] for name, key in rows.items()}


def learn_at(
    task: Task, lambdas: tuple[float, ...], method: str = "ye2008"
) -> list[Learned]:
    """Weights learned and tested for every λ of Figures 3 and 4."""
    stack, tests = centred(task)
    estimators = (
        METHODS[method].estimator("precomputed", alpha=lam, tol=TOL) for lam in lambdas
    )
    with warnings.catch_warnings():
        # The paper goes on to λ = 100, for kernels of trace one.
        warnings.filterwarnings("ignore", "alpha=.* is too large")
        return [
            _tested(task, stack, tests, estimator.fit(task.K, task.y))
            for estimator in estimators
        ]


def learn_kim(task: Task) -> Learned:
    """(9) of Kim et al. (2006), with λ = 1e-8 and kernels of trace n."""
    estimator = METHODS["kim2006"].estimator(
        "precomputed", alpha=KIM_LAMBDA, normalize=None, center=False, tol=TOL
    )
    model = estimator.fit(task.K, task.y)
    f, fitted = (
        np.tensordot(model.weights_, K, 1) @ model.dual_coef_
        for K in (task.K_test, task.K)
    )
    accuracy = np.mean(nearest(f, fitted, task.y) == task.y_test)
    gap = model.solution_.certificate.relative_gap
    return Learned(model.weights_, KIM_LAMBDA, float(accuracy), None, gap)


def learn_machine(task: Task, name: str) -> Learned:
    """SM1, SM2 or SM2_C, with kernels whose weights add up to p, or p + 1 with C."""
    method = METHODS[MACHINES[name]]
    total = len(task.K) + method.learn_lambda
    # With C learned the scale of the kernels changes nothing but the unit of 1/C.
    unit = 1.0 if method.learn_lambda else float(total)
    estimator = method.estimator("precomputed", normalize=None, center=False, tol=1e-4)
    model = estimator.fit(unit * task.K, task.y)
    return Learned(
        total * model.weights_,
        model.C_ / total if method.learn_lambda else model.C_,
        float(np.mean(model.predict(unit * task.K_test) == task.y_test)),
        len(model.support_),
        model.solution_.certificate.relative_gap,
    )


def run_split(task: Task) -> list[Cell]:
    """All methods on one split: the cells of one of Tables 2 to 15."""
    binary = task.n_classes == 2
    cells: list[Cell] = []
    for name, result in learn(task).items():
        cells += [Cell(name, f"θ{j + 1}", w) for j, w in enumerate(result.weights)]
        if np.isfinite(result.regularisation):
            heading = "λ/C" if binary else "λ"
            cells.append(Cell(name, heading, result.regularisation))
        cells.append(Cell(name, "accuracy", 100 * result.accuracy))
    for name, classify in RIVALS.items():
        chosen = choose(classify, task)
        cells += _rival_cells(name, chosen)
        if binary:
            cells += [
                Cell(ALONE[name], f"θ{j + 1} accuracy", 100 * float(a))
                for j, a in enumerate(chosen.alone)
            ]
    return [Cell(cell.row, cell.column, float(cell.value)) for cell in cells]


def _rival_cells(name: str, chosen: Chosen) -> list[Cell]:
    # The print counts how many times of 30 a kernel was chosen: one split says 30 or 0.
    cells = [
        Cell(name, f"θ{j + 1}", float(SPLITS * (j == chosen.kernel)))
        for j in range(len(chosen.alone))
    ]
    return [*cells, Cell(name, "accuracy", 100 * chosen.accuracy)]


def centred(task: Task) -> tuple[Array, Array]:
    """The Gram matrices, centred and of trace one, and those of the test rows."""
    stack = task.K.copy()
    tests = [
        normalise(K, "trace", center=True).cross(K_test, None)
        for K, K_test in zip(stack, task.K_test, strict=True)
    ]
    return stack, np.stack(tests)


def _tested(task: Task, stack: Array, tests: Array, model: Any) -> Learned:
    theta, lam = model.weights_, float(model.alpha_)
    discriminant = Discriminant(np.tensordot(theta, stack, 1), task.y)
    found = discriminant.predict(np.tensordot(theta, tests, 1), lam)
    # θ_0r_0, where λ = θ_0 was learned and r_0 = n.
    printed = lam * len(task.y) if model.alpha == "learn" else lam
    gap = model.solution_.certificate.relative_gap
    return Learned(theta, printed, float(np.mean(found == task.y_test)), None, gap)
