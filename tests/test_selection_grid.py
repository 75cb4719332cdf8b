"""The grid of norms and λ: values, warm starts, and what they cost."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_digits
from sklearn.model_selection import KFold, PredefinedSplit

import naive
import problems
import verify
from kernelweave import MKLDiscriminantAnalysis, MKLRidge, Problem, solve
from kernelweave.estimators.choosing import preparing
from kernelweave.grams import DenseStack
from kernelweave.kernels import RBF, Linear
from kernelweave.losses import Square, discriminant_targets, quadratic
from kernelweave.losses.quadratic import mean_shift
from kernelweave.selection import (
    ALPHAS,
    GRID_TOL,
    NORMS,
    cross_validated_grid,
    leave_one_out_grid,
)
from kernelweave.selection.warm_start import WarmStart
from kernelweave.solvers import Newton
from kernelweave.weights import LpBall

RNG = np.random.default_rng(0)
N = 24
K = np.stack([naive.centre(M) for M in problems.random_psd(RNG, 4, N, rank=6)])
Y = problems.labels(RNG, N, 3)
H = discriminant_targets(Y, 3)
LAMS = [10.0, 0.01, 1.0]


def test_the_papers_norms():
    expected = [1, 1 + 2**-6, 1 + 2**-5, 1 + 2**-4, 1 + 2**-3, 1 + 2**-2, 1 + 2**-1]
    assert list(NORMS) == [*expected, 2, 3, 4, 8, 1e6]
    assert len(ALPHAS) == 10


@pytest.mark.parametrize("intercept", [True, False])
def test_left_out_predictions_are_those_of_refits(intercept):
    points = list(
        leave_one_out_grid(
            DenseStack(K), H, [1, 1.25, 2, np.inf], LAMS, intercept=intercept
        )
    )
    assert {point.index for point in points} == {
        (i, j) for i in range(4) for j in range(3)
    }
    for point in points:
        combined = np.tensordot(point.solution.weights, K, 1)
        d = np.full(N, point.lam)
        if intercept:
            residuals = naive.leave_one_out(combined, d, H, True)
        else:
            residuals = naive.leave_one_out_of_centred(combined, d, H)
        assert point.left_out == pytest.approx(H - residuals, abs=1e-8)


def test_left_out_predictions_without_intercept_of_kernels_that_are_not_centred():
    raw = problems.random_psd(np.random.default_rng(1), 2, N, rank=6)
    # Norm 1 keeps the centred kernel only, norm 2 both.
    mixed, seen = np.stack([naive.centre(raw[0]), 0.01 * raw[1]]), set()
    for stack in (raw, mixed):
        points = leave_one_out_grid(DenseStack(stack), H, [1, 2], LAMS, intercept=False)
        for point in points:
            theta = point.solution.weights
            combined, d = np.tensordot(theta, stack, 1), np.full(N, point.lam)
            alone = stack is mixed and theta[1] == 0
            seen.add((stack is mixed, alone))
            residuals = (
                naive.leave_one_out_of_centred(combined, d, H)
                if alone
                else naive.leave_one_out(combined, d, H, False)
            )
            assert point.left_out == pytest.approx(H - residuals, abs=1e-8)
    assert seen == {(False, False), (True, False), (True, True)}


def gap(point):
    """The relative duality gap on ‖θ‖_p ≤ 1, from the raw matrices."""
    oracle = verify.Square(K, H, point.lam, True)
    theta = point.solution.weights
    size = np.max(theta) * np.sum((theta / np.max(theta)) ** point.norm) ** (
        1 / point.norm
    )
    assert size <= 1 + 1e-12
    primal = oracle.primal(theta)
    A = oracle.into_domain(point.solution.dual_A)
    s = oracle.quadratic(A)
    q = np.inf if point.norm == 1 else point.norm / (point.norm - 1)
    dual = oracle.g(A) - np.linalg.norm(np.asarray(s / np.max(s), float), q) * np.max(
        s
    ) / (2)
    return float((primal - dual) / abs(primal))


@pytest.mark.parametrize("solver", [None, Newton()])
def test_every_point_is_optimal(solver):
    points = leave_one_out_grid(DenseStack(K), H, NORMS, LAMS, solver=solver, tol=1e-7)
    for point in points:
        assert gap(point) <= 1.01e-7
        problem = Problem(DenseStack(K), Square(H, point.lam, True), LpBall(point.norm))
        cold = solve(problem, tol=1e-9)
        assert point.solution.certificate.primal == pytest.approx(
            cold.certificate.primal, rel=2e-7
        )


def test_index_is_the_place_in_what_was_given():
    for point in leave_one_out_grid(DenseStack(K), H, [2, 1, 8], LAMS):
        i, j = point.index
        assert (point.norm, point.lam) == ([2, 1, 8][i], LAMS[j])


@pytest.mark.parametrize("k", [2, 10])
def test_at_most_three_factorisations_a_point(k, monkeypatch):
    """500 rows, ten kernels, 12 × 10 points, leave-one-out included."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500] % k
    gram = DenseStack(problems.ten_gaussians(X, "variance"))
    calls = []
    factorise = quadratic.factorise_lower

    def counted(M, **options):
        # The start comes from half of the rows.
        calls.extend([1] * (len(M) == 500))
        return factorise(M, **options)

    monkeypatch.setattr(quadratic, "factorise_lower", counted)
    targets = discriminant_targets(y, k)
    points = list(leave_one_out_grid(gram, targets, NORMS, ALPHAS))
    assert len(points) == 120
    assert sum(point.inner_solves for point in points) == len(calls)
    assert len(calls) <= 3 * len(points)
    assert max(p.solution.certificate.relative_gap for p in points) <= GRID_TOL


