"""Block-diagonal Gram matrices, one block a column, against the whole matrices."""

import numpy as np
import pytest

import naive
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Square
from kernelweave.solvers import SILP, Newton
from kernelweave.streamed.columns import ColumnSquare, ColumnStack
from kernelweave.weights import LpBall, Simplex

RANKS, WIDTHS = (5, 3, 4), (2, 3)


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    return [[rng.normal(size=(r, D)) for D in WIDTHS] for r in RANKS]


@pytest.fixture
def targets():
    rng = np.random.default_rng(1)
    H = np.zeros((3, 5))
    for c, r in enumerate(RANKS):
        H[c, :r] = rng.normal(size=r)
    return H.reshape(-1, 1)


def whole(columns):
    """The matrices with zeros between the blocks, by loops."""
    K = np.zeros((2, 15, 15))
    for c, parts in enumerate(columns):
        for j, R in enumerate(parts):
            for a in range(len(R)):
                for b in range(len(R)):
                    K[j, 5 * c + a, 5 * c + b] = R[a] @ R[b]
    return K


def test_products(columns):
    stack, K = ColumnStack(columns), whole(columns)
    A = np.random.default_rng(2).normal(size=(15, 4))
    assert (stack.n, stack.p) == (15, 2)
    assert np.stack([stack[0], stack[1]]) == pytest.approx(K)
    assert stack.traces == pytest.approx(np.trace(K, axis1=1, axis2=2))
    assert stack.apply(A) == pytest.approx(K @ A)
    assert stack.apply_some(A, np.array([1])) == pytest.approx((K @ A)[1:])
    assert stack.quadratic(A) == pytest.approx([np.sum(A * (M @ A)) for M in K])
    blocks = stack.combine(np.array([0.3, 0.7]))
    for c in range(3):
        rows = slice(5 * c, 5 * c + 5)
        assert blocks[c] == pytest.approx(
            0.3 * K[0, rows, rows] + 0.7 * K[1, rows, rows]
        )
    assert np.all(stack.combine(np.zeros(2)) == 0)


def test_inner_maximum(columns, targets):
    theta, lam, K = np.array([0.3, 0.7]), 0.2, whole(columns)
    problem = Problem(ColumnStack(columns), ColumnSquare(targets, lam), Simplex())
    point = problem.at(theta)
    A, _ = naive.ridge(np.tensordot(theta, K, 1), np.full(15, lam), targets, False)
    assert np.allclose(point.A, A, rtol=1e-10)

    def gradient(theta):
        return problem.at(theta).gradient

    assert point.hessian() == pytest.approx(
        naive.hessian(gradient, theta, 1e-5), rel=1e-5
    )
    near = theta + np.array([1e-4, -1e-4])
    moved = problem.at(near).A - point.A
    assert point.predict(near) - point.A == pytest.approx(moved, rel=1e-2, abs=1e-9)


@pytest.mark.parametrize("solver", [None, Newton(), SILP()])
@pytest.mark.parametrize("weights", [Simplex(), LpBall(2)])
def test_every_solver_finds_the_optimum_of_the_whole(columns, targets, solver, weights):
    problem = Problem(ColumnStack(columns), ColumnSquare(targets, 0.2), weights)
    solution = solve(problem, solver, 1e-8)
    sets = {"Simplex": verify.Simplex(np.ones(2)), "LpBall": verify.LpBall(2)}
    oracle = verify.Square(whole(columns), targets, 0.2, False)
    found = sets[type(weights).__name__]
    verify.check(oracle, solution, weights=found, tol=1e-8, rounding=1e-9)
    other = solve(
        Problem(DenseStack(whole(columns)), Square(targets, 0.2), weights), tol=1e-8
    )
    assert solution.weights == pytest.approx(other.weights, abs=1e-3)
