"""The one loop: it certifies, keeps the best, stops, and reports."""

import dataclasses
import itertools
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, path, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Hinge, MajorizedSquare, Square
from kernelweave.losses.square import class_coding
from kernelweave.problem import Iterate
from kernelweave.solve import Certificate, Status
from kernelweave.solvers import SILP, Newton
from kernelweave.weights import Simplex

RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, 6, 40, rank=5)
H = RNG.normal(size=(40, 2))
LAM = 1e-3
PROBLEM = Problem(DenseStack(K), Square(H, LAM), Simplex())
ORACLE = verify.Square(K, H, LAM, False)
BOTH = pytest.mark.parametrize("solver", [Newton(), SILP()], ids=["Newton", "SILP"])


@BOTH
def test_certificate(solver):
    solution = solve(PROBLEM, solver)
    verify.check(ORACLE, solution)
    assert solution.status is Status.OPTIMAL and solution.converged
    assert solution.n_iter == len(solution.trace)
    assert solution.trace[-1].certificate == solution.certificate


def test_newton_is_the_default():
    default, newton = solve(PROBLEM), solve(PROBLEM, Newton())
    assert np.array_equal(default.weights, newton.weights)


@BOTH
def test_trace_is_monotone(solver):
    trace = solve(PROBLEM, solver).trace
    assert len(trace) > 2
    primal = np.array([row.certificate.primal for row in trace])
    dual = np.array([row.certificate.dual for row in trace])
    seconds = np.array([row.seconds for row in trace])
    assert np.all(np.diff(primal) <= 0)
    assert np.all(np.diff(dual) >= 0)
    assert np.all(np.diff(seconds) >= 0)
    assert np.all(dual <= primal)


@BOTH
@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-8])
def test_tolerance_is_the_relative_gap(solver, tol):
    solution = solve(PROBLEM, solver, tol, max_iter=400)
    assert solution.converged
    verify.check(ORACLE, solution, tol=tol)
    before = solution.trace[-2].certificate.relative_gap
    assert before > tol, "it should have stopped earlier"


@BOTH
def test_max_iter(solver):
    solution = solve(PROBLEM, solver, max_iter=2)
    assert solution.status is Status.MAX_ITER and not solution.converged
    assert solution.n_iter == 2
    verify.check(ORACLE, solution, tol=1.0)


@BOTH
def test_time_limit(solver):
    solution = solve(PROBLEM, solver, time_limit=0.0)
    assert solution.status is Status.TIME_LIMIT
    assert solution.n_iter == 1
    verify.check(ORACLE, solution, tol=1.0)


def test_time_limit_is_in_seconds(monkeypatch):
    # A clock on which every look is a tenth of a second later.
    clock = SimpleNamespace(perf_counter=itertools.count(step=0.1).__next__)
    monkeypatch.setattr(sys.modules["kernelweave.solve"], "time", clock)
    solution = solve(PROBLEM, Newton(), tol=1e-8, time_limit=0.15)
    assert solution.status is Status.TIME_LIMIT
    assert [row.seconds for row in solution.trace] == [0.1, 0.2]


@BOTH
def test_optimality_comes_before_the_limits(solver):
    # The first iterate is optimal enough: no limit is to blame.
    solution = solve(PROBLEM, solver, tol=10.0, max_iter=1, time_limit=0.0)
    assert solution.status is Status.OPTIMAL


@BOTH
def test_callback_sees_every_iteration_and_stops(solver):
    seen = []

    def callback(iteration, row, point):
        seen.append((iteration, row, point.theta))
        return iteration == 3

    solution = solve(PROBLEM, solver, callback=callback)
    assert solution.status is Status.STOPPED
    assert [iteration for iteration, _, _ in seen] == [1, 2, 3]
    assert tuple(row for _, row, _ in seen) == solution.trace
    verify.check(ORACLE, solution, tol=1.0)


@BOTH
def test_interrupt_returns_the_best_point(solver):
    def callback(iteration, row, point):
        if iteration == 3:
            raise KeyboardInterrupt

    solution = solve(PROBLEM, solver, callback=callback)
    assert solution.status is Status.INTERRUPTED and not solution.converged
    assert solution.n_iter == 3
    verify.check(ORACLE, solution, tol=1.0)


