"""Truncated Newton in the primal: the optimum of Newton's method, by products alone."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist

import problems
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import (
    EpsilonInsensitive,
    Hinge,
    MajorizedSquare,
    Square,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from kernelweave.simplex_qp import minimise_on_simplex
from kernelweave.solvers import Newton, Primal
from kernelweave.solvers.nesterov import minimise_quadratic
from kernelweave.solvers.primal import _response, pieces_of
from kernelweave.solvers.truncated_newton import conjugate_gradients, minimise
from kernelweave.weights import ElasticNet, Fixed, LpBall, LpPenalty, Simplex

TOL = 1e-6
RNG = np.random.default_rng(0)
SETS = (Simplex(), LpBall(2), ElasticNet(0.5))


def _data(name, n=150):
    X, y = problems.table(name, n)
    return X, problems.ten_gaussians(X, "variance"), 2.0 * y[:, None] - 1


def _losses(X, Y):
    """The three losses; regression is on two of the features and the class."""
    H = np.column_stack([X[:, :2], Y])
    return {
        "squared hinge": SquaredHinge(Y, 3.0),
        "square": Square(H, 0.1, intercept=True),
        "squared ε": SquaredEpsilonInsensitive(H, 5.0, 0.05),
    }


def _loss_of(loss, f):
    """Σφ of fitted values, as the docstrings of the losses write it."""
    if isinstance(loss, Square):
        return np.sum((loss.H - f) ** 2) / (2 * loss.lam)
    if isinstance(loss, SquaredHinge):
        C, error = loss.C, np.maximum(1 - loss.Y * f, 0)
    else:
        C, error = loss.C, np.maximum(np.abs(loss.H - f) - loss.epsilon, 0)
    C = np.asarray(C)
    return np.sum((C[:, None] if C.ndim == 1 else C) / 2 * error**2)


def _g(loss, A):
    if isinstance(loss, Square):
        return np.sum(A * loss.H) - loss.lam / 2 * np.sum(A * A)
    C = np.broadcast_to(np.transpose(np.atleast_2d(loss.C)), A.shape)
    assert np.all(A[C == 0] == 0), "a sample that is left out has a coefficient"
    square = np.sum((A * A)[C > 0] / C[C > 0]) / 2
    if isinstance(loss, SquaredHinge):
        assert np.all(A * loss.Y >= 0), "a coefficient has the wrong sign"
        return np.sum(A * loss.Y) - square
    return np.sum(A * loss.H) - loss.epsilon * np.sum(np.abs(A)) - square


def _support(weights, s):
    """σ(s), or a little more, which only lowers D."""
    if isinstance(weights, Simplex):
        return np.max(s)
    if isinstance(weights, LpBall):
        return np.linalg.norm(s)
    if isinstance(weights, Fixed):
        return np.mean(s)
    v = weights.v

    def upper(eta):  # max_θ θᵀs + η(1 − Σ vθ + (1−v)θ²)
        return eta + np.sum(np.maximum(s - eta * v, 0) ** 2) / (4 * eta * (1 - v))

    result = minimize_scalar(
        upper, bounds=(1e-3 * s.max(), 4 * s.sum()), options={"xatol": 1e-12}
    )
    return result.fun


def _check(problem, K, solution, tol=TOL):
    """Both bounds from the raw matrices: nothing of the package but its answer."""
    loss, theta = problem.loss, solution.weights
    assert solution.converged
    assert np.all(theta >= 0)
    f = np.tensordot(theta, K, 1) @ solution.A
    primal = np.sum(solution.A * f) / 2 + _loss_of(loss, f + solution.bias)
    A = solution.dual_A
    if loss.intercept:
        assert np.max(np.abs(A.sum(axis=0))) <= 1e-12 * np.sum(np.abs(A))
    dual = (
        _g(loss, A) - _support(problem.weights, np.einsum("ik,jil,lk->j", A, K, A)) / 2
    )
    assert solution.certificate.primal == pytest.approx(primal, rel=1e-9)
    assert solution.certificate.dual == pytest.approx(dual, rel=1e-9)
    assert primal - dual <= 1.01 * tol * primal
    return primal


@pytest.mark.parametrize("weights", SETS, ids=lambda w: type(w).__name__)
@pytest.mark.parametrize("name", ["ionosphere", "heart", "pima"])
@pytest.mark.parametrize("kind", ["squared hinge", "square", "squared ε"])
def test_agrees_with_newton(kind, name, weights):
    X, K, Y = _data(name)
    problem = Problem(DenseStack(K), _losses(X, Y)[kind], weights)
    solution = solve(problem, Primal(), TOL, max_iter=30)
    primal = _check(problem, K, solution)
    reference = solve(problem, Newton(), 1e-8).certificate
    assert reference.dual <= primal <= reference.primal * (1 + TOL)


@pytest.mark.parametrize("name", ["ionosphere", "heart", "pima"])
def test_the_papers_kernels(name):
    # 33 Gaussians as they are, of features in [−1, 1] (Hao et al. 2012, §5.2).
    X, y = problems.table(name, 250)
    D = cdist(2 * X - 1, 2 * X - 1, "sqeuclidean")
    widths = [base**i for base in (1.1, 1.5, 2.0) for i in range(-5, 6)]
    K = np.stack([np.exp(-D / (2 * width**2)) for width in widths])
    Y = 2.0 * y[:, None] - 1
    for C in (1.0, 100.0):
        problem = Problem(DenseStack(K), SquaredHinge(Y, C), Simplex())
        primal = _check(problem, K, solve(problem, Primal(), 1e-5), 1e-5)
        newton = _check(problem, K, solve(problem, Newton(), 1e-5), 1e-5)
        assert primal == pytest.approx(newton, rel=1e-5)


@pytest.mark.parametrize("weights", [*SETS, Fixed()], ids=lambda w: type(w).__name__)
def test_weighted_samples_without_intercept(weights):
    X, K, Y = _data("wine", 90)
    Y = np.hstack([np.where(y == Y, 1.0, -1.0) for y in np.unique(Y)])
    C = RNG.uniform(0.1, 4, len(Y)) * (np.arange(len(Y)) % 5 > 0)
    for loss in (
        SquaredHinge(Y, C),
        SquaredHinge(Y, C, intercept=False),
        SquaredEpsilonInsensitive(X[:, :2], C, 0.1, intercept=False),
        # The kernels annihilate 1, and A does not: a null space that D sees.
        Square(Y, 0.1, intercept=False),
    ):
        problem = Problem(DenseStack(K), loss, weights)
        _check(problem, K, solve(problem, Primal(), TOL))


@pytest.mark.parametrize("C", [1e-4, 100.0, 1e6])
def test_range_of_C(C):
    # The alternation in print takes some 1 + C‖K‖ iterations.
    _, K, Y = _data("heart", 100)
    for weights in SETS:
        problem = Problem(DenseStack(K), SquaredHinge(Y, C), weights)
        _check(problem, K, solve(problem, Primal(), TOL, max_iter=30))


@pytest.mark.parametrize("weights", SETS, ids=lambda w: type(w).__name__)
def test_start_does_not_matter(weights):
    _, K, Y = _data("heart", 100)
    problem = Problem(DenseStack(K), SquaredHinge(Y, 5.0), weights)
    first = solve(problem, Primal(), 1e-9)
    assert first.converged
    # A vertex, whose other weights are zero, and a random point.
    for start in (np.eye(10)[4], weights.project(RNG.uniform(0, 1, 10))):
        other = solve(problem, Primal(), 1e-9, start=start)
        assert other.converged
        primal = first.certificate.primal
        assert other.certificate.primal == pytest.approx(primal, rel=2e-9)
        assert other.weights == pytest.approx(first.weights, abs=1e-3)
    again = solve(problem, Primal(), 1e-9, start=first)
    assert again.n_iter <= first.n_iter


def test_gap_goes_to_rounding():
    _, K, Y = _data("heart", 100)
    problem = Problem(DenseStack(K), SquaredHinge(Y, 5.0), Simplex())
    solution = solve(problem, Primal(), 0.0)
    # It ends by itself, where rounding is all that is left.
    assert solution.n_iter < 50
    assert abs(solution.certificate.relative_gap) < 1e-11


@pytest.mark.parametrize(
    "loss",
    [
        Square(np.ones((60, 1)), 0.1, intercept=True),
        SquaredHinge(np.where(np.arange(60) < 30, 1.0, -1.0)[:, None], 0.0),
        SquaredEpsilonInsensitive(np.ones((60, 1)), 1.0, 2.0, intercept=False),
    ],
    ids=["constant targets", "C = 0", "all within ε"],
)
def test_nothing_to_fit(loss):
    gram = DenseStack(problems.random_psd(RNG, 3, 60))
    solution = solve(Problem(gram, loss, Simplex()), Primal())
    assert solution.converged
    assert solution.certificate.primal == 0


class _Products:
    """A matrix that can be multiplied, and nothing else."""

    def __init__(self, K, count):
        self.K, self.count = K, count

    def __len__(self):
        return len(self.K)

    def __matmul__(self, X):
        self.count.append(X.shape[1])
        return self.K @ X


class _ProductStack(DenseStack):
    def __init__(self, K):
        super().__init__(K)
        self.count = []

    def combine(self, theta):
        return _Products(super().combine(theta), self.count)


def test_products_alone_and_fewer_if_truncated():
    _, K, Y = _data("ionosphere")
    columns = {}
    for truncated in (True, False):
        gram = _ProductStack(K)
        problem = Problem(gram, SquaredHinge(Y, 1.0), LpBall(2))
        _check(problem, K, solve(problem, Primal(truncated=truncated), TOL))
        columns[truncated] = sum(gram.count)
    assert columns[True] < 0.9 * columns[False]


@pytest.mark.parametrize("kind", ["squared hinge", "square", "squared ε"])
@pytest.mark.parametrize("intercept", [True, False])
def test_inner_minimum_and_response(kind, intercept):
    X, K, Y = _data("pima", 80)
    loss = _losses(X, Y)[kind].set_params(intercept=intercept)
    theta = np.full(10, 0.1)
    exact = Problem(DenseStack(K), loss, Simplex()).at(theta)
    applied = DenseStack(K).apply(exact.A)
    pieces, M = pieces_of(loss), K.mean(axis=0)
    k = exact.A.shape[1]
    inner = minimise(M, pieces, np.zeros((80, k)), np.zeros(k), 1e-18, True)
    assert inner.alpha == pytest.approx(exact.A, abs=1e-7 * np.max(np.abs(exact.A)))
    # dα/dθ by a difference, and ∇²F from a factorisation.
    V, H = _response(M, pieces, inner.answer, applied, 1e-16)
    assert pytest.approx(exact.hessian(), rel=1e-6) == H
    direction = np.zeros(10)
    direction[[2, 7]] = 1e-6, -1e-6
    moved = Problem(DenseStack(K), loss, Simplex()).at(theta + direction)
    change = -np.tensordot(V, direction, ([1], [0]))
    size = np.max(np.abs(change))
    assert pytest.approx(change, abs=1e-3 * size) == moved.A - exact.A
    # Truncated, it only bends more.
    _, rough = _response(M, pieces, inner.answer, applied, 0.5)
    excess = np.linalg.eigvalsh(rough - H)
    assert excess[-1] > 1e-4 * np.linalg.norm(H)
    assert excess[0] > -1e-7 * np.linalg.norm(H)


def test_conjugate_gradients_solve_the_system():
    _, K, Y = _data("heart", 60)
    pieces, M = pieces_of(SquaredHinge(Y, 2.0)), K.mean(axis=0)
    w = np.where(np.arange(60) % 3 > 0, 2.0, 0.0)[:, None]
    W = np.diagflat(w) - w @ w.T / w.sum()
    r = W @ RNG.normal(size=(60, 1))
    X, KX, energy = conjugate_gradients(
        M, pieces, w, r, lambda rho, _: rho <= 1e-24 * np.sum(r * r)
    )
    expected = np.linalg.solve(np.eye(60) + W @ M, r)
    assert pytest.approx(expected, abs=1e-9) == X
    assert pytest.approx(M @ expected, abs=1e-8) == KX
    assert energy == pytest.approx(np.sum(0.5 * r * expected))


def test_nesterov():
    Z = RNG.normal(size=(6, 10))
    H, g = Z.T @ Z, RNG.normal(size=10)
    start = np.full(10, 0.1)
    x = minimise_quadratic(g, H, start, Simplex().project)
    # The same with the model about zero, by an active-set method.
    best = minimise_on_simplex(H, g - H @ start, start)

    def value(x):
        return g @ (x - start) + 0.5 * (x - start) @ H @ (x - start)

    assert value(x) == pytest.approx(value(best), rel=1e-6)
    assert value(x) < value(start) - 0.1
    # With H = I it is a projection.
    c = RNG.normal(size=10)
    near = minimise_quadratic(start - c, np.eye(10), start, LpBall(2).project)
    assert near == pytest.approx(LpBall(2).project(c), abs=1e-6)


def test_what_it_cannot_do():
    gram = DenseStack(problems.random_psd(RNG, 3, 20))
    Y = np.where(np.arange(20) < 9, 1.0, -1.0)[:, None]
    for loss in (Hinge(Y), EpsilonInsensitive(Y), MajorizedSquare(Y, 0.1)):
        with pytest.raises(TypeError, match=r"piecewise quadratic, not .*; use Newton"):
            solve(Problem(gram, loss, Simplex()), Primal())
    with pytest.raises(TypeError, match="needs a set of weights, not LpPenalty"):
        solve(Problem(gram, Square(Y, 0.1), LpPenalty(2)), Primal())
    learned = WithIdentity(gram)
    for loss in (Square(Y, 0.0), SquaredHinge(Y, np.inf)):
        with pytest.raises(ValueError, match="λ > 0 and a finite C"):
            solve(Problem(learned, loss, Simplex()), Primal())
