"""Every solver that works where the arrays are: verified there, and as with NumPy."""

import numpy as np
import pytest

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.arrays import host
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import (
    FisherRatio,
    Hinge,
    MajorizedSquare,
    Square,
    SquaredHinge,
    discriminant_targets,
)
from kernelweave.losses.quadratic import leave_one_out, maximise
from kernelweave.solvers import (
    QCQP,
    SDP,
    SILP,
    SMO,
    Alternating,
    DualLBFGS,
    Galerkin,
    Interleaved,
    Level,
    Newton,
    Primal,
    ReducedGradient,
    galerkin,
    primal,
)
from kernelweave.solvers.coarse import Sampling
from kernelweave.solvers.default import default_solver
from kernelweave.weights import ElasticNet, LpBall, Simplex
from kinds import KINDS

N = 60
X, y = problems.blobs(n=N, k=3, seed=2)
K = problems.ten_gaussians(X, "variance")[::2]
H = discriminant_targets(y, 3)
Y = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
ORACLE = verify.Square(K, H, 0.1, True)


def _on_the_host(solution):
    """The same solution for code that knows NumPy only."""
    from dataclasses import replace

    parts = {name: host(getattr(solution, name)) for name in ("A", "bias", "dual_A")}
    return replace(solution, **parts)


CASES = {
    "newton": (Newton(), Simplex(), np.max, 1e-6),
    "newton, norm 2": (Newton(), LpBall(2), bounds.norm(2.0), 1e-6),
    "newton, elastic": (
        Newton(),
        ElasticNet(0.5),
        verify.ElasticNet(0.5).support,
        1e-6,
    ),
    "galerkin": (Galerkin(), Simplex(), np.max, 1e-6),
    "alternating": (Alternating(), LpBall(2), bounds.norm(2.0), 1e-6),
    "dual": (DualLBFGS(), LpBall(2), bounds.norm(2.0), 1e-6),
    "primal": (Primal(), Simplex(), np.max, 1e-6),
    "silp": (SILP(), Simplex(), np.max, 1e-3),
    "level": (Level(), Simplex(), np.max, 1e-2),
    "reduced gradient": (ReducedGradient(), Simplex(), np.max, 1e-2),
}


@KINDS
@pytest.mark.parametrize("solver, weights, support, tol", CASES.values(), ids=CASES)
def test_the_square_loss_is_certified(kind, solver, weights, support, tol):
    def run(move):
        loss = Square(move(H), 0.1, True)
        return solve(Problem(DenseStack(move(K)), loss, weights), solver, tol)

    ours, theirs = run(kind), run(np.asarray)
    assert ours.converged
    assert kind.owns(ours.A) and kind.owns(ours.dual_A) and kind.owns(ours.bias)
    assert isinstance(ours.weights, np.ndarray)
    bounds.check(ORACLE, _on_the_host(ours), support, tol=tol)
    # The same steps, so far as rounding lets them be.
    assert ours.weights == pytest.approx(theirs.weights, abs=1e-6)
    assert ours.n_iter == theirs.n_iter


@KINDS
def test_coarse_to_fine(kind, monkeypatch):
    # From 400 rows on the start comes from a sample, on a GPU from more.
    monkeypatch.setattr(galerkin, "GPU", Sampling(4))
    big, labels = problems.blobs(n=420, k=3, seed=3)
    matrices = problems.ten_gaussians(big, "variance")[::3]
    targets = discriminant_targets(labels, 3)

    def run(move):
        loss = Square(move(targets), 0.1, True)
        return solve(Problem(DenseStack(move(matrices)), loss, Simplex()), tol=1e-8)

    ours, theirs = run(kind), run(np.asarray)
    assert ours.converged
    assert ours.weights == pytest.approx(theirs.weights, abs=1e-9)


@KINDS
def test_coarse_to_fine_in_the_primal(kind, monkeypatch):
    big, labels = problems.blobs(n=420, k=2, seed=3)
    matrices = kind(problems.ten_gaussians(big, "variance")[::3])
    loss = SquaredHinge(kind(np.where(labels == 0, 1.0, -1.0)[:, None]), 1.0)
    problem = Problem(DenseStack(matrices), loss, Simplex())
    alone = solve(problem, Primal(), tol=1e-8)
    monkeypatch.setattr(primal, "GPU", Sampling(4))
    started = solve(problem, Primal(), tol=1e-8)
    assert started.converged and alone.converged
    assert started.weights == pytest.approx(alone.weights, abs=1e-4)
    # The first weights are those of a sample, no longer the middle of the set.
    assert started.trace[0].certificate.primal < alone.trace[0].certificate.primal


