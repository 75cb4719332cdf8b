"""Problems built backwards from their optimal pair (θ*, A*).

A* is chosen, and the kernels are scaled so that s_j(A*) = r_j on the support of θ* and
less elsewhere; then H := (λI + K(θ*))A* + 1bᵀ makes A* the inner maximiser. Both
conditions of the saddle point hold, and F(θ*) = ½(λ‖A*‖² + 1) exactly.
"""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Square
from kernelweave.solvers import QCQP, SDP, SILP, Newton, ProjectedNewton
from kernelweave.weights import Simplex

N, P = 30, 6
THETA = np.array([0.5, 0.0, 0.3, 0.0, 0.2, 0.0])
SOLVERS = [Newton(), ProjectedNewton(), SILP(), QCQP(), SDP()]


def backwards(lam, k, intercept, traces, seed=0):
    """K, H, r and the optimal value."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(N, k))
    A = A - A.mean(axis=0) if intercept else A
    K = problems.random_psd(rng, P, N, rank=8)
    r = rng.uniform(0.5, 2, P) if traces else np.ones(P)
    s = np.einsum("ik,jil,lk->j", A, K, A)
    share = np.where(THETA > 0, 1.0, rng.uniform(0.3, 0.95, P))
    K *= (share * r / s)[:, None, None]
    theta = THETA / r
    H = lam * A + np.tensordot(theta, K, 1) @ A
    H = H + rng.normal(size=k) if intercept else H
    return K, H, r, theta, 0.5 * (lam * np.sum(A * A) + 1)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    "lam, k, intercept, traces",
    [
        (0.1, 1, False, False),
        (1e-4, 3, True, False),
        (1e-2, 2, True, True),
        (10.0, 1, False, True),
    ],
)
def test_square(solver, lam, k, intercept, traces):
    K, H, r, theta, optimum = backwards(lam, k, intercept, traces)
    weights = Simplex(r) if traces else Simplex()
    problem = Problem(DenseStack(K), Square(H, lam, intercept), weights)
    # The construction is right: both bounds are tight at (θ*, A*).
    at_optimum = problem.at(theta)
    assert at_optimum.value == pytest.approx(optimum, rel=1e-11)
    assert problem.dual(at_optimum.A).value == pytest.approx(optimum, rel=1e-11)

    solution = solve(problem, solver, tol=1e-7)
    assert solution.converged
    verify.check(verify.Square(K, H, lam, intercept), solution, r, tol=1e-7)
    c = solution.certificate
    # 1ᵀA = 0 holds to 1e-14‖A‖₁, and D moves by bᵀ1ᵀA.
    assert c.dual * (1 - 1e-11) <= optimum <= c.primal * (1 + 1e-11)
    assert c.primal == pytest.approx(optimum, rel=1e-7)


@pytest.mark.parametrize("solver", [Newton(), SILP()], ids=["Newton", "SILP"])
def test_weights_of_a_unique_optimum(solver):
    K, H, _, theta, optimum = backwards(0.1, 3, False, False)
    problem = Problem(DenseStack(K), Square(H, 0.1), Simplex())
    solution = solve(problem, solver, tol=1e-8)
    assert solution.converged
    # F − F* ≥ ½μ‖θ − θ*‖² up to higher order, μ the smallest curvature at θ*.
    mu = np.linalg.eigvalsh(problem.at(theta).hessian())[0]
    radius = np.sqrt(2 * 1e-8 * optimum / mu)
    assert radius < 0.01
    assert solution.weights == pytest.approx(theta, abs=radius)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_fisher(solver):
    # K_jA* = c for every kernel of the support, with c = d(a − A*) − Eν from the
    # stationarity of g: K_j = ccᵀ/(cᵀA*) + N_j with N_jA* = 0.
    rng = np.random.default_rng(0)
    lam = 0.1
    y = np.where(problems.labels(rng, N, 2) == 1, 1.0, -1.0)
    m = np.where(y > 0, np.sum(y > 0), np.sum(y < 0))
    a, d = y / m, lam * m
    noise = rng.normal(size=N) / m
    A = np.asarray(verify.Fisher(np.zeros((1, N, N)), y, lam).into_domain(a + noise))
    A = A.astype(float)
    # ν₊ − ν₋ = −5 makes cᵀA* positive.
    c = d * (a - A) - np.where(y > 0, -2.5, 2.5)
    flat = np.eye(N) - np.outer(A, A) / (A @ A)
    K = problems.random_psd(rng, P, N, rank=4)
    K = flat @ K @ flat + np.outer(c, c) / (c @ A)
    K = (K + K.transpose(0, 2, 1)) / 2
    K[THETA == 0] *= 0.8
    optimum = -0.5 * np.sum(d * (A - a) ** 2) - 0.5 * (c @ A)

    problem = Problem(DenseStack(K), FisherRatio(y, lam), Simplex())
    solution = solve(problem, solver, tol=1e-7)
    assert solution.converged
    verify.check(verify.Fisher(K, y, lam), solution, tol=1e-7)
    assert solution.certificate.primal == pytest.approx(optimum, rel=1e-7)
