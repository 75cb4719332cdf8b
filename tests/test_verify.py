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
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solve import Certificate
from kernelweave.weights import Simplex

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
