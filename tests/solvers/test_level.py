"""The level method: every set of weights, the level sets, and the bundle of cuts."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Square, discriminant_targets
from kernelweave.problem import Inner
from kernelweave.solve import Status
from kernelweave.solvers import SILP, Level, Newton
from kernelweave.weights import ElasticNet, Fixed, LpBall, LpPenalty, Simplex

TOL = 1e-5
BOLD = Level(0.5, 0.5)


def _net(v, p=2.0):
    """σ(s) = min_η η + Σ_j max_{θ≥0} s_jθ − ηc(θ), by a search for η."""

    def support(s):
        top = float(np.max(s))
        u = np.asarray(s / top, float)

        def value(log_eta):
            eta = np.exp(log_eta)
            theta = (np.maximum(u - eta * v, 0) / (eta * p * (1 - v))) ** (1 / (p - 1))
            return eta + np.sum(u * theta - eta * (v * theta + (1 - v) * theta**p))

        return top * minimize_scalar(value, (-3, 0), tol=1e-10).fun

    return support


# A set, its support function as the test writes it down, and a table.
SETS = {
    "simplex": (Simplex(), np.max, "heart"),
    "simplex, wine": (Simplex(), np.max, "wine"),
    "simplex with traces": (
        Simplex(np.arange(1.0, 11.0)),
        lambda s: np.max(s / np.arange(1.0, 11.0)),
        "wine",
    ),
    **{
        f"ℓ{p:g}": (LpBall(p), bounds.norm(bounds.dual_power(p)), "heart")
        for p in (1 + 2**-6, 1.5, 2, np.inf)
    },
    **{f"net {v:g}": (ElasticNet(v), _net(v), "heart") for v in (0.1, 0.5, 0.9)},
    "net 0.5, wine": (ElasticNet(0.5), _net(0.5), "wine"),
    "net 0.5, 3": (ElasticNet(0.5, 3), _net(0.5, 3), "wine"),
    "net 0.5, 1.5": (ElasticNet(0.5, 1.5), _net(0.5, 1.5), "wine"),
    "ℓ1": (LpBall(1), np.max, "heart"),
    "net 0": (ElasticNet(0), bounds.norm(2), "wine"),
    "net 1": (ElasticNet(1), np.max, "wine"),
    "fixed": (Fixed(), np.mean, "heart"),
}
every_set = pytest.mark.parametrize("weights, support, name", SETS.values(), ids=SETS)


def _table(name, weights, lam=0.1):
    X, y = problems.table(name, 60)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, lam, True), weights)
    return problem, verify.Square(K, H, lam, True)


def _random(weights, p=6, n=40, lam=1e-2, scale=1.0):
    rng = np.random.default_rng(0)
    K = scale * problems.random_psd(rng, p, n, rank=5)
    H = rng.normal(size=(n, 2))
    problem = Problem(DenseStack(K), Square(H, scale * lam), weights)
    return problem, verify.Square(K, H, scale * lam, False)


class Spy:
    """A set of weights that writes down the cuts its master is asked about."""

    def __init__(self, weights):
        self.weights = weights
        self.cuts = []
        self.answers = []
        # A protocol sees attributes, not what `__getattr__` would find.
        names = ("interior", "support", "maximiser", "project", "start", "restrict")
        for name in (*names, "chart", "coordinates"):
            setattr(self, name, getattr(weights, name))

    def __getattr__(self, name):
        return getattr(self.weights, name)

    def master(self, g, S):
        self.cuts.append((g, S))
        self.answers.append(self.weights.master(g, S))
        return self.answers[-1]

    def lower(self, support):
        """The optimum of every master, by its multipliers."""
        both = zip(self.cuts, self.answers, strict=True)
        return [float(mu @ g - support(mu @ S) / 2) for (g, S), (_, mu) in both]


@every_set
def test_every_set_reaches_a_verified_optimum(weights, support, name):
    problem, oracle = _table(name, weights)
    solution = solve(problem, BOLD, TOL)
    assert solution.converged
    primal, _ = bounds.check(oracle, solution, support, tol=TOL)
    newton = solve(problem, Newton(), TOL)
    assert newton.converged
    assert primal == pytest.approx(newton.certificate.primal, rel=TOL)


def test_the_papers_constants():
    problem, oracle = _random(Simplex())
    solution = solve(problem, Level(), TOL)
    verify.check(oracle, solution, tol=TOL)
    # Cutting planes without a level jump between vertices.
    assert 3 * solution.n_iter < solve(problem, SILP(), 1e-3).n_iter


def test_the_papers_constants_and_accuracy():
    problem, oracle = _table("heart", ElasticNet(0.5))
    bounds.check(oracle, solve(problem, Level(), 1e-2), _net(0.5), tol=1e-2)


@every_set
@pytest.mark.parametrize("taus", [(0.9, 0.99), (0.5, 0.5)])
def test_steps_are_projections_on_level_sets(weights, support, name, taus):
    spy = Spy(weights)
    problem, _ = _table(name, spy)
    thetas, values = [], []
    for iterate in Level(*taus).iterates(problem, TOL, None):
        thetas.append(iterate.point.theta)
        values.append(iterate.point.value)
        if len(thetas) == 6:
            break
    lower = np.maximum.accumulate(spy.lower(support))
    upper = np.minimum.accumulate(values)
    gap = upper - lower
    # Theorem 4: positive, never growing. One that is rounding ends the iteration.
    assert np.all(gap >= -1e-13 * upper) and np.all(np.diff(gap) <= 1e-12 * upper[1:])
    for t in range(len(thetas) - 1):
        (g, S), (lowest, _) = spy.cuts[t], spy.answers[t]
        tau = taus[0] if gap[t] >= 0.01 * upper[t] else taus[1]
        level = tau * upper[t] + (1 - tau) * lower[t]
        old, new = thetas[t], thetas[t + 1]
        assert np.max(g - 0.5 * S @ new) <= level + 1e-13 * upper[t]
        # (θ_t − θ_{t+1})ᵀ(x − θ_{t+1}) ≤ 0 for every x of the level set.
        rng = np.random.default_rng(t)
        for x in [lowest, *(weights.maximiser(rng.exponential(size=10)) for _ in "ab")]:
            above = np.max(g - 0.5 * S @ x) - level
            if above > 0:
                below = level - np.max(g - 0.5 * S @ lowest)
                x = x + above / (above + below) * (lowest - x)
            step = np.linalg.norm(new - old)
            assert (old - new) @ (x - new) <= 1e-5 * step * np.linalg.norm(x - new)


@pytest.mark.parametrize(
    "weights, support", [(Simplex(), np.max), (ElasticNet(0.9), _net(0.9))]
)
@pytest.mark.parametrize("taus, tol", [((0.5, 0.5), 1e-8), ((0.9, 0.99), 1e-3)])
def test_bundle_stays_small_and_loses_nothing(weights, support, taus, tol):
    spy = Spy(weights)
    problem, _ = _table("wine", spy)
    solution = solve(problem, Level(*taus), tol, max_iter=500)
    assert solution.converged
    sizes = [len(g) for g, _ in spy.cuts]
    assert max(sizes) <= 15 < solution.n_iter
    # Cuts were dropped, and never one on which the lower bound rested.
    lower = np.array(spy.lower(support))
    assert np.all(np.diff(lower) >= -1e-9 * lower[1:])


def test_trace_never_grows():
    problem, _ = _table("heart", ElasticNet(0.5))
    trace = solve(problem, Level(), 1e-4, max_iter=60).trace
    gaps = [row.certificate.relative_gap for row in trace]
    assert len(gaps) == 60 and np.all(np.diff(gaps) <= 0) and gaps[-1] < 0.1 * gaps[0]


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2), ElasticNet(0.5)])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_unit_of_the_kernels_does_not_matter(weights, scale):
    once = solve(_random(weights)[0], BOLD, TOL)
    scaled = solve(_random(weights, scale=scale)[0], BOLD, TOL)
    assert scaled.converged and abs(scaled.n_iter - once.n_iter) <= 2
    assert scaled.certificate.primal * scale == pytest.approx(
        once.certificate.primal, rel=2 * TOL
    )


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2), ElasticNet(0.5), Fixed()])
def test_one_kernel(weights):
    problem, _ = _random(weights, p=1)
    solution = solve(problem, Level(), 1e-12)
    assert solution.converged and solution.n_iter == 1
    assert solution.weights == pytest.approx([1])


@pytest.mark.parametrize("weights", [Fixed(), LpBall(np.inf)])
def test_weights_that_are_not_learned_take_one_step(weights):
    problem, _ = _table("heart", weights)
    assert solve(problem, Level(), 1e-12).n_iter == 1


def test_box_from_inside():
    problem, _ = _table("heart", LpBall(np.inf))
    solution = solve(problem, BOLD, 1e-9, start=np.linspace(0, 0.9, 10))
    assert solution.converged
    assert solve(problem).certificate.primal == pytest.approx(
        solution.certificate.primal, rel=1e-9
    )


def test_duplicated_kernels():
    K = problems.random_psd(np.random.default_rng(0), 4, 30, rank=5)
    H = np.random.default_rng(1).normal(size=(30, 1))
    twice = DenseStack(np.concatenate([K, K]))
    net = solve(Problem(twice, Square(H, 0.1), ElasticNet(0.5)), BOLD, TOL)
    # Yang et al., Theorem 2: equal kernels have equal weights.
    assert net.converged
    assert net.weights[:4] == pytest.approx(net.weights[4:], abs=1e-9)
    simplex = solve(Problem(twice, Square(H, 0.1), Simplex()), BOLD, TOL)
    once = solve(Problem(DenseStack(K), Square(H, 0.1), Simplex()), Newton(), TOL)
    assert simplex.converged
    assert simplex.certificate.primal == pytest.approx(
        once.certificate.primal, rel=2 * TOL
    )


@pytest.mark.parametrize("weights", [Simplex(), LpBall(1), LpBall(2), ElasticNet(0.9)])
def test_starts(weights):
    problem, _ = _random(weights)
    cold = solve(problem, BOLD, TOL)
    warm = solve(problem, BOLD, TOL, start=solve(problem, Newton(), 1e-9).weights)
    assert warm.converged and warm.n_iter < cold.n_iter
    # At a vertex the projection has no slope to go by; half-way is inside.
    for start in (np.eye(6)[0], 0.5 * problem.weights.start(6)):
        solution = solve(problem, BOLD, TOL, start=start)
        assert solution.converged
        assert solution.certificate.primal == pytest.approx(
            cold.certificate.primal, rel=2 * TOL
        )


def test_values_below_zero():
    # Fisher's ratio: F < 0.
    X, y = problems.table("heart", 60)
    K = problems.ten_gaussians(X, "variance")
    loss = FisherRatio(np.where(y == 1, 1.0, -1.0), 1e-3)
    problem = Problem(DenseStack(K), loss, Simplex())
    solution = solve(problem, BOLD, TOL)
    assert solution.converged and solution.certificate.primal < 0
    verify.check(verify.Fisher(K, loss.y, 1e-3), solution, tol=TOL, rounding=1e-8)


def test_targets_that_are_zero():
    K = problems.random_psd(np.random.default_rng(0), 3, 10)
    problem = Problem(DenseStack(K), Square(np.zeros((10, 1)), 0.5), Simplex())
    assert solve(problem, Level()).converged


class _Stuck(Simplex):
    """A projection that fails: it never moves."""

    def project(self, theta):
        return self.start(len(theta))


def test_a_failing_projection_leaves_cutting_planes():
    problem, oracle = _random(_Stuck())
    verify.check(oracle, solve(problem, BOLD, 1e-3), tol=1e-3)


class _Rough(Square):
    """F is known to 1e-4 only, as from an inner solver that stops early."""

    def consume(self, K, start=None):
        exact = super().consume(K, start)
        return Inner(exact.A, exact.value * (1 + 1e-4), exact.bias)


def test_rough_inner_solutions_leave_an_honest_gap():
    # With an error δ the cut at θ_t is above the level as long as (1−τ)·gap > δ: the
    # gap falls to δ/(1−τ) = 2e-4. Beyond, the master's point takes over; 1e-4 is left.
    problem, oracle = _random(Simplex())
    rough = Problem(problem.gram, _Rough(oracle.H, oracle.lam), Simplex())
    solution = solve(rough, BOLD, 1e-9, max_iter=60)
    assert solution.status is Status.MAX_ITER
    assert 0.99e-4 <= solution.certificate.relative_gap < 2e-4


def test_iterates_are_fresh():
    problem, _ = _random(Simplex())
    seen = []
    for iterate in BOLD.iterates(problem, TOL, None):
        seen.append((iterate, iterate.point.theta.copy(), np.array(iterate.A)))
        if len(seen) == 8:
            break
    for iterate, theta, A in seen:
        assert np.array_equal(iterate.point.theta, theta)
        assert np.array_equal(iterate.A, A)


def test_penalties_are_refused():
    problem, _ = _random(LpPenalty(2))
    with pytest.raises(TypeError, match="LpBall"):
        solve(problem, Level())


@pytest.mark.parametrize("taus", [(0, 0.9), (1, 0.9), (0.9, 1.5), (0.9, np.nan)])
def test_tau_is_between_zero_and_one(taus):
    with pytest.raises(ValueError, match="between 0 and 1"):
        solve(_random(Simplex())[0], Level(*taus))
