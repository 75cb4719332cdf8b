"""The small programs of the cutting-plane methods, against cvxpy."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import verify
from kernelweave.weights import Fixed, GroupSimplex, LpBall, Simplex

seeds = st.integers(0, 2**32 - 1)


def _cuts(rng, m, p, size):
    """Cuts g_i − ½θᵀS_i with S ≥ 0, at the scale of a problem with small λ."""
    return size * rng.exponential(size=m), size * rng.exponential(size=(m, p))


@settings(max_examples=40)
@given(
    seed=seeds,
    m=st.integers(1, 12),
    p=st.integers(1, 8),
    exponent=st.floats(-6, 8),
    traces=st.booleans(),
)
def test_simplex_master(seed, m, p, exponent, traces):
    rng = np.random.default_rng(seed)
    size = 10.0**exponent
    g, S = _cuts(rng, m, p, size)
    r = rng.uniform(0.1, 10, p) if traces else None
    theta, multipliers = Simplex(r).master(g, S)
    r = np.ones(p) if r is None else r
    value = np.max(g - 0.5 * S @ theta)

    x = cp.Variable(p)
    objective = cp.max((g - 0.5 * S @ x) / size)
    program = cp.Problem(cp.Minimize(objective), [x >= 0, r @ x == 1])
    program.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10)
    # The reference is good to 1e-10 in units of the cuts.
    assert value == pytest.approx(size * program.value, abs=1e-8 * size)

    assert np.all(theta >= 0) and r @ theta == pytest.approx(1, abs=1e-13)
    assert multipliers.shape == (m,) and np.all(multipliers >= 0)
    assert multipliers.sum() == pytest.approx(1, abs=1e-13)
    # The multipliers prove it: Σμ_i g_i − ½σ(Σμ_i S_i) is the dual value of the LP.
    bound = multipliers @ g - 0.5 * np.max(multipliers @ S / r)
    assert bound == pytest.approx(value, abs=1e-9 * size)


@settings(max_examples=40)
@given(
    seed=seeds,
    m=st.integers(1, 12),
    n=st.integers(1, 8),
    exponent=st.floats(-6, 8),
    p=st.sampled_from([1.0, 1 + 2**-6, 1.125, 1.5, 2.0, 4.0, 64.0, 1e6, np.inf]),
)
@example(seed=0, m=2, n=1, exponent=-3.0, p=1 + 2**-6)
@example(seed=0, m=1, n=1, exponent=5.0, p=1 + 2**-6)
def test_ball_master(seed, m, n, exponent, p):
    rng = np.random.default_rng(seed)
    size = 10.0**exponent
    g, S = _cuts(rng, m, n, size)
    theta, multipliers = LpBall(p).master(g, S)
    assert np.all(theta >= 0) and np.linalg.norm(theta, p) <= 1 + 1e-12
    assert multipliers.sum() == pytest.approx(1, abs=1e-12)
    # Weak duality closes: max_i g_i − ½θᵀS_i = Σμ_i g_i − ½‖Σμ_i S_i‖_q.
    value = np.max(g - 0.5 * S @ theta)
    q = 1.0 if p == np.inf else np.inf if p == 1 else p / (p - 1)
    # In units of its largest entry: 1e5 to the power of q = 65 is no number.
    mean = multipliers @ S
    norm = mean.max() * np.linalg.norm(mean / mean.max(), q)
    bound = multipliers @ g - 0.5 * norm
    assert value == pytest.approx(bound, abs=1e-8 * size)


@settings(max_examples=40)
@given(seed=seeds, m=st.integers(1, 12), p=st.integers(1, 8), exponent=st.floats(-6, 8))
def test_group_master(seed, m, p, exponent):
    rng = np.random.default_rng(seed)
    size = 10.0**exponent
    g, S = _cuts(rng, m, p, size)
    groups = rng.integers(0, 3, p).tolist()
    theta, multipliers = GroupSimplex(groups).master(g, S)
    independent = verify.GroupSimplex(tuple(groups))
    assert np.all(theta >= 0) and independent.cost(theta) <= 1 + 1e-14
    assert multipliers.sum() == pytest.approx(1, abs=1e-12)
    # Weak duality closes: max_i g_i − ½θᵀS_i = Σμ_i g_i − ½σ(Σμ_i S_i).
    value = np.max(g - 0.5 * S @ theta)
    bound = multipliers @ g - 0.5 * independent.support(multipliers @ S)
    assert value == pytest.approx(bound, abs=1e-8 * size)


@pytest.mark.parametrize("p", [1.125, 1.5, 2.0, 4.0])
def test_expansion_is_exact_where_it_is_expanded(p):
    # At the optimum θ̃ the expansion (11) touches the ball, so θ̃ stays the answer.
    g, S = _cuts(np.random.default_rng(1), 6, 4, 1.0)
    theta, _ = LpBall(p).master(g, S)
    again, _ = LpBall(p).expansion_master(g, S, theta)
    assert np.max(g - 0.5 * S @ again) == pytest.approx(
        np.max(g - 0.5 * S @ theta), abs=1e-6
    )


def test_fixed_master():
    g, S = _cuts(np.random.default_rng(0), 5, 3, 1.0)
    theta, multipliers = Fixed([0.5, 0.2, 0.3]).master(g, S)
    assert np.array_equal(theta, [0.5, 0.2, 0.3])
    values = g - 0.5 * S @ theta
    assert multipliers @ values == pytest.approx(values.max())
    assert multipliers.sum() == 1


SETS = [Simplex(), Simplex([2.0, 1.0, 0.5]), Fixed(), GroupSimplex(list("aba"))]


@pytest.mark.parametrize("weights", SETS)
def test_cvxpy_forms(weights):
    # The conic formulations see the same set and the same support function.
    s = np.array([1.0, 3.0, 2.0])
    expression = weights.cvxpy_support(cp.Constant(s))
    assert float(expression.value) == pytest.approx(weights.support(s), rel=1e-12)
    theta = cp.Variable(3)
    program = cp.Problem(cp.Maximize(s @ theta), weights.cvxpy_constraints(theta))
    program.solve(solver="CLARABEL")
    assert program.value == pytest.approx(weights.support(s), rel=1e-7)


@pytest.mark.parametrize("size", [1e-16, 1e-20, 1e-100, 0.0])
def test_simplex_master_of_cuts_that_are_steep_beside_their_height(size):
    # Of two rows the best A may be zero to rounding, and so is g(A).
    S = np.array([[1.0, 2.0], [2.0, 1.0]])
    theta, multipliers = Simplex().master(size * np.array([1.0, 2.0]), S)
    assert theta == pytest.approx([0.5, 0.5], abs=1e-9)
    assert multipliers == pytest.approx([0.5, 0.5], abs=1e-9)


def test_cuts_of_many_decades():
    """HiGHS ends without an answer in units of g: S spans thirteen decades."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        S = 10.0 ** rng.uniform(-7, 6, (2, 110))
        g = np.array([-0.37, -0.27])
        theta, mu = Simplex().master(g, S)
        value = np.max(g - 0.5 * S @ theta)
        # Every average of the cuts is a lower bound of the value.
        lower = mu @ g - 0.5 * np.max(mu @ S)
        assert value - lower <= 1e-6 * abs(value)
