"""The quadratic model on the simplex, against cvxpy and its own KKT conditions."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelweave.simplex_qp import minimise_on_simplex
from naive import on_simplex


def _program(rng, p, rank, size):
    Z = rng.normal(size=(p, rank))
    return size * Z @ Z.T, size * rng.normal(size=p)


def assert_kkt(Q, g, x, slack=1e-9):
    """∇_j = ν where x_j > 0 and ∇_j ≥ ν elsewhere: optimal, as the QP is convex."""
    assert np.all(x >= 0) and x.sum() == pytest.approx(1, abs=1e-13)
    gradient = g + Q @ x
    scale = np.max(np.abs(g)) + np.max(np.abs(Q))
    nu = gradient @ x
    assert np.all(gradient >= nu - slack * scale)
    assert gradient[x > 0] == pytest.approx(nu, abs=slack * scale)


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**32 - 1),
    p=st.integers(1, 40),
    rank=st.integers(0, 40),
    exponent=st.floats(-8, 8),
    sparse=st.booleans(),
)
def test_kkt(seed, p, rank, exponent, sparse):
    rng = np.random.default_rng(seed)
    Q, g = _program(rng, p, rank, 10.0**exponent)
    x = minimise_on_simplex(Q, g, on_simplex(rng, p, sparse))
    assert_kkt(Q, g, x)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), p=st.integers(2, 20), rank=st.integers(1, 20))
def test_equals_cvxpy(seed, p, rank):
    rng = np.random.default_rng(seed)
    Q, g = _program(rng, p, rank, 1.0)
    x = minimise_on_simplex(Q, g, np.full(p, 1 / p))
    z = cp.Variable(p)
    objective = g @ z + 0.5 * cp.quad_form(z, cp.psd_wrap(Q))
    program = cp.Problem(cp.Minimize(objective), [z >= 0, cp.sum(z) == 1])
    program.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11)
    assert g @ x + 0.5 * x @ Q @ x == pytest.approx(program.value, abs=1e-8)


def test_duplicated_variables():
    rng = np.random.default_rng(0)
    Q, g = _program(rng, 6, 3, 1.0)
    twice = np.tile(np.arange(6), 2)
    x = minimise_on_simplex(Q[np.ix_(twice, twice)], g[twice], np.full(12, 1 / 12))
    assert_kkt(Q[np.ix_(twice, twice)], g[twice], x)
    single = minimise_on_simplex(Q, g, np.full(6, 1 / 6))
    value = g @ single + 0.5 * single @ Q @ single
    joined = x[:6] + x[6:]
    assert g @ joined + 0.5 * joined @ Q @ joined == pytest.approx(value, rel=1e-9)


def test_zeros_are_exact():
    x = minimise_on_simplex(np.eye(3), np.array([0.0, 0.0, 5.0]), np.full(3, 1 / 3))
    assert x[2] == 0.0
    assert x[:2] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("p", [3, 40])
def test_no_curvature_is_a_linear_program(p):
    g = np.random.default_rng(0).normal(size=p)
    x = minimise_on_simplex(np.zeros((p, p)), g, np.full(p, 1 / p))
    assert np.array_equal(x, np.eye(p)[np.argmin(g)])


@pytest.mark.parametrize("seed", range(20))
def test_no_curvature_and_slopes_that_are_alike(seed):
    """Slopes that differ by rounding, as those of a cut that is added again."""
    p = 40
    g = -1 + 1e-16 * np.random.default_rng(seed).integers(0, 50, p)
    x = minimise_on_simplex(np.zeros((p, p)), g, np.full(p, 1 / p))
    assert np.all(x >= 0) and x.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("p", [200, 800])
def test_many_variables(p):
    rng = np.random.default_rng(p)
    Q, g = _program(rng, p, 50, 1.0)
    x = minimise_on_simplex(Q, g, np.full(p, 1 / p))
    assert_kkt(Q, g, x)
    assert np.count_nonzero(x) < p


def test_start_is_left_alone():
    start = np.full(4, 0.25)
    minimise_on_simplex(np.eye(4), np.arange(4.0), start)
    assert np.all(start == 0.25)
