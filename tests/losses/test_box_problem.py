"""The inner problem of support vector machines: exact, on the nastiest of kernels.

    max_a  tᵀa − ε‖a‖₁ − ½aᵀ(K + diag(d))a   on   lower ≤ a ≤ upper  (Σa = 0)

Every answer is compared with the verifier's bounds from both sides, and its KKT
conditions are checked; some are compared with a conic solver and with libsvm.
"""

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_matrix
from sklearn.svm import SVC, SVR

import naive
import problems
import verify
from kernelweave import Problem
from kernelweave.grams import DenseStack
from kernelweave.losses import (
    EpsilonInsensitive,
    Hinge,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    margin,
)
from kernelweave.losses.box import Box, BoxMaximum
from kernelweave.losses.face import Face
from kernelweave.problem import Fit, Loss
from kernelweave.weights import Simplex

EPS = np.finfo(float).eps
LONG = np.longdouble


def _column(C):
    return C if np.ndim(C) == 0 else np.reshape(C, (-1, 1))


# Each loss, and the verifier's oracle: of a kernel, labels, targets, C, ε, intercept.
def _hinge(K, y, h, C, epsilon, intercept):
    return Hinge(y, C, intercept), verify.hinge(K[None], y, _column(C), intercept)


def _squared_hinge(K, y, h, C, epsilon, intercept):
    oracle = verify.squared_hinge(K[None], y, _column(C), intercept)
    return SquaredHinge(y, C, intercept), oracle


def _epsilon(K, y, h, C, epsilon, intercept):
    oracle = verify.epsilon_insensitive(K[None], h, _column(C), epsilon, intercept)
    return EpsilonInsensitive(h, C, epsilon, intercept), oracle


def _squared_epsilon(K, y, h, C, epsilon, intercept):
    oracle = verify.squared_epsilon_insensitive(
        K[None], h, _column(C), epsilon, intercept
    )
    return SquaredEpsilonInsensitive(h, C, epsilon, intercept), oracle


LOSSES = {
    "hinge": _hinge,
    "squared hinge": _squared_hinge,
    "ε-insensitive": _epsilon,
    "squared ε-insensitive": _squared_epsilon,
}
every_loss = pytest.mark.parametrize("make", LOSSES.values(), ids=LOSSES)
with_and_without = pytest.mark.parametrize("intercept", [True, False])


def _targets(rng, n):
    """Labels of both classes, and real targets."""
    y = np.where(problems.labels(rng, n, 2) == 1, 1.0, -1.0)[:, None]
    return y, rng.normal(size=(n, 1))


def check(loss, oracle, K, start=None, exact=1e-9, best=None):
    """Domain, KKT conditions, and F between both bounds, all relative.

    `best` is the verifier's own answer, if it is known.
    """
    inner = loss.inner(K, start)
    A, b, low, high = inner.A, inner.bias, oracle.lower, oracle.upper
    size = np.abs(A)
    assert np.all((low <= A) & (high >= A))
    if oracle.intercept:
        assert np.all(np.abs(A.sum(axis=0)) <= 1e-12 * size.sum(axis=0))
    else:
        assert np.all(b == 0)
    # The slope to each side is not one of ascent, unless there is a bound.
    slope = oracle.T - K.astype(LONG) @ A - oracle.d * A - b
    scale = np.max(np.abs(oracle.T)) + np.max(np.abs(K) @ size + oracle.d * size)
    up = slope - np.where(A >= 0, oracle.epsilon, -oracle.epsilon)
    down = slope - np.where(A > 0, oracle.epsilon, -oracle.epsilon)
    assert np.all(up[high > A] <= 1e-8 * scale)
    assert np.all(down[low < A] >= -1e-8 * scale)
    # g(A) − ½⟨A, KA⟩ ≤ F ≤ the reported value, and all of them agree.
    best = oracle.coefficients([1.0]) if best is None else best
    lower, upper = oracle.value_at([1.0], best), oracle.fitted([1.0], best)
    # F may be zero, where the slopes are rounding.
    noise = 1e-15 * float(np.sum(np.abs(oracle.T) * _finite(oracle)))
    noise += float(
        np.sum((1e-15 * oracle.T[oracle.d > 0]) ** 2 / oracle.d[oracle.d > 0])
    )
    slack = exact * abs(float(upper)) + noise
    assert upper - lower <= slack, "the verifier has no reference"
    # An upper bound, rounding included, and by no more than f = KA is rounded, which
    # depends on the order of its sums: by n·EPS/2 at worst, seen up to EPS/2.
    rounding = EPS * float(np.sum(size * (np.abs(K) @ size)))
    terms = float(np.sum(size * (np.abs(oracle.T) + np.abs(b) + oracle.epsilon)))
    assert inner.value >= float(lower) - 4 * EPS * (terms + abs(float(lower))) - noise
    assert inner.value <= float(upper) + slack + rounding
    assert oracle.value_at([1.0], A) >= lower - slack
    return inner


