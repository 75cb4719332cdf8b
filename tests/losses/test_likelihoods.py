"""Logistic, multinomial, Cox, Poisson, Huber and quantile: the losses themselves."""

import numpy as np
import pytest

import naive
import problems
import verify
import verify_likelihood as judge
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import (
    Cox,
    Huber,
    Logistic,
    Multinomial,
    Poisson,
    Quantile,
    Square,
)
from kernelweave.weights import ElasticNet, Fixed, LpBall, Simplex

SETS = {
    "simplex": (Simplex(), verify.Simplex(np.ones(10))),
    "ℓ2": (LpBall(2), verify.LpBall(2)),
    "elastic net": (ElasticNet(0.5), verify.ElasticNet(0.5)),
}
ALPHAS = (1e-4, 1e-2, 1.0, 1e2, 1e4)


def _heart(n=90):
    """Ten kernels of heart's rows, and an outcome of every kind."""
    X, y = problems.table("heart", n)
    rng = np.random.default_rng(0)
    f = X @ rng.normal(size=X.shape[1])
    f = (f - f.mean()) / f.std()
    time = np.round(rng.exponential(np.exp(-f)), 1) + 0.1
    event = rng.random(n) < 0.6
    three = np.digitize(f + 0.5 * rng.normal(size=n), [-0.5, 0.5])
    counts = rng.poisson(np.exp(1 + f))[:, None].astype(float)
    real = (f + 0.3 * rng.standard_t(2, size=n))[:, None]
    K, two, classes = (
        problems.ten_gaussians(X, "variance"),
        np.where(y == 1, 1.0, -1.0)[:, None],
        np.eye(3)[three],
    )
    return K, {
        "logistic": lambda C: (Logistic(two, C), judge.logistic(K, two, C)),
        "multinomial": lambda C: (
            Multinomial(classes, C),
            judge.multinomial(K, classes, C),
        ),
        "cox": lambda C: (Cox(time, event, C), judge.cox(K, time, event, C)),
        "poisson": lambda C: (Poisson(counts, C), judge.poisson(K, counts, C)),
        "huber": lambda C: (Huber(real, C, 0.5), judge.huber(K, real, C, 0.5)),
        "quantile": lambda C: (Quantile(real, C, 0.3), judge.quantile(K, real, C, 0.3)),
    }


NAMES = ("logistic", "multinomial", "cox", "poisson", "huber", "quantile")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", SETS)
def test_eight_decades(name, kind, monkeypatch):
    """Five α over eight decades, each certified in at most 15 inner solves."""
    K, makers = _heart()
    weights, judged = SETS[kind]
    tol = 1e-4 if name == "quantile" else 1e-6
    for alpha in ALPHAS:
        loss, oracle = makers[name](1 / alpha)
        calls, inner = [], type(loss).inner
        monkeypatch.setattr(
            type(loss), "inner", lambda *a, f=inner, c=calls: c.append(0) or f(*a)
        )
        solution = solve(Problem(DenseStack(K), loss, weights), tol=tol)
        monkeypatch.undo()
        assert solution.converged, f"α = {alpha}: {solution.status}"
        assert len(calls) <= 15, f"α = {alpha}"
        verify.check(oracle, solution, weights=judged, tol=tol)


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name):
    """Gradient and Hessian in θ against differences, and the answer to a change."""
    K, makers = _heart(60)
    K = K[[2, 5, 9]]
    # The kinks of a box are not met at this θ: entries stay free or at their bounds.
    problem = Problem(DenseStack(K), makers[name](0.3)[0], Simplex())
    theta = np.array([0.5, 0.3, 0.4])
    # The curvatures are those of the start: here of the optimum itself.
    point = problem.at(theta, problem.at(theta).A)
    F = naive.gradient(lambda t: problem.at(t).value, theta, 1e-5)
    assert point.gradient == pytest.approx(F, rel=1e-6)
    H = naive.hessian(lambda t: problem.at(t).gradient, theta, 1e-5)
    assert point.hessian() == pytest.approx(H, rel=2e-3, abs=1e-6 * np.abs(H).max())
    other = theta + np.array([1e-3, -2e-3, 1e-3])
    off = np.abs(point.predict(other) - problem.at(other).A).max()
    assert off <= 0.05 * np.abs(point.A - problem.at(other).A).max()