class Interrupted:
    def iterates(self, problem, tol, start):
        raise KeyboardInterrupt
        yield


def test_interrupt_before_the_first_point_is_no_answer():
    with pytest.raises(KeyboardInterrupt):
        solve(PROBLEM, Interrupted())


class Listed:
    """A solver that visits given weights."""

    def __init__(self, thetas, A=None):
        self.thetas, self.A = thetas, A

    def iterates(self, problem, tol, start):
        for theta in self.thetas:
            yield Iterate(problem.at(np.asarray(theta, dtype=float)), self.A)


def test_best_primal_and_best_dual_are_kept_apart():
    rng = np.random.default_rng(0)
    thetas = rng.dirichlet(np.ones(6), 8)
    points = [PROBLEM.at(theta) for theta in thetas]
    values = np.array([point.value for point in points])
    bounds = np.array([PROBLEM.dual(point.A).value for point in points])
    assert np.argmin(values) != np.argmax(bounds), "choose another seed"
    solution = solve(PROBLEM, Listed(thetas))
    assert solution.status is Status.STALLED
    best = points[int(np.argmin(values))]
    assert np.array_equal(solution.weights, best.theta)
    assert np.array_equal(solution.A, best.A)
    assert solution.certificate.primal == values.min()
    assert solution.certificate.dual == pytest.approx(bounds.max(), rel=1e-12)
    verify.check(ORACLE, solution, tol=1.0)


def test_a_better_dual_point_of_the_solver_is_used():
    optimal = solve(PROBLEM, tol=1e-8)
    uniform = np.full(6, 1 / 6)
    alone = solve(PROBLEM, Listed([uniform]))
    helped = solve(PROBLEM, Listed([uniform], optimal.dual_A))
    assert helped.certificate.dual > alone.certificate.dual
    assert helped.certificate.dual == pytest.approx(optimal.certificate.dual, rel=1e-12)


def test_a_solver_without_iterates_is_an_error():
    with pytest.raises(RuntimeError, match="before its first iterate"):
        solve(PROBLEM, Listed([]))


class Broken:
    """The first weights of Θ, and from then on the point that `spoil` makes of it."""

    def __init__(self, spoil, good=1):
        self.spoil, self.good = spoil, good

    def iterates(self, problem, tol, start):
        point = problem.at(problem.weights.start(problem.gram.p))
        for i in range(10_000):
            yield Iterate(point if i < self.good else self.spoil(problem, point))


def _nan_everywhere(problem, point):
    nan = np.nan * point.s
    return dataclasses.replace(
        point, theta=nan, A=np.nan * point.A, value=np.nan, s=nan
    )


SPOILT = pytest.mark.parametrize(
    "spoil",
    [
        _nan_everywhere,
        lambda problem, point: dataclasses.replace(point, value=np.nan),
        lambda problem, point: dataclasses.replace(point, value=-np.inf),
        lambda problem, point: problem.at(np.nan * point.theta),
        lambda problem, point: problem.bound(np.nan * point.theta, point.A),
    ],
    ids=["all NaN", "NaN", "minus infinity", "at NaN", "bound at NaN"],
)


@SPOILT
def test_what_is_no_number_is_no_bound_and_ends_the_loop(spoil):
    solution = solve(PROBLEM, Broken(spoil), max_iter=10_000)
    good = PROBLEM.at(Simplex().start(6))
    assert solution.status is Status.NOT_FINITE and not solution.converged
    assert solution.n_iter <= 3
    assert np.array_equal(solution.weights, good.theta)
    assert solution.certificate.primal == good.value
    verify.check(ORACLE, solution, tol=1.0)


@SPOILT
def test_weights_without_a_finite_value_are_no_answer(spoil):
    with pytest.raises((RuntimeError, FloatingPointError), match=r"finite|NaN"):
        solve(PROBLEM, Broken(spoil, good=0), max_iter=10_000)