def _finite(oracle):
    """The largest |a| that the box allows, or zero where there is none."""
    return np.where(np.isfinite(oracle.upper), oracle.upper - oracle.lower, 0)


def conic(oracle, K):
    """The optimum by Clarabel: a = u − v, u and v not negative."""
    n = len(K)
    t, low, high = oracle.T[:, 0], oracle.lower[:, 0], oracle.upper[:, 0]
    M = K + np.diag(oracle.d[:, 0])
    both = np.hstack([np.eye(n), -np.eye(n)])
    rows, limits = [-np.eye(2 * n)], [np.zeros(2 * n)]
    for block, bound in ((both, high), (-both, -low)):
        finite = np.isfinite(bound)
        rows.append(block[finite])
        limits.append(bound[finite])
    cones = [clarabel.NonnegativeConeT(sum(len(r) for r in rows))]
    if oracle.intercept:
        rows.append(np.append(np.ones(n), -np.ones(n))[None])
        limits.append(np.zeros(1))
        cones.append(clarabel.ZeroConeT(1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-10
    solution = clarabel.DefaultSolver(
        csc_matrix(np.triu(both.T @ M @ both)),
        np.append(oracle.epsilon - t, oracle.epsilon + t),
        csc_matrix(np.vstack(rows)),
        np.concatenate(limits),
        cones,
        settings,
    ).solve()
    return -solution.obj_val


@every_loss
def test_is_a_loss(make):
    loss, _ = make(np.eye(4), *_targets(np.random.default_rng(0), 4), 1.0, 0.1, True)
    assert isinstance(loss, Loss) and isinstance(loss, Fit)


@every_loss
@with_and_without
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
@pytest.mark.parametrize("rank", [3, 25])
def test_is_what_a_conic_solver_finds(make, intercept, C, rank):
    rng = np.random.default_rng(rank)
    K = problems.random_psd(rng, 1, 25, rank)[0]
    loss, oracle = make(K, *_targets(rng, 25), C, 0.1, intercept)
    inner = check(loss, oracle, K)
    assert inner.value == pytest.approx(conic(oracle, K), rel=1e-7)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_is_libsvm(C):
    X, y = problems.blobs(60)
    K = naive.gram(naive.rbf(0.2), X, X)
    Y = np.where(y == 1, 1.0, -1.0)[:, None]
    inner = Hinge(Y, C).inner(K)
    machine = SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, y)
    f = K @ inner.A[:, 0] + inner.bias
    assert machine.decision_function(K) == pytest.approx(f, abs=1e-7)
    support = np.flatnonzero(inner.A)
    assert np.array_equal(np.sort(machine.support_), support)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_is_libsvm_for_regression(C, epsilon):
    X, _ = problems.blobs(60)
    K = naive.gram(naive.rbf(0.2), X, X)
    target = np.sin(X[:, :1]) + X[:, 1:2]
    inner = EpsilonInsensitive(target, C, epsilon).inner(K)
    machine = SVR(C=C, epsilon=epsilon, kernel="precomputed", tol=1e-10)
    predicted = machine.fit(K, target[:, 0]).predict(K)
    f = K @ inner.A[:, 0] + inner.bias
    assert predicted == pytest.approx(f, abs=1e-6)


def _linear(rng, n, features):
    X = rng.normal(size=(n, features))
    return X @ X.T


def _gaussian(rng, n, rows=None):
    X = rng.normal(size=(rows or n, 2))[rng.integers(0, rows or n, n)]
    return np.exp(-np.sum((X[:, None] - X) ** 2, axis=2))


def _grid(rng, n):
    X = rng.integers(-2, 3, size=(n, 2)).astype(float)
    return X @ X.T


# A kernel for n samples, and C.
NASTY = {
    "equal samples": (lambda rng, n: _gaussian(rng, n, rows=n // 3), 1.0),
    "equal samples, large C": (lambda rng, n: _gaussian(rng, n, rows=n // 3), 1e3),
    "one feature": (lambda rng, n: _linear(rng, n, 1), 1e3),
    "two features": (lambda rng, n: _linear(rng, n, 2), 1e3),
    "three features": (lambda rng, n: _linear(rng, n, 3), 1e4),
    "three features, small C": (lambda rng, n: _linear(rng, n, 3), 1e-2),
    "a grid, with samples at zero": (_grid, 10.0),
    "no kernel": (lambda rng, n: np.zeros((n, n)), 2.0),
    "a constant kernel": (lambda rng, n: np.ones((n, n)), 2.0),
    "a centred kernel": (lambda rng, n: naive.centre(_gaussian(rng, n)), 10.0),
    "nearly the identity": (lambda rng, n: _gaussian(rng, n) ** 50, 10.0),
    "nearly constant": (lambda rng, n: _gaussian(rng, n) ** 1e-4, 100.0),
    "large": (lambda rng, n: 1e6 * _gaussian(rng, n), 1.0),
    "small": (lambda rng, n: 1e-6 * _gaussian(rng, n), 1.0),
    "small, large C": (lambda rng, n: 1e-6 * _gaussian(rng, n), 1e6),
    "all at the bounds": (_gaussian, 1e-6),
    "an error costs much": (_gaussian, 1e5),
}
nasty = pytest.mark.parametrize("kernel, C", NASTY.values(), ids=NASTY)


@every_loss
@with_and_without
@nasty
@pytest.mark.parametrize("n", [2, 30])
def test_nasty_kernels(make, intercept, kernel, C, n):
    rng = np.random.default_rng(0)
    K = kernel(rng, max(n, 3))[:n, :n]
    loss, oracle = make(K, *_targets(rng, n), C, 0.1, intercept)
    check(loss, oracle, K)


@every_loss
@with_and_without
@nasty
def test_some_samples_are_left_out(make, intercept, kernel, C):
    rng = np.random.default_rng(1)
    K = kernel(rng, 25)
    each = C * rng.choice([0.0, 0.1, 1.0], size=25)
    y, h = _targets(rng, 25)
    loss, oracle = make(K, y, h, each, 0.1, intercept)
    inner = check(loss, oracle, K)
    assert np.all(inner.A[each == 0] == 0)
    # As if they were not there.
    rest = np.flatnonzero(each)
    small = K[np.ix_(rest, rest)]
    less, _ = make(small, y[rest], h[rest], each[rest], 0.1, intercept)
    assert inner.value == pytest.approx(less.inner(small).value, rel=1e-9)


@pytest.mark.parametrize("make", [_epsilon, _squared_epsilon])
@with_and_without
@pytest.mark.parametrize("unit", [1e4, 1e-4])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 3.0])
def test_units_of_the_targets(make, intercept, unit, epsilon):
    rng = np.random.default_rng(2)
    K, (y, h) = _gaussian(rng, 30), _targets(rng, 30)
    loss, oracle = make(K, y, unit * h, 1.0, unit * epsilon, intercept)
    inner = check(loss, oracle, K)
    # Without a bound on A the answer has the unit of the targets.
    if make is _squared_epsilon:
        same = make(K, y, h, 1.0, epsilon, intercept)[0].inner(K)
        assert inner.value == pytest.approx(unit**2 * same.value, rel=1e-9)


@pytest.mark.parametrize("make", [_hinge, _squared_hinge])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_class_only(make, sign):
    rng = np.random.default_rng(3)
    K, y = _gaussian(rng, 12), np.full((12, 1), sign)
    loss, _ = make(K, y, y, 1.0, 0.0, True)
    inner = loss.inner(K)
    # The bias alone makes no error.
    assert inner.value == 0 and not inner.A.any() and inner.bias == [sign]
    risk, bias = loss.risk(np.zeros((12, 1)))
    assert risk == 0 and sign * bias[0] >= 1
    loss, oracle = make(K, y, y, 1.0, 0.0, False)
    assert check(loss, oracle, K).value > 0


def test_no_sample_at_all_is_used():
    y = np.array([[1.0], [-1.0], [1.0]])
    for loss in (Hinge(y, 0.0), SquaredHinge(y, 0.0), EpsilonInsensitive(y, 0.0)):
        inner = loss.inner(np.eye(3))
        assert inner.value == 0 and not inner.A.any()


def test_targets_within_the_tube():
    h = np.linspace(2.95, 3.05, 9)[:, None]
    K = _gaussian(np.random.default_rng(4), 9)
    inner = EpsilonInsensitive(h, 1.0, 0.1).inner(K)
    assert inner.value == 0 and not inner.A.any()
    assert np.all(np.abs(h - inner.bias) <= 0.1)


@with_and_without
def test_a_large_c_is_the_hard_margin(intercept):
    rng = np.random.default_rng(5)
    y, _ = _targets(rng, 40)
    X = rng.normal(size=(40, 3)) + 3 * y
    K = X @ X.T
    hard = SquaredHinge(y, np.inf, intercept).inner(K)
    for C in (1e4, 1e6):
        loss, oracle = _hinge(K, y, y, C, 0.0, intercept)
        inner = check(loss, oracle, K, exact=1e-6)
        assert inner.value == pytest.approx(hard.value, rel=1e-6)
        assert np.max(np.abs(inner.A)) < C
    # The margin is 1, and ½‖w‖² is the value.
    f = K @ hard.A + hard.bias
    assert np.min(y * f) == pytest.approx(1, abs=1e-9)
    assert hard.value == pytest.approx(0.5 * np.sum(hard.A * (K @ hard.A)), rel=1e-9)


def test_no_error_allowed_where_one_must_be_made():
    y = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    assert SquaredHinge(y, np.inf).inner(np.zeros((4, 4))).value == np.inf


def test_no_error_allowed_is_bounded_from_above(monkeypatch):
    # From any A without a training error, however small its margin.
    rng = np.random.default_rng(16)
    y, _ = _targets(rng, 20)
    K = _gaussian(rng, 20) + 3 * np.eye(20)
    true = SquaredHinge(y, np.inf).inner(K).value

    def crude(K, box, start=None):
        a = y[:, 0] * rng.uniform(0.1, 0.3, 20)
        a[y[:, 0] > 0] *= -a[y[:, 0] < 0].sum() / a[y[:, 0] > 0].sum()
        return BoxMaximum(a, K @ a, 0.0, Face(K, box, a, box.free(a)))

    monkeypatch.setattr(margin, "maximise", crude)
    values = [SquaredHinge(y, np.inf).inner(K).value for _ in range(50)]
    assert np.sum(np.isfinite(values)) > 5
    assert min(values) > true


def test_no_error_allowed_in_some_samples():
    rng = np.random.default_rng(6)
    y, h = _targets(rng, 30)
    K = _gaussian(rng, 30) + 0.1 * np.eye(30)
    C = np.where(np.arange(30) < 10, np.inf, 0.5)
    inner = SquaredHinge(y, C).inner(K)
    # The same with C so large that rounding cannot tell the difference.
    check(*_squared_hinge(K, y, h, np.minimum(C, 1e9), 0.0, True), K, exact=1e-7)
    assert inner.value == pytest.approx(
        SquaredHinge(y, np.minimum(C, 1e9)).inner(K).value, rel=1e-7
    )
    assert np.min((y * (K @ inner.A + inner.bias))[:10]) == pytest.approx(1, abs=1e-9)


@every_loss
@with_and_without
@nasty
def test_every_start_leads_to_the_same_optimum(make, intercept, kernel, C):
    rng = np.random.default_rng(7)
    K, targets = kernel(rng, 25), _targets(rng, 25)
    loss, oracle = make(K, *targets, C, 0.1, intercept)
    size = min(C, 1e3)
    starts = [np.asarray(oracle.into_domain(size * rng.normal(size=(25, 1))), float)]
    for other in (1e-2 * C, 30 * C):
        starts.append(make(K, *targets, other, 0.1, intercept)[0].inner(K).A)
    # One that is outside the domain.
    starts.append(10 * size * rng.normal(size=(25, 1)))
    best = oracle.coefficients([1.0])
    for start in starts:
        copy = start.copy()
        check(loss, oracle, K, start, best=best)
        assert np.array_equal(start, copy)


@every_loss
@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 25),
    exponent=st.floats(-4, 4),
    intercept=st.booleans(),
    epsilon=st.sampled_from([0.0, 0.01, 0.3, 2.0]),
)
def test_random_problems(make, seed, n, exponent, intercept, epsilon):
    rng = np.random.default_rng(seed)
    K = problems.random_psd(rng, 1, n, int(rng.integers(1, n + 1)))[0]
    if rng.random() < 0.3:
        K = K[:, rows][rows] if len(rows := rng.integers(0, n, n)) else K
    C = 10.0**exponent * (rng.choice([0.0, 0.3, 1.0], n) if rng.random() < 0.3 else 1.0)
    y, h = _targets(rng, n)
    if rng.random() < 0.3:
        # Ties.
        h = np.round(h)
    loss, oracle = make(K, y, h, C, epsilon, intercept)
    check(loss, oracle, K, exact=1e-8)


@every_loss
@with_and_without
def test_the_value_is_an_upper_bound_even_if_the_maximiser_is_not_exact(
    make, intercept, monkeypatch
):
    rng = np.random.default_rng(8)
    K = _gaussian(rng, 20)
    loss, oracle = make(K, *_targets(rng, 20), 2.0, 0.1, intercept)
    true = float(oracle.primal([1.0]))

    def crude(K, box, start=None):
        a = np.asarray(oracle.into_domain(rng.normal(size=(20, 1))), float)[:, 0]
        bias = rng.normal() if box.intercept else 0.0
        return BoxMaximum(a, K @ a, bias, Face(K, box, a, box.free(a)))

    monkeypatch.setattr(margin, "maximise", crude)
    values = [loss.inner(K).value for _ in range(20)]
    assert min(values) > true


@every_loss
@with_and_without
@pytest.mark.parametrize("C", [2.0, 30.0])
def test_gradient_and_hessian(make, intercept, C):
    rng = np.random.default_rng(9)
    n, p, h = 30, 4, 1e-6
    K = problems.random_psd(rng, p, n, rank=20)
    loss, oracle = make(K[0], *_targets(rng, n), C, 0.1, intercept)
    problem = Problem(DenseStack(K), loss, Simplex())
    theta = np.array([0.4, 0.1, 0.3, 0.2])
    point = problem.at(theta)

    def active(A):
        return np.stack([np.sign(A), oracle.upper == A, oracle.lower == A])

    for e in h * np.eye(p):
        for near in (theta + e, theta - e):
            same = np.array_equal(active(problem.at(near).A), active(point.A))
            assert same, "the active set changes here: take another problem"
    slope = naive.gradient(lambda t: problem.at(t).value, theta, h)
    assert point.gradient == pytest.approx(slope, rel=1e-6)
    curvature = naive.hessian(lambda t: problem.at(t).gradient, theta, h)
    scale = np.max(np.abs(curvature))
    assert scale > 0
    assert point.hessian() == pytest.approx(curvature, abs=1e-6 * scale)
    some = np.array([2, 0])
    part = curvature[np.ix_(some, some)]
    assert point.hessian(some) == pytest.approx(part, abs=1e-6 * scale)


@every_loss
@with_and_without
def test_hessian_of_equal_samples(make, intercept):
    # Every sample twice is every sample once with 2C, but K(θ) is singular.
    rng = np.random.default_rng(15)
    K, targets = problems.random_psd(rng, 3, 20, rank=12), _targets(rng, 20)
    theta, twice = np.array([0.5, 0.2, 0.3]), np.repeat(np.arange(20), 2)
    once, _ = make(K[0], *targets, 4.0, 0.1, intercept)
    both, _ = make(K[0], *(t[twice] for t in targets), 2.0, 0.1, intercept)
    large = K[:, twice][:, :, twice]
    expected = Problem(DenseStack(K), once, Simplex()).at(theta)
    point = Problem(DenseStack(large), both, Simplex()).at(theta)
    assert point.value == pytest.approx(expected.value, rel=1e-9)
    assert point.s == pytest.approx(expected.s, rel=1e-7)
    curvature = expected.hessian()
    scale = np.max(np.abs(curvature))
    assert scale > 0
    assert point.hessian() == pytest.approx(curvature, abs=1e-6 * scale)


@with_and_without
def test_hessian_of_dependent_entries_is_finite(intercept):
    # One feature and the start of another weight: more free entries than ranks.
    rng = np.random.default_rng(10)
    n = 60
    features = rng.normal(size=(3, n))
    K = np.einsum("ji,jl->jil", features, features)
    y = np.where(features[:1].T + rng.normal(size=(n, 1)) > 0, 1.0, -1.0)
    problem = Problem(DenseStack(K), Hinge(y, 5.0, intercept), Simplex())
    start = problem.at(np.array([0.5, 0.3, 0.2])).A
    point = problem.at(np.array([1.0, 0.0, 0.0]), start)
    values = np.linalg.eigvalsh(point.hessian())
    assert values[0] >= -1e-12 * values[-1]
    # Two free entries, or one without a bias, hold the slope of the line.
    assert 1e-3 * point.value <= values[-1] <= 1e6 * point.value


@every_loss
@with_and_without
def test_risk_is_the_best_over_the_bias(make, intercept):
    rng = np.random.default_rng(11)
    y, h = _targets(rng, 20)
    C = rng.choice([0.0, 0.5, 2.0], 20)
    loss, oracle = make(np.eye(20), y, h, C, 0.1, intercept)
    f = rng.normal(size=(20, 1))
    risk, bias = loss.risk(f)
    flat = oracle.fitted([0.0], np.zeros((20, 1)))
    none, _ = loss.risk(np.zeros((20, 1)))
    assert none == pytest.approx(float(flat), rel=1e-12)

    def at(b):
        r = oracle.T - f - b
        a = oracle.answers(r)
        terms = a * r - oracle.epsilon * np.abs(a) - 0.5 * oracle.d * a * a
        return float(np.sum(terms))

    assert risk == pytest.approx(at(bias), rel=1e-12)
    if intercept:
        grid = np.linspace(-4, 4, 4001)
        assert risk <= min(at(b) for b in grid) * (1 + 1e-12)
    else:
        assert np.all(bias == 0)


@every_loss
def test_best_scale_is_the_maximiser(make):
    rng = np.random.default_rng(12)
    loss, oracle = make(np.eye(20), *_targets(rng, 20), 1.0, 0.1, True)
    for trial in range(20):
        A = np.asarray(oracle.into_domain(rng.normal(size=(20, 1))), float)
        sigma = 10.0 ** rng.uniform(-2, 2)

        def bound(t, A=A, sigma=sigma):
            return loss.value(t * A) - 0.5 * t * t * sigma

        t = loss.best_scale(A, sigma)
        inside = np.all((t * A <= oracle.upper) & (t * A >= oracle.lower))
        assert t >= 0 and inside, trial
        room = np.linspace(0, 2 * max(t, 1), 401)
        allowed = [
            bound(r)
            for r in room
            if np.all((r * A <= oracle.upper) & (r * A >= oracle.lower))
        ]
        assert bound(t) >= max(allowed) - 1e-12


@every_loss
def test_bound_without_a_factorisation(make):
    rng = np.random.default_rng(13)
    K = problems.random_psd(rng, 3, 20, rank=6)
    theta = np.array([0.2, 0.3, 0.5])
    loss, oracle = make(K[0], *_targets(rng, 20), 1.0, 0.1, True)
    problem = Problem(DenseStack(K), loss, Simplex())
    point = problem.at(theta)
    assert problem.bound(theta, point.A).value == pytest.approx(point.value, rel=1e-9)
    for _ in range(10):
        A = np.asarray(oracle.into_domain(rng.normal(size=(20, 1))), float)
        assert problem.bound(theta, A).value >= point.value * (1 - 1e-12)


def test_targets_of_any_type_and_layout():
    rng = np.random.default_rng(14)
    y, _ = _targets(rng, 12)
    K = _gaussian(rng, 12)
    expected = Hinge(y, 2.0).inner(K)
    three = np.asfortranarray(np.repeat(y.astype(int), 3, axis=1))
    inner = Hinge(three, np.float32(2.0)).inner(np.asfortranarray(K))
    assert inner.value == pytest.approx(3 * expected.value, rel=1e-14)
    frozen = y.copy()
    frozen.setflags(write=False)
    assert Hinge(frozen, 2.0).inner(K).value == expected.value


def test_what_is_refused():
    y, K = np.array([[1.0], [-1.0]]), np.eye(2)
    for C in (-1.0, np.nan, [1.0, -2.0]):
        with pytest.raises(ValueError, match="not negative"):
            Hinge(y, C).inner(K)
    with pytest.raises(ValueError, match=r"one number a sample \(2,\)"):
        Hinge(y, [1.0, 2.0, 3.0]).inner(K)
    for loss in (Hinge, EpsilonInsensitive, SquaredEpsilonInsensitive):
        with pytest.raises(ValueError, match="finite"):
            loss(y, np.inf).inner(K)
    for loss in (EpsilonInsensitive, SquaredEpsilonInsensitive):
        with pytest.raises(ValueError, match="epsilon"):
            loss(y, 1.0, -0.1).inner(K)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        SquaredHinge(y, np.inf, False).inner(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_a_kernel_that_is_as_good_as_zero_keeps_the_sum():
    """Steps of free entries are rounding there, and must not take 1ᵀA along."""
    rng = np.random.default_rng(0)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(101, 443))
        z = 1e-4 * rng.normal(size=(n, 2))
        H = rng.normal(size=(n, 1))
        A = EpsilonInsensitive(H, 0.2, 0.1).inner(z @ z.T).A
        assert abs(float(A.sum())) <= 1e-12 * float(np.abs(A).sum())


def _with_a_border(n=12):
    """A face whose last entry, equal to its first, was released after the factor."""
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(n, n))
    Z[-1] = Z[0]
    K = Z @ Z.T
    t = np.ones(n)
    box = Box(t, 0.0, np.zeros(n), np.full(n, 2.0), np.zeros(n), True, n - 1.0)
    a = np.append(np.ones(n - 1), 0.0)
    face = Face(K, box, a, np.arange(n - 1)).release(np.array([n - 1]), np.ones(1), a)
    assert face.borders == 1
    return K, BoxMaximum(a, K @ a, 0.0, face)