@pytest.mark.parametrize("name", ("logistic", "multinomial", "poisson", "cox"))
def test_another_program_finds_the_same_optimum(name):
    """cvxpy with exponential cones, in feature space."""
    cp = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(1)
    n, C = 25, 2.0
    X = rng.normal(size=(n, 3))
    w, b = cp.Variable((3, 1)), cp.Variable((1, 1))
    f = X @ w + b @ np.ones((1, 1)) if name != "cox" else X @ w
    if name == "logistic":
        y = np.where(X[:, :1] + rng.normal(size=(n, 1)) > 0, 1.0, -1.0)
        loss, L = Logistic(y, C), cp.sum(cp.logistic(-cp.multiply(y, f)))
    elif name == "multinomial":
        classes = np.eye(3)[problems.labels(rng, n, 3)]
        w, b = cp.Variable((3, 3)), cp.Variable((1, 3))
        f = X @ w + np.ones((n, 1)) @ b
        loss = Multinomial(classes, C)
        L = cp.sum(cp.log_sum_exp(f, axis=1)) - cp.sum(cp.multiply(classes, f))
    elif name == "poisson":
        y = rng.poisson(np.exp(X[:, :1])).astype(float)
        loss = Poisson(y, C)
        own = float(np.sum(y * np.log(np.maximum(y, 1)) - y))
        L = cp.sum(cp.exp(f)) - cp.sum(cp.multiply(y, f)) + own
    else:
        time, event = np.ceil(4 * rng.exponential(size=n)), rng.random(n) < 0.7
        loss, L = Cox(time, event, C), 0.0
        for t in np.unique(time[event]):
            dead, risk = (time == t) & event, np.flatnonzero(time >= t)
            d = dead.sum()
            L += d * cp.log_sum_exp(f[risk]) - cp.sum(f[np.flatnonzero(dead)])
            L -= d * np.log(d)
    objective = cp.Minimize(0.5 * cp.sum_squares(w) + C * L)
    best = cp.Problem(objective).solve(solver="CLARABEL")
    problem = Problem(DenseStack((X @ X.T)[None]), loss, Fixed(np.ones(1)))
    assert problem.at(np.ones(1)).value == pytest.approx(best, rel=1e-6)