@KINDS
def test_fisher_ratio(kind):
    signs = np.where(y > 0, 1.0, -1.0)

    def run(move):
        loss = FisherRatio(move(signs), 0.1)
        return solve(Problem(DenseStack(move(K)), loss, Simplex()), Newton(), 1e-8)

    ours, theirs = run(kind), run(np.asarray)
    assert ours.converged and kind.owns(ours.A)
    assert ours.weights == pytest.approx(theirs.weights, abs=1e-9)
    assert ours.certificate.primal == pytest.approx(theirs.certificate.primal)


@KINDS
@pytest.mark.parametrize("C", [1.0, np.linspace(0.5, 2, N)], ids=["one", "each"])
def test_squared_hinge(kind, C):
    def run(move, solver):
        penalty = C if np.ndim(C) == 0 else move(C)
        loss = SquaredHinge(move(Y), penalty)
        return solve(Problem(DenseStack(move(K)), loss, Simplex()), solver, 1e-7)

    # NumPy's default shares no line with the other.
    ours, theirs = run(kind, None), run(np.asarray, Newton())
    assert ours.converged and kind.owns(ours.A)
    assert ours.certificate.primal == pytest.approx(theirs.certificate.primal, rel=2e-7)
    assert ours.weights == pytest.approx(theirs.weights, abs=1e-3)


@KINDS
def test_the_default_solver_of_the_squared_hinge(kind):
    problem = Problem(DenseStack(kind(K)), SquaredHinge(kind(Y)), Simplex())
    assert isinstance(default_solver(problem), Primal)


@KINDS
def test_regularisation_learned(kind):
    def run(move):
        gram = WithIdentity(DenseStack(move(K)))
        return solve(Problem(gram, Square(move(H), 0.0, True), Simplex()), tol=1e-7)

    ours, theirs = run(kind), run(np.asarray)
    assert ours.converged
    assert ours.weights == pytest.approx(theirs.weights, abs=1e-8)


@KINDS
@pytest.mark.parametrize("intercept", [True, False])
def test_factor_in_blocks(kind, intercept, monkeypatch):
    monkeypatch.setattr("kernelweave.losses.triangle.BLOCK", 17)
    rng = np.random.default_rng(0)
    E = np.ones((N, int(intercept)))
    e, d = np.zeros((int(intercept), 2)), rng.uniform(0.1, 1, N)
    applied = rng.normal(size=(3, N, 2))
    theirs = maximise(K[0].copy(), d, H, E, e)
    ours = maximise(*map(kind, (K[0].copy(), d, H, E, e)))
    assert ours.value == pytest.approx(theirs.value, rel=1e-13)
    np.testing.assert_allclose(host(ours.A), theirs.A, atol=1e-12)
    np.testing.assert_allclose(
        ours.hessian(kind(applied)), theirs.hessian(applied), rtol=1e-10
    )
    moved = host(ours.respond(kind(applied[0])))
    np.testing.assert_allclose(moved, theirs.respond(applied[0]), atol=1e-12)
    left_out = leave_one_out(kind(K[0].copy()), kind(d), ours.A, intercept)
    expected = leave_one_out(K[0].copy(), d, theirs.A, intercept)
    np.testing.assert_allclose(host(left_out), expected, rtol=1e-10)


@KINDS
def test_singular_and_indefinite_matrices(kind):
    x = X[:, :1]
    gram, E = x @ x.T, np.zeros((N, 0))
    zero = np.zeros(N)
    # Singular to rounding: a little is added, and the bound says what that hides.
    found = maximise(*map(kind, (gram.copy(), zero, gram[:, :1], E, np.zeros((0, 1)))))
    expected = maximise(gram.copy(), zero, gram[:, :1], E, np.zeros((0, 1)))
    assert found.value == pytest.approx(expected.value, rel=1e-6)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        maximise(*map(kind, (-np.eye(N), zero, H, E, np.zeros((0, 2)))))


@KINDS
@pytest.mark.parametrize(
    "solver", [SMO(), Interleaved(), QCQP(), SDP()], ids=lambda s: type(s).__name__
)
def test_solvers_of_the_host_say_so(kind, solver):
    weights = LpBall(2) if isinstance(solver, SMO) else Simplex()
    problem = Problem(DenseStack(kind(K)), Square(kind(H), 0.1, True), weights)
    with pytest.raises(
        TypeError, match=f"{type(solver).__name__} computes on the host"
    ):
        solve(problem, solver)


@KINDS
def test_losses_of_the_host_say_so(kind):
    gram = DenseStack(kind(K))
    with pytest.raises(TypeError, match="inner problem of Hinge is solved by the host"):
        solve(Problem(gram, Hinge(kind(Y)), Simplex()))
    with pytest.raises(TypeError, match=r"MajorizedSquare.*computes on the host"):
        solve(Problem(gram, MajorizedSquare(kind(H), 0.1), Simplex()))