def test_a_lower_bound_that_is_no_number_proves_nothing():
    def spoil(problem, point):
        return dataclasses.replace(point, s=np.nan * point.s)

    solution = solve(PROBLEM, Broken(spoil, good=0), max_iter=3)
    assert solution.status is Status.MAX_ITER
    assert solution.certificate.dual == -np.inf
    assert solution.certificate.relative_gap == np.inf


@pytest.mark.parametrize("off, status", [(1e-5, "OPTIMAL"), (1e-3, "CONTRADICTED")])
def test_bounds_that_contradict_each_other_have_no_gap(off, status):
    """An upper bound below the lower one is rounding, within tol, or no proof."""
    optimal = solve(PROBLEM, tol=1e-9)

    class Wrong:
        def iterates(self, problem, tol, start):
            point = problem.at(optimal.weights)
            yield Iterate(dataclasses.replace(point, value=(1 - off) * point.value))

    solution = solve(PROBLEM, Wrong(), tol=1e-4)
    assert solution.certificate.relative_gap < 0
    assert solution.status is Status[status]
    assert solution.converged == (status == "OPTIMAL")


@pytest.mark.parametrize("loss", [Square(H, LAM), Hinge(np.sign(H))])
def test_a_combined_kernel_with_nan_is_an_error_at_once(loss):
    bad = K.copy()
    bad[2, 3, 3] = np.nan
    with pytest.raises(FloatingPointError, match="NaN or infinity"):
        solve(Problem(DenseStack(bad), loss, Simplex()))


def test_sums_that_are_zero_are_not_negative_by_rounding():
    # K_jA = 0 for the orthogonal columns, to rounding of either sign.
    Z = np.linalg.qr(RNG.normal(size=(40, 40)))[0]
    A = Z[:, :1]
    stack = DenseStack(np.stack([np.outer(z, z) for z in Z.T[1:]]))
    problem = Problem(stack, Square(A, 1.0), Simplex())
    assert np.min(stack.quadratic(A)) < 0, "choose another seed"
    assert np.min(problem.quadratic(A)) >= 0
    assert np.min(problem.quadratic(A, stack.apply(A))) >= 0
    assert np.min(problem.at(Simplex().start(39)).s) >= 0


@BOTH
def test_iterates_have_fresh_arrays(solver):
    # What was yielded must not change afterwards.
    kept = []
    for iterate in solver.iterates(PROBLEM, 1e-6, None):
        point = iterate.point
        kept.append((point.theta, point.theta.copy(), point.A, point.A.copy()))
        if len(kept) == 6:
            break
    for theta, theta_then, A, A_then in kept:
        assert np.array_equal(theta, theta_then) and np.array_equal(A, A_then)


@BOTH
def test_start(solver):
    cold = solve(PROBLEM, solver)
    warm = solve(PROBLEM, solver, start=cold.weights)
    same = solve(PROBLEM, solver, start=cold)
    assert np.array_equal(warm.weights, same.weights)
    assert warm.trace[0].certificate.primal == pytest.approx(
        cold.certificate.primal, rel=1e-12
    )
    verify.check(ORACLE, warm)
    if isinstance(solver, Newton):
        assert warm.n_iter < cold.n_iter


@BOTH
@pytest.mark.parametrize("start", [np.full(6, 5.0), np.full(6, 0.01)])
def test_start_outside_the_set(solver, start):
    # F falls with θ: an infeasible start must not become the best point. It may be
    # refused or brought into the set.
    try:
        solution = solve(PROBLEM, solver, start=start)
    except ValueError as error:
        assert "start" in str(error)
    else:
        verify.check(ORACLE, solution)


@pytest.mark.parametrize("start", [np.full(3, 1 / 3), np.ones((6, 1)) / 6])
def test_start_of_another_shape(start):
    with pytest.raises(ValueError, match="start"):
        solve(PROBLEM, start=start)


def test_start_is_left_alone():
    start = np.full(6, 1 / 6)
    solve(PROBLEM, start=start)
    assert np.all(start == 1 / 6)


@pytest.mark.parametrize("tol", [-1.0, np.nan])
def test_bad_tolerance(tol):
    with pytest.raises(ValueError, match="tol"):
        solve(PROBLEM, tol=tol)


