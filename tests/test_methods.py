"""Every row of the table runs, and rows of one problem have one optimum."""

import numpy as np
import pytest

import bounds
import problems
import verify
import verify_likelihood as judge
from kernelweave import METHODS
from kernelweave.cli import main
from kernelweave.kernels import RBF
from kernelweave.losses import (
    Cox,
    EpsilonInsensitive,
    FisherRatio,
    Hinge,
    Huber,
    Logistic,
    MajorizedSquare,
    Poisson,
    Quantile,
    Square,
    SquaredHinge,
    discriminant_targets,
)
from kernelweave.losses.square import class_coding
from kernelweave.methods import Method
from kernelweave.problem import WeightSet
from kernelweave.solvers import Newton
from kernelweave.weights import ElasticNet, LpBall, LpPenalty, Simplex

SIGMAS = (0.5, 1.0, 2.0, 5.0)
KERNELS = [RBF(gamma=1 / s**2) for s in SIGMAS]
TABLES = {k: problems.blobs(40, 3, k, seed=k) for k in (2, 3)}


def _classes(method):
    return (2,) if method.loss is FisherRatio else (2, 3)


OUTCOMES = {
    name: method for name, method in METHODS.items() if method.normalize == "variance"
}
PAPERS = {name: method for name, method in METHODS.items() if name not in OUTCOMES}
CASES = [(name, k) for name, method in PAPERS.items() for k in _classes(method)]


def _machine(K, y, k, method):
    """One class against the rest, or two; C learned with the identity as kernel 0."""
    Y = np.where(y[:, None] == np.arange(k), 1.0, -1.0)
    Y = Y[:, 1:] if k == 2 else Y
    if method.learn_lambda:
        box = verify.squared_hinge(K, Y, 1.0)
        return verify.LearnedC(**(vars(box) | {"d": np.zeros(Y.shape)}))
    make = verify.hinge if method.loss is Hinge else verify.squared_hinge
    return make(K, Y, method.C)


def _set(weights):
    """The verifier's set of weights."""
    if isinstance(weights, LpBall):
        return verify.LpBall(weights.p)
    if isinstance(weights, ElasticNet):
        return verify.ElasticNet(weights.v)
    return None


def _oracle(method, k, alpha):
    """The verifier's problem: centred kernels, of unit trace or diagonal."""
    X, y = TABLES[k]
    D = np.sum((X[:, None] - X) ** 2, axis=2)
    P = np.eye(len(X)) - 1 / len(X)
    K = np.stack([P @ np.exp(-D / s**2) @ P for s in SIGMAS])
    K = (K + K.transpose(0, 2, 1)) / 2
    # A Gaussian kernel is spherical as it is.
    if method.normalize == "trace":
        K /= np.trace(K, axis1=1, axis2=2)[:, None, None]
    lam = alpha
    if method.learn_lambda:
        K, lam = verify.with_identity(K, 1 / len(X)), 0.0
    if method.is_svm:
        return _machine(K, y, k, method)
    if method.loss is Square:
        return verify.Square(K, discriminant_targets(y, k), lam, True)
    if method.loss is MajorizedSquare:
        return verify.Majorized(K, class_coding(y, k), lam, True)
    return verify.Fisher(K, 2.0 * y - 1, lam)


@pytest.fixture(scope="module")
def values():
    """Optimal values by loss, λ learned, C, weights and classes, filled by the rows."""
    return {}


@pytest.mark.parametrize("name, k", CASES)
def test_row(name, k, values):
    method = METHODS[name]
    X, y = TABLES[k]
    model = method.estimator(KERNELS).fit(X, y)
    assert model.solution_.converged
    oracle = _oracle(method, k, method.alpha)
    if method.is_svm:
        primal, _, _ = verify.check(
            oracle,
            model.solution_,
            weights=_set(method.weights),
            rounding=1e-6,
            tol=1.01e-4,
            slack=1e-6,
        )
    elif isinstance(method.weights, LpBall | LpPenalty):
        primal = _check_norm(oracle, model.solution_, method.weights)
    else:
        # The model computed its own Gram matrices: they differ from ours by rounding,
        # which λ = 1e-8 magnifies to 1e-15/1e-8.
        primal, _, _ = verify.check(oracle, model.solution_, rounding=1e-6, tol=2e-6)
    same = (method.loss, method.learn_lambda, method.C, method.normalize)
    key = (*same, type(method.weights), k)
    # Formulations with the same optimum agree with the first of them.
    first = values.setdefault(key, primal)
    assert primal == pytest.approx(first, rel=2e-4 if method.is_svm else 2e-6)
    assert model.score(X, y) > (0.75 if method.is_svm else 0.8)
    if isinstance(method.weights, Simplex) and not method.is_svm:
        lam = model.alpha_ * len(X) if method.learn_lambda else 0
        assert model.weights_.sum() + lam == pytest.approx(1, abs=1e-12)


def _check_norm(oracle, solution, weights):
    """As verify.check, for ‖θ‖_p ≤ 1 and for the penalty (μ/2)‖θ‖_p² of (26)."""
    p = weights.p
    norm = bounds.norm(bounds.dual_power(p))
    theta = solution.weights
    size = np.linalg.norm(theta, p)
    if isinstance(weights, LpBall):
        assert size == pytest.approx(1, abs=1e-12)
        bounds.check(oracle, solution, norm, tol=1.01e-6)
        return float(oracle.primal(theta))
    mu = weights.mu
    bounds.check(
        oracle,
        solution,
        lambda s: norm(s) ** 2 / (4 * mu),
        penalty=lambda theta: mu / 2 * np.linalg.norm(theta, p) ** 2,
        tol=1.01e-6,
    )
    return float(oracle.primal(theta)) + mu / 2 * size**2


