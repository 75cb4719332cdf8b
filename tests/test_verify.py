"""The verifier itself: it accepts what is optimal and nothing else."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import EpsilonInsensitive, Hinge, Square, discriminant_targets
from kernelweave.solve import Certificate
from kernelweave.weights import ElasticNet, LpBall, Simplex

LAM = 0.1


@pytest.fixture(scope="module")
def solved():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 4, 30, rank=5)
    H = discriminant_targets(problems.labels(rng, 30, 3), 3)
    problem = Problem(DenseStack(K), Square(H, LAM, True), Simplex())
    return verify.Square(K, H, LAM, True), solve(problem)


def test_imports_nothing_of_the_package():
    tree = ast.parse(Path(verify.__file__).read_text())
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module)
    roots = {module.split(".")[0] for module in modules}
    assert roots == {"__future__", "dataclasses", "numpy", "scipy"}


def test_accepts_the_optimum(solved):
    oracle, solution = solved
    primal, dual, gap = verify.check(oracle, solution)
    assert 0 <= gap <= 1e-6
    assert dual <= primal


def _mixed(s):
    return s.weights * 0.9 + 0.1 / len(s.weights)


def _report(s, primal=0.0, dual=0.0):
    c = s.certificate
    return Certificate(c.primal * (1 + primal), c.dual * (1 + dual))


PERTURBED = {
    "weights moved inside the set": lambda s: {"weights": _mixed(s)},
    "weights too large": lambda s: {"weights": s.weights * (1 + 1e-9)},
    "weights too small": lambda s: {"weights": s.weights * (1 - 1e-9)},
    "a negative weight": lambda s: {
        "weights": s.weights + np.array([-1, 1, 0, 0]) * (s.weights[0] + 1e-9)
    },
    "a weight that is not a number": lambda s: {"weights": s.weights * np.nan},
    "the dual point scaled": lambda s: {"dual_A": 1.01 * s.dual_A},
    "the dual point outside the domain": lambda s: {"dual_A": s.dual_A + 1e-6},
    "another dual point": lambda s: {"dual_A": s.dual_A[::-1].copy()},
    "the coefficients scaled": lambda s: {"A": 1.01 * s.A},
    "the bias moved": lambda s: {"bias": s.bias + 1e-3},
    "a primal value too small": lambda s: {"certificate": _report(s, primal=-1e-8)},
    "a dual value too large": lambda s: {"certificate": _report(s, dual=1e-8)},
}


@pytest.mark.parametrize("change", PERTURBED.values(), ids=PERTURBED)
def test_rejects_what_is_wrong(solved, change):
    oracle, solution = solved
    with pytest.raises(AssertionError):
        verify.check(oracle, replace(solution, **change(solution)))


def test_rejects_an_honest_solution_that_is_not_optimal():
    # Nothing is misreported after two iterations, but the gap is not within tol.
    rng = np.random.default_rng(1)
    K = problems.random_psd(rng, 6, 30, rank=3)
    H = rng.normal(size=(30, 1))
    problem = Problem(DenseStack(K), Square(H, LAM), Simplex())
    early = solve(problem, max_iter=2)
    with pytest.raises(AssertionError, match="the relative gap is"):
        verify.check(verify.Square(K, H, LAM, False), early)
    verify.check(verify.Square(K, H, LAM, False), early, tol=1.0)


def test_square_value_is_the_smallest_primal_objective(solved):
    # F(θ) = min ½‖w‖² + ‖H − Φw − 1bᵀ‖²/(2λ), by least squares on explicit features.
    oracle, solution = solved
    K = np.asarray(oracle.combine(solution.weights), float)
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0))
    n = len(K)
    design = np.block([[features, np.ones((n, 1))], [np.eye(n), np.zeros((n, 1))]])
    design[:n] /= np.sqrt(LAM)
    target = np.vstack([oracle.H / np.sqrt(LAM), np.zeros((n, 2))])
    w, *_ = np.linalg.lstsq(design, target, rcond=None)
    expected = 0.5 * np.sum((target - design @ w) ** 2)
    assert float(oracle.primal(solution.weights)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_two_forms_of_fishers_ratio(lam):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 25, rank=6)
    y = np.where(problems.labels(rng, 25, 2) == 1, 1.0, -1.0)
    oracle = verify.Fisher(K, y, lam)
    theta = np.array([0.2, 0.3, 0.5])
    expected = oracle.ratio_in_feature_space(theta)
    # Features are square roots: eigenvalues of ε‖K‖ = 1e-15 over λ = 1e-3 remain.
    assert float(oracle.ratio(theta)) == pytest.approx(expected, rel=1e-9)


def test_correlation_bounds_meet_at_known_optima():
    # T = I: every Z gives tr T. T = vvᵀ: Z = sign(v)sign(v)ᵀ gives (Σ|v|)².
    assert verify.correlation_bounds(np.eye(4)) == pytest.approx((4, 4), rel=1e-12)
    v = np.array([1.0, -2.0, 0.5])
    low, high = verify.correlation_bounds(np.outer(v, v))
    assert (low, high) == pytest.approx((3.5**2, 3.5**2), rel=1e-10)


# Each set of weights, with the verifier's own.
SETS = {
    "simplex": (Simplex(), verify.Simplex(np.ones(4))),
    "ℓ1.5": (LpBall(1.5), verify.LpBall(1.5)),
    "elastic net": (ElasticNet(0.3), verify.ElasticNet(0.3)),
}


@pytest.fixture(scope="module", params=SETS)
def machine(request):
    """A support vector machine with free, bounded and unused samples."""
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 4, 30, rank=5)
    Y = np.where(problems.labels(rng, 30, 2) == 1, 1.0, -1.0)[:, None]
    weights, independent = SETS[request.param]
    solution = solve(Problem(DenseStack(K), Hinge(Y, 0.5), weights))
    size = np.abs(solution.A)
    assert np.any(size == 0) and np.any(size == 0.5)
    assert np.any((size > 0) & (size < 0.5))
    return verify.hinge(K, Y, 0.5), solution, independent


def _scaled(s, factor):
    return {"weights": s.weights * factor}


def _moved(A, size):
    """Two entries of one column moved against each other."""
    A = A.copy()
    A[np.argsort(A[:, 0])[[0, -1]]] += [[-size], [size]]
    return A


PERTURBED_MACHINE = {
    "weights moved inside the set": lambda s: _scaled(s, 0.99),
    "weights outside the set": lambda s: _scaled(s, 1 + 1e-9),
    "the coefficients scaled": lambda s: {"A": 0.99 * s.A},
    "the coefficients outside the box": lambda s: {"A": _moved(s.A, 1e-6)},
    "the dual point outside the box": lambda s: {"dual_A": _moved(s.dual_A, 1e-6)},
    "the dual point not balanced": lambda s: {"dual_A": np.maximum(s.dual_A, -0.49)},
    "the bias moved": lambda s: {"bias": s.bias + 1e-6},
    "a primal value too small": lambda s: {"certificate": _report(s, primal=-1e-8)},
    "a dual value too large": lambda s: {"certificate": _report(s, dual=1e-8)},
}


def test_accepts_the_optimum_of_a_machine(machine):
    oracle, solution, weights = machine
    _, _, gap = verify.check(oracle, solution, weights=weights)
    assert 0 <= gap <= 1e-6


@pytest.mark.parametrize("change", PERTURBED_MACHINE.values(), ids=PERTURBED_MACHINE)
def test_rejects_what_is_wrong_with_a_machine(machine, change):
    oracle, solution, weights = machine
    with pytest.raises(AssertionError):
        verify.check(oracle, replace(solution, **change(solution)), weights=weights)


@pytest.mark.parametrize("weights", [verify.LpBall(1.5), verify.ElasticNet(0.3)])
def test_support_is_the_largest_product(weights):
    # Against the θ in every direction of the plane, as far out as the set goes.
    rng = np.random.default_rng(0)
    s = rng.exponential(size=(5, 2))
    best = np.zeros(5)
    for angle in np.linspace(0, np.pi / 2, 300):
        direction = np.array([np.cos(angle), np.sin(angle)])
        low, high = 0.0, 100.0
        for _ in range(60):
            middle = (low + high) / 2
            inside = weights.cost(middle * direction) <= 1
            low, high = (middle, high) if inside else (low, middle)
        best = np.maximum(best, s @ (low * direction))
    supports = np.array([weights.support(row) for row in s], float)
    assert np.all(best <= supports * (1 + 1e-12))
    # The nearest direction is within 0.003, and the maximum is flat.
    assert best == pytest.approx(supports, rel=1e-4)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_regression_of_one_sample_in_closed_form(intercept):
    # |h − f| ≤ ε is reached with a = (|h| − ε)/k, if it is within C; b alone does it.
    for h, C in ((3.0, 10.0), (-3.0, 10.0), (3.0, 0.2)):
        K, H = np.array([[[2.0]]]), np.array([[h]])
        oracle = verify.epsilon_insensitive(K, H, C, 0.5, intercept)
        a = 0.0 if intercept else np.sign(h) * min((abs(h) - 0.5) / 2, C)
        expected = h * a - 0.5 * abs(a) - a * a
        assert float(oracle.primal([1.0])) == pytest.approx(expected, abs=1e-15)
        value = EpsilonInsensitive(H, C, 0.5, intercept).inner(K[0]).value
        assert value == pytest.approx(expected, abs=1e-15)