def test_bad_max_iter():
    with pytest.raises(ValueError, match="max_iter"):
        solve(PROBLEM, max_iter=0)


def test_verbose_prints_to_standard_error(capsys):
    solution = solve(PROBLEM, verbose=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 1 + solution.n_iter
    assert "gap" in lines[0]
    assert float(lines[-1].split()[3]) <= 1e-6
    solve(PROBLEM)
    assert capsys.readouterr().err == ""


def test_certificate_numbers():
    assert Certificate(2.0, 1.0).gap == 1.0
    assert Certificate(2.0, 1.0).relative_gap == 0.5
    # Fisher's values are negative: the larger magnitude is the dual's.
    assert Certificate(-1.0, -2.0).relative_gap == 0.5
    assert Certificate(0.0, 0.0).relative_gap == 0.0


def test_solution_cannot_be_changed():
    solution = solve(PROBLEM)
    with pytest.raises(dataclasses.FrozenInstanceError):
        solution.weights = None


def _path_problem(kind):
    rng = np.random.default_rng(2)
    y = problems.labels(rng, 40, 3)
    if kind == "square":
        loss = Square(class_coding(y, 3), 1.0, True)
        return loss, lambda lam: verify.Square(K, loss.H, lam, True)
    if kind == "majorized":
        loss = MajorizedSquare(class_coding(y, 3), 1.0, True)
        return loss, lambda lam: verify.Majorized(K, loss.H, lam, True)
    signs = np.where(y == 0, 1.0, -1.0)
    return FisherRatio(signs, 1.0), lambda lam: verify.Fisher(K, signs, lam)


@pytest.mark.parametrize("kind", ["square", "majorized", "fisher"])
def test_path_gives_the_optima_of_cold_starts(kind):
    loss, oracle = _path_problem(kind)
    problem = Problem(DenseStack(K), loss, Simplex())
    lams = np.logspace(1, -4, 8)
    solutions = path(problem, lams)
    assert len(solutions) == len(lams)
    for lam, warm in zip(lams, solutions, strict=True):
        verify.check(oracle(lam), warm)
        fresh = dataclasses.replace(loss, lam=lam)
        cold = solve(dataclasses.replace(problem, loss=fresh))
        # Two points within 1e-6 of the same optimum.
        assert warm.certificate.primal == pytest.approx(
            cold.certificate.primal, rel=1e-6
        )
    # The caller's problem is left alone.
    assert problem.loss.lam == 1.0


def test_path_with_silp_and_a_start():
    start = np.eye(6)[2]
    solutions = path(PROBLEM, [1.0, 0.1], SILP(), 1e-5, start=start)
    assert all(solution.converged for solution in solutions)
    for lam, solution in zip([1.0, 0.1], solutions, strict=True):
        verify.check(verify.Square(K, H, lam, False), solution, tol=1e-5)


def test_path_warm_starts():
    seen = []

    def callback(iteration, row, point):
        if iteration == 1:
            seen.append(point.theta)

    solutions = path(PROBLEM, [1.0, 0.9], callback=callback)
    assert np.array_equal(seen[1], solutions[0].weights)


def test_path_ends_when_interrupted():
    def callback(iteration, row, point):
        raise KeyboardInterrupt

    solutions = path(PROBLEM, [1.0, 0.1, 0.01], callback=callback)
    assert [s.status for s in solutions] == [Status.INTERRUPTED]


def test_path_in_c():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 40, rank=4)
    Y = np.sign(rng.normal(size=(40, 1)))
    problem = Problem(DenseStack(K), Hinge(Y), Simplex())
    solutions = path(problem, [0.1, 1.0, 10.0], tol=1e-7, parameter="C")
    for C, solution in zip([0.1, 1.0, 10.0], solutions, strict=True):
        cold = solve(Problem(DenseStack(K), Hinge(Y, C), Simplex()), tol=1e-7)
        assert solution.certificate.primal == pytest.approx(
            cold.certificate.primal, rel=2e-7
        )
    with pytest.raises(ValueError, match="Hinge has no 'lam'"):
        path(problem, [1.0])