def test_approximate_is_another_problem():
    # (32) loses: its optimum is above that of (29) on the same data.
    X, y = TABLES[3]
    exact = METHODS["ye2008"].estimator(KERNELS).fit(X, y)
    loose = METHODS["ye2008-approximate"].estimator(KERNELS).fit(X, y)
    assert loose.solution_.certificate.dual > exact.solution_.certificate.primal


@pytest.mark.parametrize("method", PAPERS.values(), ids=PAPERS)
def test_table(method):
    assert isinstance(method.weights, WeightSet)
    assert hasattr(method.solver, "iterates")
    assert method.loss in (FisherRatio, Hinge, MajorizedSquare, Square, SquaredHinge)
    # λ, C and scale of the papers.
    paper = method.reference.partition(" ")[0]
    assert (method.alpha, method.C, method.normalize) == {
        "Kim": (1e-8, 1.0, "trace"),
        "Ye": (5e-4, 1.0, "trace"),
        "Yang": (5e-4, 100.0, "trace"),
        "Hao": (5e-4, 1.0, None),
        "Yan": (1.0, 1.0, "spherical"),
    }[paper]


def _targets(f, k):
    """An outcome of every loss, as estimators take it, from a signal f (n,)."""
    rng = np.random.default_rng(0)
    time, event = rng.exponential(np.exp(-f)), rng.random(len(f)) < 0.7
    lives = np.empty(len(f), dtype=[("event", bool), ("time", float)])
    lives["event"], lives["time"] = event, time
    classes = np.searchsorted(np.quantile(f, np.arange(1, k) / k), f)
    return {
        Logistic: classes,
        Cox: lives,
        Poisson: rng.poisson(np.exp(1 + f)),
        Huber: f,
        Quantile: f,
    }


def _judge(method, K, y, k):
    """The verifier's problem of an outcome, at alpha = C = 1."""
    if method.loss is Logistic and k > 2:
        return judge.multinomial(K, np.eye(k)[y], 1.0)
    if method.loss is Logistic:
        return judge.logistic(K, 2.0 * y[:, None] - 1, 1.0)
    if method.loss is Cox:
        return judge.cox(K, y["time"], y["event"], 1.0)
    column = y[:, None].astype(float)
    if method.loss is Poisson:
        return judge.poisson(K, column, 1.0)
    if method.loss is Quantile:
        return judge.quantile(K, column, 1.0, 0.5)
    spread = 1.4826 * np.median(np.abs(y - np.median(y)))
    return judge.huber(K, column, 1.0, 1.35 * spread)


@pytest.mark.parametrize(
    "name, k",
    [
        (name, k)
        for name, method in OUTCOMES.items()
        for k in ((2, 3) if method.loss is Logistic else (2,))
    ],
)
def test_row_of_another_outcome(name, k):
    method = METHODS[name]
    assert (method.alpha, method.C) == (1.0, 1.0)
    X = TABLES[2][0]
    y = _targets(np.sin(X[:, 0]) + 0.5 * X[:, 1], k)[method.loss]
    model = method.estimator(KERNELS).fit(X, y)
    assert model.solution_.converged
    D = np.sum((X[:, None] - X) ** 2, axis=2)
    P = np.eye(len(X)) - 1 / len(X)
    K = np.stack([P @ np.exp(-D / s**2) @ P for s in SIGMAS])
    K = (K + K.transpose(0, 2, 1)) / 2
    K *= len(X) / np.trace(K, axis1=1, axis2=2)[:, None, None]
    tol = 1.01e-4 if method.loss is Quantile else 1.01e-6
    oracle = _judge(method, K, y, k)
    verify.check(oracle, model.solution_, rounding=1e-6, tol=tol, slack=1e-6)
    assert method.estimator(KERNELS, tol=1e-2).tol == 1e-2


class _Own(Square):
    """A square loss of one's own, which no estimator has a word for."""


@pytest.mark.parametrize(
    "loss", [EpsilonInsensitive, _Own, "hinge", Square(np.eye(2), 1.0)]
)
def test_other_losses_are_refused(loss):
    # None of them may run as the square loss.
    with pytest.raises(ValueError, match="a Method runs with the losses Square"):
        Method(loss, Simplex(), Newton(), "nobody")


def test_the_list_of_methods_fits_a_terminal(capsys):
    assert main(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(METHODS) + 2
    assert max(map(len, lines)) <= 80


def test_parameters_override_the_paper():
    model = METHODS["ye2008"].estimator(KERNELS, alpha=0.1, tol=1e-3)
    assert (model.alpha, model.tol, model.normalize) == (0.1, 1e-3, "trace")


def test_rows_are_not_changed_through_an_estimator():
    # No state is shared: setting a parameter of a model must leave the table alone.
    before = METHODS["ye2008-silp"].solver.get_params()
    model = METHODS["ye2008-silp"].estimator(KERNELS)
    try:
        model.set_params(solver__epsilon=0.5)
        assert METHODS["ye2008-silp"].solver.get_params() == before
    finally:
        METHODS["ye2008-silp"].solver.set_params(**before)
