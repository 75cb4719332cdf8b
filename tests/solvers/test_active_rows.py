"""Support vector machines from the rows near the margin, and on one face of A."""

import numpy as np
import pytest

import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, LazyStack
from kernelweave.kernels import RBF, Linear
from kernelweave.losses import (
    EpsilonInsensitive,
    Hinge,
    OneClass,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from kernelweave.solvers import Newton, active_rows, face_model
from kernelweave.solvers.active_rows import ActiveRows
from kernelweave.weights import ElasticNet, LpBall, Simplex

SETS = {
    "simplex": (Simplex(), lambda p: verify.Simplex(np.ones(p))),
    "ball": (LpBall(2), lambda p: verify.LpBall(2.0)),
    "net": (ElasticNet(0.5), lambda p: verify.ElasticNet(0.5)),
}


def table(n, seed=0, spread=1.5):
    """Three clouds of points in the plane, and which cloud each is of."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    centres = spread * np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.5]])
    return centres[labels] + rng.normal(size=(n, 2)), labels


def lazy(X, center=False, gammas=(0.05, 0.3, 1.0, 5.0)):
    kernels = [RBF(gamma=gamma) for gamma in gammas] + [Linear()]
    return LazyStack([kernel.fit(X) for kernel in kernels], X, center=center)


def signs(labels, k):
    one = labels[:, None] == np.arange(3 if k > 1 else 1)
    return np.where(one, 1.0, -1.0)


def losses(X, labels):
    n, H = len(X), np.sin(2 * X[:, :1]) + X[:, 1:]
    y, Y = signs(labels, 1), signs(labels, 3)
    # Some samples weigh nothing, others much.
    weight = np.where(np.arange(n) % 7 == 0, 0.0, 1.0 + np.arange(n) % 3)
    return {
        "hinge": Hinge(y, 1.0),
        "hinge, C tiny": Hinge(y, 1e-3),
        "hinge, C huge": Hinge(y, 1e3),
        "hinge, weights": Hinge(y, weight),
        "hinge, no intercept": Hinge(y, 1.0, intercept=False),
        "hinge, three classes": Hinge(Y, 1.0),
        "squared hinge": SquaredHinge(y, 1.0),
        "epsilon": EpsilonInsensitive(H, 1.0, 0.3),
        "epsilon, two outputs": EpsilonInsensitive(np.hstack([H, -H + 1]), 1.0, 0.3),
        "squared epsilon": SquaredEpsilonInsensitive(H, 1.0, 0.3),
    }


NAMES = list(losses(*table(9)))


def matrices(gram):
    return np.stack([gram[j] for j in range(gram.p)])


def optimum(gram, loss, weights):
    """The smallest F, by Newton's parabola and all rows."""
    problem = Problem(DenseStack(matrices(gram)), loss, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(face_model, "FEWEST", np.inf)
        patch.setattr(active_rows, "FEWEST", np.inf)
        solution = solve(problem, Newton(), 1e-9)
    assert solution.certificate.relative_gap <= 1e-7
    return solution.certificate.primal


def certified(gram, loss, weights, tol):
    """Solve, and let the verifier compute both bounds from the matrices."""
    ours, theirs = SETS[weights]
    solution = solve(Problem(gram, loss, ours), Newton(), tol)
    T, eps, lower, upper, d = loss.box
    oracle = verify.Box(matrices(gram), T, eps, lower, upper, d, loss.intercept)
    c, set_of = solution.certificate, theirs(gram.p)
    assert solution.converged, solution.status
    assert np.all(solution.weights >= 0)
    assert set_of.cost(solution.weights) <= 1 + 1e-12
    for A in (solution.A, solution.dual_A):
        outside = np.max(np.abs(A - oracle.into_domain(A)))
        assert outside <= 1e-12 * max(1.0, np.max(np.abs(A)))
    upper_bound = oracle.fitted(solution.weights, solution.A, solution.bias)
    lower_bound = oracle.bound(solution.dual_A, set_of)
    scale = float(abs(upper_bound))
    assert c.primal == pytest.approx(float(upper_bound), abs=1e-9 * scale)
    assert c.dual == pytest.approx(float(lower_bound), abs=1e-9 * scale)
    assert upper_bound - lower_bound <= tol * scale * (1 + 1e-6)
    return solution


@pytest.fixture
def few(monkeypatch):
    """Rows are left out however few there are, and faces are gone along."""
    monkeypatch.setattr(active_rows, "FEWEST", 1)
    monkeypatch.setattr(active_rows, "MOST", 0.95)
    monkeypatch.setattr(face_model, "FEWEST", 1)


@pytest.mark.parametrize("tol", [1e-3, 1e-4, 1e-7])
@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_that_of_all_rows(few, name, tol):
    X, labels = table(130)
    loss, gram = losses(X, labels)[name], lazy(X)
    solution = certified(gram, loss, "simplex", tol)
    best = optimum(gram, loss, Simplex())
    assert best * (1 - 1e-6) <= solution.certificate.primal <= best * (1 + 1.01 * tol)


@pytest.mark.parametrize("weights", ["ball", "net"])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("name", ["hinge", "hinge, three classes", "epsilon"])
def test_other_sets_and_centred_kernels(few, name, center, weights):
    X, labels = table(120, seed=1)
    loss, gram = losses(X, labels)[name], lazy(X, center)
    solution = certified(gram, loss, weights, 1e-4)
    best = optimum(gram, loss, SETS[weights][0])
    assert solution.certificate.primal == pytest.approx(best, rel=1.01e-4)


@pytest.mark.parametrize("n", [3, 4, 7, 20])
def test_few_rows(few, n):
    X, labels = table(n)
    gram, loss = lazy(X), Hinge(signs(labels, 1), 1.0)
    solution = certified(gram, loss, "simplex", 1e-4)
    best = optimum(gram, loss, Simplex())
    assert solution.certificate.primal == pytest.approx(best, rel=1.01e-4)


def test_rows_that_are_there_twice(few):
    X, labels = table(60)
    X, labels = np.vstack([X, X, X[:20]]), np.append(labels, [*labels, *labels[:20]])
    gram, loss = lazy(X), Hinge(signs(labels, 1), 10.0)
    solution = certified(gram, loss, "simplex", 1e-4)
    best = optimum(gram, loss, Simplex())
    assert solution.certificate.primal == pytest.approx(best, rel=1.01e-4)


def test_equal_kernels(few):
    X, labels = table(90)
    gram, loss = lazy(X, gammas=(0.3, 0.3, 0.3)), Hinge(signs(labels, 1), 1.0)
    certified(gram, loss, "simplex", 1e-4)


def test_every_row_is_a_support_vector(few):
    # A kernel that is nearly the identity, and targets without a pattern.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.where(rng.random((100, 1)) < 0.5, 1.0, -1.0)
    gram, loss = lazy(X, gammas=(500.0, 900.0)), Hinge(y, 1.0)
    solution = certified(gram, loss, "simplex", 1e-4)
    assert np.count_nonzero(solution.A) > 90


def test_one_class(few):
    X, _ = table(120)
    gram, loss = lazy(X), OneClass(np.ones(len(X)), 12.0)
    solution = solve(Problem(gram, loss, Simplex()), Newton(), 1e-4)
    best = optimum(gram, loss, Simplex())
    assert solution.converged
    assert solution.certificate.primal == pytest.approx(best, rel=1.01e-4)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("name", ["hinge", "hinge, three classes", "epsilon"])
def test_one_theta_after_another(name, center, monkeypatch):
    monkeypatch.setattr(active_rows, "MOST", 1.0)
    X, labels = table(150, seed=2)
    gram, loss = lazy(X, center), losses(X, labels)[name]
    problem = Problem(gram, loss, Simplex())
    rows = ActiveRows(problem, 1e-10)
    asked = []
    block = gram.block
    gram.block = lambda theta, index: asked.append(len(index)) or block(theta, index)
    rng = np.random.default_rng(0)
    theta, A = np.full(gram.p, 1 / gram.p), None
    for _ in range(4):
        theta = 0.5 * theta + 0.5 * rng.dirichlet(np.ones(gram.p))
        point, whole = rows.at(theta, A), problem.at(theta)
        A = point.A
        assert point.value == pytest.approx(whole.value, rel=1e-10)
        np.testing.assert_allclose(point.s, whole.s, rtol=1e-6)
        np.testing.assert_allclose(point.hessian(), whole.hessian(), rtol=1e-4)
        near = rows.roughly(theta, A, 1e-4)
        assert whole.value * (1 - 1e-12) <= near.value <= whole.value * 1.001
    assert asked and max(asked) < gram.n


def test_rows_seen_from_a_sample(monkeypatch):
    monkeypatch.setattr(active_rows, "MOST", 0.9)
    X, labels = table(200, spread=4.0)
    gram, loss = lazy(X, gammas=(0.01, 0.05)), Hinge(signs(labels, 1), 100.0)
    problem = Problem(gram, loss, Simplex())
    theta = np.full(gram.p, 1 / gram.p)
    rows, A, sample = ActiveRows(problem, 1e-10), np.zeros((200, 1)), problem.sample(4)
    assert sample is not None
    A[problem.sampled_rows(4)] = sample.at(theta).A
    rows.see(theta, A)
    asked = []
    block = gram.block
    gram.block = lambda theta, index: asked.append(len(index)) or block(theta, index)
    assert rows.at(theta).value == pytest.approx(problem.at(theta).value, rel=1e-10)
    assert len(asked) == 1
    assert asked[0] < 180


def test_the_model_of_a_face_is_f(few):
    """Where no entry meets a bound the model is F itself, far from θ₀, too."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    H = np.sin(X[:, :1])
    problem = Problem(lazy(X), SquaredEpsilonInsensitive(H, 1.0, 0.0), Simplex())
    theta = np.full(5, 0.2)
    point = problem.at(theta)
    some = np.arange(5)
    tangents = point.tangents(some)
    assert tangents is not None
    model = face_model._Model(problem, point, some, *tangents)
    assert model.at(theta).value == pytest.approx(point.value, rel=1e-10)
    errors = []
    for t in (0.02, 0.04):
        moved = theta + t * np.array([1.0, -0.5, 0.5, -0.5, -0.5])
        errors.append(abs(model.at(moved).value - problem.at(moved).value))
    # Off by the fourth power: twice the way is sixteen times the error.
    assert errors[0] < 1e-4 * abs(point.value)
    assert 10 < errors[1] / errors[0] < 24
    here = model.at(moved)
    slope = (model.at(moved + 1e-6 * np.eye(5)[0]).value - here.value) / 1e-6
    assert slope == pytest.approx(-0.5 * here.s[0], rel=1e-4)
