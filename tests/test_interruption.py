"""What was asked to stop stops, however deep in the work the interruption came."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import problems
from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    MKLSVRCV,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
    Problem,
    solve,
)
from kernelweave.evaluation import evaluate
from kernelweave.grams import DenseStack
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.losses import Hinge, Square
from kernelweave.selection.left_out import leave_out
from kernelweave.solve import Status
from kernelweave.solvers import Galerkin, Interleaved, Newton
from kernelweave.weights import Simplex

X, Y = problems.blobs(60, 3, 3)
KERNELS = [RBF(gamma=0.5), Linear()]


def interrupt(monkeypatch, n, call):
    """Raise KeyboardInterrupt in the evaluation `call` of problems with n samples."""
    at = Problem.at
    calls = []

    def interrupted(problem, *arguments):
        if n is None or problem.gram.n == n:
            calls.append(problem)
            if len(calls) == call:
                raise KeyboardInterrupt
        return at(problem, *arguments)

    monkeypatch.setattr(Problem, "at", interrupted)
    return calls


def large(make):
    """A problem of 400 samples, whose solvers start on a sample of these."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 6))
    kernels = [RBF(gamma=10.0**-j, columns=[j]) for j in range(6)]
    K = np.stack([kernel.fit(x)(x) for kernel in kernels])
    y = np.sign(x[:, :1] + 0.5 * x[:, 1:2] + rng.normal(size=(400, 1)))
    return Problem(DenseStack(K), make(y), Simplex())


@pytest.mark.parametrize("call", [1, 2])
@pytest.mark.parametrize(
    "solver, make, n",
    [
        (Newton(), lambda y: Square(y, 0.01), 200),
        (Newton(), lambda y: Hinge(y, 10.0), 200),
        (Galerkin(), lambda y: Square(y, 0.01), 100),
        (None, lambda y: Square(y, 0.01), 100),
    ],
)
def test_start_on_a_sample(monkeypatch, solver, make, n, call):
    calls = interrupt(monkeypatch, n, call)
    with pytest.raises(KeyboardInterrupt):
        solve(large(make), solver)
    assert len(calls) == call


@pytest.mark.parametrize("solver", [Galerkin(), Interleaved(block=100)])
def test_small_problem_inside_an_iteration(monkeypatch, solver):
    problem = large(lambda y: Square(y, 0.01))
    at = Problem.at
    sizes = []

    def interrupted(small, *arguments):
        n = small.gram.n
        if n < 400 and n not in sizes:
            sizes.append(n)
        elif n < 400 and len(sizes) == 2:
            # The second evaluation of the second small problem.
            raise KeyboardInterrupt
        return at(small, *arguments)

    monkeypatch.setattr(Problem, "at", interrupted)
    solution = solve(problem, solver, 1e-12, start=np.ones(6))
    assert solution.status is Status.INTERRUPTED
    assert len(sizes) == 2


SELECTING = [
    MKLDiscriminantAnalysisCV(KERNELS, [1, 2, 4], [0.1, 1]),
    MKLDiscriminantAnalysisCV(KERNELS, alphas=[0.1, 1], cv=2),
    MKLRidgeCV(KERNELS, [1, 2, 4], [0.1, 1]),
    MKLRidgeCV(KERNELS, alphas=[0.1, 1], cv=2),
    MKLSVCCV(KERNELS, vs=[0, 1], Cs=[1, 10], cv=2),
    MKLSVRCV(KERNELS, vs=[0, 1], Cs=[1, 10], cv=2),
]


@pytest.mark.parametrize("model", SELECTING, ids=str)
@pytest.mark.parametrize("call", [1, 5])
def test_grids_stop_and_leave_nothing(monkeypatch, model, call):
    calls = interrupt(monkeypatch, None, call)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert len(calls) == call
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysisCV, MKLRidgeCV])
def test_learning_for_prediction_stops_and_leaves_nothing(monkeypatch, Estimator):
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return leave_out(*arguments)

    monkeypatch.setattr("kernelweave.selection.relevances.leave_out", interrupted)
    model = Estimator(KERNELS)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert len(calls) == 3
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "kernels",
    [KERNELS, [Nystroem(RBF(gamma=g), n_components=10) for g in (0.1, 1.0)]],
    ids=["Gram matrices", "features"],
)
def test_one_class_after_the_other(monkeypatch, kernels):
    rows, labels = (X, Y) if kernels is KERNELS else problems.blobs(1200, 3, 3)
    model = MKLSVC(kernels, loss="squared_hinge", multiclass="per_class", tol=1e-9)
    solved = []

    def counted(problem, *arguments, **options):
        def callback(iteration, row, point):
            if len(solved) == 1 and iteration == 2:
                raise KeyboardInterrupt

        solution = solve(problem, *arguments, callback=callback, **options)
        solved.append(solution.status)
        return solution

    monkeypatch.setattr("kernelweave.estimators.learning.solve", counted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows, labels)
    assert solved == [Status.OPTIMAL, Status.INTERRUPTED]
    with pytest.raises(NotFittedError):
        model.predict(rows)


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS, alpha=0.01),
        MKLRidge(KERNELS, alpha=0.01),
        MKLSVC(KERNELS, C=100, tol=1e-9),
        MKLSVR(KERNELS, C=100, tol=1e-9),
    ],
    ids=str,
)
def test_a_single_fit_keeps_the_best_so_far(monkeypatch, model):
    interrupt(monkeypatch, None, 2)
    with pytest.warns(ConvergenceWarning, match="interrupted from the keyboard"):
        model.fit(X, Y)
    assert model.solution_.status is Status.INTERRUPTED
    assert model.predict(X).shape == Y.shape


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_evaluation_stops(monkeypatch):
    calls = interrupt(monkeypatch, None, 2)
    with pytest.raises(KeyboardInterrupt):
        evaluate(MKLRidge(KERNELS, alpha=0.01), X, Y.astype(float), cv=3)
    assert len(calls) == 2


@pytest.mark.parametrize(
    "model", ["MKLSVCCV()", "MKLDiscriminantAnalysisCV(norms=[1, 2], alphas=[0.1, 1])"]
)
def test_signal_ends_a_grid(model):
    script = f"""
        import signal
        import numpy as np
        from kernelweave import MKLSVCCV, MKLDiscriminantAnalysisCV, Problem
        dual, calls = Problem.dual, []
        # What a shell starts in the background ignores SIGINT, and so do its children.
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def signalled(problem, *arguments):
            # An iterate is judged: this solve has a best point by now.
            calls.append(problem)
            if len(calls) == 3:
                signal.raise_signal(signal.SIGINT)
            return dual(problem, *arguments)

        Problem.dual = signalled
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100, 5))
        y = np.sign(X[:, 0] + rng.normal(size=100))
        try:
            {model}.fit(X, y)
        except KeyboardInterrupt:
            raise SystemExit(len(calls))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # The third iterate of a grid of more than three solves was the last.
    assert process.returncode == 3, process.stderr