def test_without_bounds_huber_is_the_square_loss():
    K, _ = _heart(60)
    y = np.random.default_rng(0).normal(size=(60, 1))
    theta = np.full(10, 0.1)
    one = Problem(DenseStack(K), Huber(y, 4.0, 1e3), Simplex()).at(theta)
    other = Problem(DenseStack(K), Square(y, 0.25, True), Simplex()).at(theta)
    assert one.value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(one.A, other.A, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("quantile", (0.1, 0.5, 0.8))
def test_a_share_of_the_targets_is_below_the_quantile(quantile):
    K, _ = _heart(90)
    y = np.random.default_rng(0).normal(size=(90, 1))
    loss = Quantile(y, 1.0, quantile)
    solution = solve(Problem(DenseStack(K), loss, Simplex()), tol=1e-6)
    f = np.tensordot(solution.weights, K, 1) @ solution.A + solution.bias
    below, at = np.mean(y < f - 1e-8), np.mean(abs(y - f) <= 1e-8)
    assert below <= quantile + 1e-9
    assert below + at >= quantile - 1e-9


def _value(loss, K):
    return Problem(DenseStack(K), loss, Simplex()).at(np.ones(len(K))).value


@pytest.mark.parametrize("name", ("logistic", "multinomial", "poisson", "cox"))
def test_a_weight_of_two_is_a_sample_given_twice(name):
    rng = np.random.default_rng(2)
    n = 20
    K = problems.random_psd(rng, 2, n)
    times = rng.integers(0, 3, n)
    times[:4] = 1
    rows = np.repeat(np.arange(n), times)
    y, time = problems.labels(rng, n, 2), np.ceil(3 * rng.exponential(size=n))
    y[:4] = 0, 1, 0, 1
    event = rng.random(n) < 0.8
    make = {
        "logistic": lambda i, c: Logistic(2.0 * y[i, None] - 1, c),
        "multinomial": lambda i, c: Multinomial(np.eye(2)[y[i]], c),
        "poisson": lambda i, c: Poisson(3.0 * y[i, None] + 1, c),
        "cox": lambda i, c: Cox(time[i], event[i], 1.0, c),
    }[name]
    twice = make(rows, np.ones(len(rows)))
    weighted = make(np.arange(n), times.astype(float))
    repeated = K[:, rows][:, :, rows]
    assert _value(weighted, K) == pytest.approx(_value(twice, repeated), rel=1e-9)


def test_strata_are_likelihoods_of_their_own():
    rng = np.random.default_rng(3)
    K, n = problems.random_psd(rng, 1, 30), 30
    time, event = np.ceil(5 * rng.exponential(size=n)), rng.random(n) < 0.6
    strata = np.arange(n) % 2
    A = rng.normal(size=(n, 1))
    whole = Cox(time, event, 2.0, strata=strata)
    parts = [Cox(time[i], event[i], 2.0) for i in (strata == 0, strata == 1)]
    u = [A[strata == s] for s in (0, 1)]
    assert whole.risk(A)[0] == pytest.approx(
        sum(part.risk(x)[0] for part, x in zip(parts, u, strict=True))
    )
    assert np.isfinite(_value(whole, K))


def test_order_and_unit_of_time_do_not_matter():
    rng = np.random.default_rng(4)
    n = 25
    K = problems.random_psd(rng, 2, n)
    time, event = np.ceil(5 * rng.exponential(size=n)), rng.random(n) < 0.6
    i = rng.permutation(n)
    one = _value(Cox(time, event), K)
    assert _value(Cox(time[i], event[i]), K[:, i][:, :, i]) == pytest.approx(one)
    assert _value(Cox(365.25 * time, event), K) == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize("C", (1e-10, 1e8))
@pytest.mark.parametrize("size", (1e-6, 1.0, 1e6))
@pytest.mark.parametrize("name", ("logistic", "multinomial", "cox"))
def test_separable_data_at_any_scale(name, C, size):
    """Bounds that are finite, true and meet, where probabilities are 0 and 1.

    Both sides of weak duality are computed again at the A of the solution.
    """
    x = np.linspace(-1, 1, 40)[:, None]
    K = size * np.stack([x @ x.T, np.exp(-((x - x.T) ** 2))])
    C, time, event = C / size, 2 - x[:, 0], np.ones(40, dtype=bool)
    y = np.where(x > 0.1, 1.0, -1.0)
    both = np.hstack([y > 0, y < 0]).astype(float)
    loss, oracle = {
        "logistic": (Logistic(y, C), judge.logistic(K, y, C)),
        "multinomial": (Multinomial(both, C), judge.multinomial(K, both, C)),
        "cox": (Cox(time, event, C), judge.cox(K, time, event, C)),
    }[name]
    solution = solve(Problem(DenseStack(K), loss, Simplex()), tol=1e-6)
    assert solution.converged
    upper = float(oracle.fitted(solution.weights, solution.A, solution.bias))
    lower = float(oracle.dual(solution.dual_A, np.ones(2)))
    assert lower <= upper <= lower * (1 + 1.1e-6)
    assert solution.certificate.primal == pytest.approx(upper, rel=1e-8)
    assert solution.certificate.dual == pytest.approx(lower, rel=1e-8)


def test_what_cannot_be_learned_from():
    K = np.eye(4)
    with pytest.raises(ValueError, match="one class only"):
        Logistic(np.ones((4, 1))).inner(K)
    with pytest.raises(ValueError, match="no sample of positive weight"):
        Multinomial(np.eye(3)[[0, 1, 0, 1]]).inner(K)
    with pytest.raises(ValueError, match="no event"):
        Cox(np.arange(4.0), np.zeros(4, bool)).inner(K)
    with pytest.raises(ValueError, match="all counts"):
        Poisson(np.zeros((4, 1))).inner(K)
    with pytest.raises(ValueError, match="quantile must"):
        Quantile(np.ones((4, 1)), 1.0, 1.5).inner(K)
    with pytest.raises(ValueError, match="delta must"):
        Huber(np.ones((4, 1)), 1.0, 0.0).inner(K)


@pytest.mark.parametrize("name", ("logistic", "cox", "poisson"))
def test_a_start_from_anywhere(name):
    """A poor start, even one outside the domain, changes nothing but the time."""
    K, makers = _heart(60)
    loss = makers[name](10.0)[0]
    M = K.mean(axis=0)
    best = loss.inner(M).value
    for size in (1e-3, 1.0, 1e3):
        start = size * np.random.default_rng(0).normal(size=(60, 1))
        assert loss.inner(M, start).value == pytest.approx(best, rel=1e-11)


@pytest.mark.parametrize("C", (1.0, 10.0))
def test_the_last_steps_and_the_derivatives_share_a_factor(C, monkeypatch):
    """From the A of half the samples: derivatives cost no factor of their own."""
    K, makers = _heart()
    loss = makers["logistic"](C)[0]
    half = loss.order()[1::2]
    A, M = np.zeros((len(K[0]), 1)), K.mean(axis=0)
    A[half] = loss.sample(half, 2).inner(M[np.ix_(half, half)]).A
    made, system = [], Logistic.system
    monkeypatch.setattr(Logistic, "system", lambda *a: made.append(0) or system(*a))
    inner = loss.inner(M, A)
    steps = len(made)
    inner.hessian(np.stack([k @ inner.A for k in K]))
    assert len(made) == steps <= 3


@pytest.mark.parametrize("name", ("logistic", "poisson", "cox", "huber"))
@pytest.mark.parametrize("kind", SETS)
def test_two_views_of_which_one_is_noise(name, kind, monkeypatch):
    """A straight kernel of noise beside one that bends: its weight goes near zero.

    There F has poles nearby where C is large, although A is bounded.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    f = np.sin(X[:, 0]) + X[:, 1]
    D = np.sum((X[:, None, :2] - X[:, :2]) ** 2, axis=2)
    P = np.eye(40) - 1 / 40
    K = [P @ np.exp(-D / np.median(D)) @ P, P @ X[:, 2:] @ X[:, 2:].T @ P]
    K = np.stack([k * (40 / np.trace(k)) for k in K])
    Y = np.where(rng.random(40) < 1 / (1 + np.exp(-2 * f)), 1.0, -1.0)[:, None]
    counts = rng.poisson(np.exp(f))[:, None].astype(float)
    time, event = rng.exponential(np.exp(-f)), rng.random(40) < 0.6
    make = {
        "logistic": lambda C: Logistic(Y, C),
        "poisson": lambda C: Poisson(counts, C),
        "cox": lambda C: Cox(time, event, C),
        "huber": lambda C: Huber(f[:, None] + 0.3 * Y, C, 0.5),
    }[name]
    # A box, whose faces change, takes more steps: 22 here, and 60 without guards.
    most = 25 if name == "huber" else 15
    for alpha in (1e-6, *ALPHAS):
        loss = make(1 / alpha)
        calls, inner = [], type(loss).inner
        monkeypatch.setattr(
            type(loss), "inner", lambda *a, f=inner, c=calls: c.append(0) or f(*a)
        )
        solution = solve(Problem(DenseStack(K), loss, SETS[kind][0]), tol=1e-6)
        monkeypatch.undo()
        assert solution.converged
        assert len(calls) <= most, f"α = {alpha}"


@pytest.mark.parametrize("kind", SETS)
def test_equal_counts_are_fitted_exactly(kind):
    K, _ = _heart(60)
    loss = Poisson(np.full((60, 1), 3.0), 1.0)
    solution = solve(Problem(DenseStack(K), loss, SETS[kind][0]), tol=1e-6)
    assert solution.converged and solution.certificate.primal == 0
    assert not solution.A.any()