def test_hessian_of_equal_samples_from_a_factor(monkeypatch):
    K, maximum = _with_a_border()
    rng = np.random.default_rng(4)
    applied = np.array([S @ S.T for S in rng.normal(size=(3, len(K), 4))]) @ K
    # The products of equal samples are equal.
    applied = applied @ maximum.a
    applied[:, -1] = applied[:, 0]
    W = np.linalg.inv(K[:-1, :-1])
    W -= np.outer(W.sum(axis=0), W.sum(axis=0)) / W.sum()
    expected = applied[:, :-1] @ W @ applied[:, :-1].T

    def never(self, *_):
        raise AssertionError("the factor that is there tells it")

    monkeypatch.setattr(Face, "independent", never)
    monkeypatch.setattr(Face, "alone", never)
    np.testing.assert_allclose(maximum.hessian(applied), expected, rtol=1e-6)
    # Products that differ have no answer from it.
    applied[:, -1] += 1.0
    assert maximum.face.form(applied.T) is None


def test_a_factor_after_one_that_failed():
    # An eigenvalue of −1e-11: the first ridge, 2e-14 tr M, is too small.
    rng = np.random.default_rng(5)
    Q = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    values = np.append(np.linspace(0.5, 1.5, 29), -1e-11)
    M = (Q * values) @ Q.T
    M = (M + M.T) / 2
    n = len(M)
    box = Box(np.ones(n), 0.0, np.zeros(n), np.ones(n), np.zeros(n), False)
    face = Face(M, box, np.full(n, 0.5), np.arange(n))
    L = np.tril(face.factor)
    ridge = L @ L.T - M
    np.testing.assert_allclose(ridge, ridge[0, 0] * np.eye(n), atol=1e-13)
    assert ridge[0, 0] > 1e-11