class Stuck(Newton):
    """Gives up after one step, unless it may choose its start."""

    def iterates(self, problem, tol, start):
        steps = super().iterates(problem, tol, start)
        return steps if start is None else iter([next(steps)])


def test_where_a_warm_start_is_stuck_a_cold_one_follows():
    points = leave_one_out_grid(DenseStack(K), H, [2, 1.1], LAMS, solver=Stuck())
    assert all(point.solution.converged for point in points)


def test_walk_is_a_solver_like_others():
    problem = Problem(DenseStack(K), Square(H, 0.1, True), LpBall(2))
    assert solve(problem, WarmStart()).converged
    assert solve(problem, clone(WarmStart(Newton())), start=np.full(4, 0.5)).converged


def test_mean_shift_is_how_the_weighted_mean_moves():
    v = np.random.default_rng(1).uniform(0.5, 2, N)
    mean = v @ H / v.sum()
    rest = 1 - np.eye(N)
    without = (rest * v) @ H / (rest @ v)[:, None]
    assert mean_shift(H, v) == pytest.approx(mean - without, abs=1e-13)


def test_a_useless_kernel_tells_nothing_after_the_shift():
    (point,) = leave_one_out_grid(
        DenseStack(naive.centring(N)[None]), H, norms=[1], lams=[0.1]
    )
    # The mean of the others alone gives every class away.
    assert point.left_out == pytest.approx(-H / (N - 1))
    assert point.left_out + mean_shift(H, np.ones(N)) == pytest.approx(0, abs=1e-12)


X2, Y2 = problems.blobs(45, 3, 2)
SPLITTERS = [KFold(3), PredefinedSplit(np.repeat([-1, 0], [30, 15])), 3]


@pytest.mark.parametrize("cv", SPLITTERS)
@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])
def test_cross_validated_scores_are_those_of_fresh_fits(Estimator, cv):
    estimator = Estimator([RBF(), RBF(factor=0.3), Linear()], tol=1e-8)
    norms, alphas = [1, 1.5, np.inf], [0.1, 1.0]
    seen = []
    scores, gaps, seconds = cross_validated_grid(
        preparing(estimator),
        X2,
        Y2,
        [LpBall(norm) for norm in norms],
        alphas,
        parameter="alpha",
        order=([2, 1, 0], [1, 0]),
        solver=None,
        classes=is_classifier(estimator),
        given=False,
        cv=cv,
        score=lambda model, X, y: model.score(X, y),
        report=lambda *point: seen.append(point),
    )
    splits = 3 if cv == 3 else cv.get_n_splits()
    assert scores.shape == gaps.shape == seconds.shape == (splits, 3, 2)
    assert np.all(gaps <= 1e-8)
    assert len(seen) == scores.size
    if cv != 3:
        train, test = next(iter(cv.split(X2, Y2)))
        for i, norm in enumerate(norms):
            for j, alpha in enumerate(alphas):
                fresh = clone(estimator).set_params(weights=LpBall(norm), alpha=alpha)
                fresh.fit(X2[train], Y2[train])
                score = fresh.score(X2[test], Y2[test])
                assert scores[0, i, j] == pytest.approx(score, abs=1e-5)
