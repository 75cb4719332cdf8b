"""Convergence: the bounds that the trace holds."""

import numpy as np
import pytest

import problems
from kernelweave import MKLSVC, LaplacianMKLSVC, MKLRidge, Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.kernels import rbf_grid
from kernelweave.losses import Square, discriminant_targets
from kernelweave.plots import ConvergenceDisplay
from kernelweave.solvers import SILP, Level, Newton
from kernelweave.weights import Simplex


@pytest.fixture(scope="module")
def solutions():
    K = problems.random_psd(np.random.default_rng(0), 20, 15, 3)
    loss = Square(discriminant_targets(np.arange(15) % 2, 2), 0.1, True)
    problem = Problem(DenseStack(K), loss, Simplex())
    solvers = {"Newton": Newton(), "SILP": SILP(), "Level": Level()}
    return {name: solve(problem, solver) for name, solver in solvers.items()}


@pytest.mark.parametrize("against", ["time", "iterations"])
def test_several_solutions(solutions, against, legible):
    display = ConvergenceDisplay.from_solutions(solutions, tol=1e-6, against=against)
    for i, solution in enumerate(solutions.values()):
        rows = solution.trace
        primal, dual = display.bounds_ax_.lines[2 * i : 2 * i + 2]
        assert np.allclose(primal.get_ydata(), [r.certificate.primal for r in rows])
        assert np.allclose(dual.get_ydata(), [r.certificate.dual for r in rows])
        gaps = np.array([r.certificate.relative_gap for r in rows])
        drawn = display.ax_.lines[i]
        assert np.allclose(drawn.get_ydata(), np.maximum(gaps, np.finfo(float).eps))
        seconds, count = [r.seconds for r in rows], np.arange(1, len(rows) + 1)
        x = seconds if against == "time" else count
        assert np.allclose(drawn.get_xdata(), x)
    # The optimum is in the picture, between the bounds.
    low, high = display.bounds_ax_.get_ylim()
    best = solutions["Newton"].certificate
    assert low < best.dual and best.primal < high
    legend = display.figure_.axes[0].get_legend()
    assert [t.get_text() for t in legend.get_texts()] == list(solutions)
    legible(display)


def test_one_solution_has_no_legend(solutions, legible):
    display = ConvergenceDisplay.from_solutions(solutions["SILP"])
    assert display.figure_.axes[0].get_legend() is None
    legible(display)


@pytest.mark.parametrize("k", [3, 20])
def test_machines_of_each_class(k, legible):
    X, y = problems.blobs(80, 3, k)
    model = MKLSVC(rbf_grid(), multiclass="per_class").fit(X, y)
    display = ConvergenceDisplay.from_estimator(model, against="iterations")
    assert list(display.solutions) == [str(c) for c in range(k)]
    assert display.tol == model.tol
    legible(display)


def test_without_progress(legible):
    """One kernel is optimal at once: one point, and bounds that may be equal."""
    X, y = problems.blobs()
    model = MKLRidge(rbf_grid(factors=[1])).fit(X, y)
    assert model.n_iter_ == 1
    legible(ConvergenceDisplay.from_estimator(model))


def test_what_cannot_be_drawn(solutions):
    X, y = problems.blobs()
    model = LaplacianMKLSVC(formulation="tied").fit(X, y)
    with pytest.raises(ValueError, match="no certificate"):
        ConvergenceDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="empty"):
        ConvergenceDisplay({})
    with pytest.raises(ValueError, match="'time' or 'iterations'"):
        ConvergenceDisplay(solutions).plot(against="steps")
