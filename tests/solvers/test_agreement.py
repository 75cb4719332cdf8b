"""Newton, SILP, QCQP and SDP on real data: one optimum, honest gaps.

n = 100 rows, features in [0, 1], ten Gaussians, centred, unit trace: the papers'
protocol. Weights need not be unique, so agreement is in the objective.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import (
    FisherRatio,
    MajorizedSquare,
    Square,
    discriminant_targets,
)
from kernelweave.losses.square import class_coding
from kernelweave.solvers import QCQP, SDP, SILP, Newton
from kernelweave.weights import Simplex

N, TOL = 100, 1e-6
ALL = (Newton(), SILP(), QCQP(), SDP())


@dataclass
class Case:
    problem: Problem
    oracle: object


def _square(name):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, 5e-4, True), Simplex())
    return Case(problem, verify.Square(K, H, 5e-4, True))


def _lambda_learned(name):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X), discriminant_targets(y, y.max() + 1)
    gram = WithIdentity(DenseStack(K), 1 / N)
    problem = Problem(gram, Square(H, 0.0, True), Simplex())
    stored = verify.with_identity(K, 1 / N)
    return Case(problem, verify.Square(stored, H, 0.0, True))


def _kim(name, lam):
    X, y = problems.table(name, N)
    K, y = problems.ten_gaussians(X), 2.0 * y - 1
    problem = Problem(DenseStack(K), FisherRatio(y, lam), Simplex())
    return Case(problem, verify.Fisher(K, y, lam))


def _majorized(name, learned):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X), class_coding(y, y.max() + 1)
    lam = 0.0 if learned else 5e-4
    gram = WithIdentity(DenseStack(K), 1 / N) if learned else DenseStack(K)
    K = verify.with_identity(K, 1 / N) if learned else K
    problem = Problem(gram, MajorizedSquare(H, lam, True), Simplex())
    return Case(problem, verify.Majorized(K, H, lam, True))


CASES = {
    "sonar": (lambda: _square("sonar"), ALL),
    "wine": (lambda: _square("wine"), ALL),
    "sonar, λ learned": (lambda: _lambda_learned("sonar"), ALL),
    "wine, λ learned": (lambda: _lambda_learned("wine"), ALL),
    "sonar, Kim, λ = 1e-8": (lambda: _kim("sonar", 1e-8), ALL),
    "sonar, Kim, λ = 1e-3": (lambda: _kim("sonar", 1e-3), ALL),
    # The quadratically constrained form is of the exact problem only.
    "wine, (32)": (lambda: _majorized("wine", False), (Newton(), SILP(), SDP())),
    "wine, (45)": (lambda: _majorized("wine", True), (Newton(), SILP(), SDP())),
}


@pytest.mark.parametrize("make, solvers", CASES.values(), ids=CASES)
def test_solvers_agree(make, solvers):
    case = make()
    values = {}
    for solver in solvers:
        solution = solve(case.problem, solver, TOL)
        name = type(solver).__name__
        assert solution.converged, name
        primal, _, _ = verify.check(case.oracle, solution, tol=TOL)
        values[name] = primal
    low, high = min(values.values()), max(values.values())
    # Each lies within TOL above the one optimum.
    assert high - low <= TOL * max(abs(low), abs(high)), values


def test_kim_ratio_is_that_of_feature_space():
    case = _kim("sonar", 1e-3)
    solution = solve(case.problem)
    ratio = -2 / 1e-3 * solution.certificate.primal
    expected = case.oracle.ratio_in_feature_space(solution.weights)
    # Features from eigenvalues with errors ε‖K‖ = 1e-17 against λ = 1e-3.
    assert ratio == pytest.approx(expected, rel=1e-9)


def test_lambda_learned_is_the_best_lambda():
    # At fixed λ = θ_0/n and trace budget 1 − θ_0 the weights are still optimal.
    case = _lambda_learned("sonar")
    learned = solve(case.problem, tol=1e-9)
    budget = 1 - learned.weights[0]
    K, H = case.oracle.K[1:], case.oracle.H
    fixed = Problem(
        DenseStack(K),
        Square(H, learned.weights[0] / N, True),
        Simplex(np.full(10, 1 / budget)),
    )
    again = solve(fixed, tol=1e-9)
    assert again.certificate.primal == pytest.approx(
        learned.certificate.primal, rel=1e-8
    )
