"""MKLOneClassSVM against scikit-learn's OneClassSVM, and its own conventions."""

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

import verify
from kernelweave import MKLOneClassSVM, Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.kernels import RBF
from kernelweave.losses import OneClass
from kernelweave.solvers import QCQP, SILP, Level, Newton, ReducedGradient
from kernelweave.weights import ElasticNet, LpBall, Simplex

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
NEW = 2 * RNG.normal(size=(60, 4))
VIEWS = [RBF(columns=[j], name=str(j)) for j in range(4)]


@pytest.mark.parametrize("nu", [0.01, 0.1, 0.5, 0.9])
def test_one_kernel_is_one_class_svm(nu):
    ours = MKLOneClassSVM([RBF(gamma=0.3)], nu=nu, normalize=None).fit(X)
    theirs = OneClassSVM(gamma=0.3, nu=nu, tol=1e-8).fit(X)
    assert ours.decision_function(NEW) == pytest.approx(
        theirs.decision_function(NEW), abs=1e-5
    )
    assert ours.offset_ == pytest.approx(float(theirs.offset_[0]), abs=1e-5)
    assert ours.score_samples(NEW) == pytest.approx(theirs.score_samples(NEW), abs=1e-5)
    assert np.array_equal(ours.predict(NEW), theirs.predict(NEW))
    assert np.array_equal(ours.support_, theirs.support_)
    assert ours.dual_coef_.sum() == pytest.approx(nu * len(X))


def test_weights_of_samples():
    weight = RNG.integers(0, 3, len(X)).astype(float)
    ours = MKLOneClassSVM([RBF(gamma=0.3)], nu=0.3, normalize=None)
    ours.fit(X, sample_weight=weight)
    repeated = MKLOneClassSVM([RBF(gamma=0.3)], nu=0.3, normalize=None)
    repeated.fit(np.repeat(X, weight.astype(int), axis=0))
    assert ours.decision_function(NEW) == pytest.approx(
        repeated.decision_function(NEW), abs=1e-6
    )


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.7])
def test_nu_bounds_the_share_outside(nu):
    model = MKLOneClassSVM(VIEWS, nu=nu).fit(X)
    assert np.mean(model.predict(X) == -1) <= nu + 1e-12
    assert len(model.support_) / len(X) >= nu - 1e-12


class Oracle(verify.Box):
    """Σa = total: the same box, another plane."""

    total = 24.0

    def into_domain(self, A):
        A = np.clip(np.asarray(A, verify.LONG), self.lower, self.upper)
        size = A.sum()
        if size >= self.total:
            return A * (self.total / size)
        room = self.upper - A
        return A + room * ((self.total - size) / room.sum())

    def fitted_at(self, theta, A):
        """½aᵀKa + Σφ(−f + ρ) − total·ρ at the best ρ: convex, so by bisection."""
        f = self.combine(theta) @ np.asarray(A, verify.LONG)
        low, high = f.min() - 1, f.max() + 1
        for _ in range(200):
            rho = (low + high) / 2
            # Σ upper over the samples below ρ is the slope of the sum.
            if self.upper[f < rho].sum() < self.total:
                low = rho
            else:
                high = rho
        errors = np.sum(self.upper * np.maximum(low - f, 0))
        return np.sum(A * f) / 2 + errors - self.total * low


SETS = {
    "simplex": (Simplex(), lambda s: np.max(s), lambda t: np.sum(t)),
    "ball": (LpBall(2), lambda s: np.sqrt(np.sum(s * s)), lambda t: np.sum(t * t)),
    "net": (
        ElasticNet(0.5),
        lambda s: float(verify.ElasticNet(0.5).support(s)),
        lambda t: 0.5 * np.sum(t) + 0.5 * np.sum(t * t),
    ),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "solver", [Newton(), SILP(), Level(0.5, 0.5), ReducedGradient(), QCQP()], ids=str
)
def test_certificates(name, solver):
    weights, support, cost = SETS[name]
    if isinstance(solver, ReducedGradient) and name != "simplex":
        pytest.skip("for the simplex")
    if isinstance(solver, QCQP):
        pytest.importorskip("cvxpy")
    K = np.stack([np.exp(-((x[:, None] - x) ** 2)) for x in X.T])
    zero, one = np.zeros((120, 1)), np.ones((120, 1))
    oracle = Oracle(K, zero, 0.0, zero, one, zero, True)
    problem = Problem(DenseStack(K), OneClass(np.ones(120), 24.0), weights)
    solution = solve(problem, solver, 1e-4, max_iter=5000)
    c = solution.certificate
    assert solution.converged and c.relative_gap <= 1e-4
    assert cost(solution.weights) == pytest.approx(1, abs=1e-6)
    # From both sides, by code of its own: primal value at f, dual value at A.
    upper = float(oracle.fitted_at(solution.weights, solution.A))
    A = oracle.into_domain(solution.dual_A)
    assert np.asarray(A, float) == pytest.approx(solution.dual_A, abs=1e-9)
    lower = float(-support(np.asarray(oracle.quadratic(A), float)) / 2)
    assert upper == pytest.approx(c.primal, rel=1e-9)
    assert lower == pytest.approx(c.dual, rel=1e-9)
    assert 0 <= upper - lower <= 1.01e-4 * abs(lower)


def test_the_widest_kernel_wins_on_the_simplex():
    model = MKLOneClassSVM().fit(X)
    assert np.flatnonzero(model.weights_).tolist() == [4]
    model = MKLOneClassSVM(weights=LpBall(2)).fit(X)
    assert np.all(model.weights_ > 0)


def test_gram_matrices():
    kernels = [RBF(gamma=0.1), RBF(gamma=1.0)]
    stack = np.stack([kernel.fit(X, X)(X) for kernel in kernels])
    cross = np.stack([kernel(NEW, X) for kernel in kernels])
    table = MKLOneClassSVM(kernels, LpBall(2), normalize=None).fit(X)
    given = MKLOneClassSVM("precomputed", LpBall(2), normalize=None).fit(stack)
    assert given.decision_function(cross) == pytest.approx(
        table.decision_function(NEW), abs=1e-9
    )


@pytest.mark.parametrize("nu", [0, 1.5, "auto", -0.1])
def test_bad_nu(nu):
    with pytest.raises(ValueError, match="nu must be a number in"):
        MKLOneClassSVM(nu=nu).fit(X)
