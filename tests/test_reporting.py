"""Iterations and grid points, told to whoever listens."""

import threading
import warnings

import numpy as np
import pytest

import problems
from kernelweave import MKLSVC, MKLSVCCV, LaplacianMKLSVC, MKLRidge, MKLRidgeCV
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.reporting import reporter, reporting
from kernelweave.solvers import Galerkin, Interleaved, Newton

X, Y = problems.blobs(450, 3, 2)
KERNELS = [RBF(), Linear()]


def heard(work):
    """What was reported, as (done, total, text)."""
    reports = []
    with reporting(lambda *report: reports.append(report)):
        work()
    return reports


@pytest.mark.parametrize("solver", [None, Newton(), Galerkin(), Interleaved()])
def test_every_iteration_and_none_of_the_small_problems_inside(solver):
    # From 400 rows on solvers start from fewer samples, by a `solve` of their own.
    model = MKLRidge(KERNELS, solver=solver, tol=1e-3)
    reports = heard(lambda: model.fit(X, Y))
    rows = model.solution_.trace
    assert reports == [
        (0, 0, f"iteration {i}, gap {row.certificate.relative_gap:.1e}")
        for i, row in enumerate(rows, 1)
    ]
    assert len(reports) == model.n_iter_


def test_a_tied_machine():
    some = np.where(np.arange(60) % 3, Y[:60], -1)
    model = LaplacianMKLSVC(KERNELS, formulation="tied", max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reports = heard(lambda: model.fit(X[:60], some))
    assert [text for _, _, text in reports] == [
        f"iteration {i}, slope {row.slope:.1e}"
        for i, row in enumerate(model.solution_.trace, 1)
    ]


def points(reports, model):
    """Grid points, after which the chosen model alone tells its iterations."""
    grid, rest = reports[: -model.n_iter_], reports[-model.n_iter_ :]
    assert [text.split(",")[0] for _, _, text in rest] == [
        f"iteration {i + 1}" for i in range(model.n_iter_)
    ]
    return grid


@pytest.mark.parametrize("kernels", [KERNELS, [Nystroem(RBF(), 20), Linear()]])
def test_points_of_a_grid(kernels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1100, 3))
    model = MKLRidgeCV(kernels, norms=[1, 3, 2], alphas=[0.1, 1])
    assert points(heard(lambda: model.fit(X[:, :], X[:, 0])), model) == [
        (i + 1, 6, "choosing norm and alpha") for i in range(6)
    ]


@pytest.mark.parametrize(
    "model",
    [
        MKLRidgeCV(KERNELS, norms=[1, 2, 3], alphas=[0.1, 1], cv=2),
        MKLSVCCV(KERNELS, vs=[0, 0.5, 1], Cs=[1, 10], cv=2),
    ],
)
def test_points_of_splits(model):
    reports = heard(lambda: model.fit(X[:60], Y[:60]))
    assert points(reports, model) == [
        (i + 1, 12, f"split {1 + i // 6} of 2") for i in range(12)
    ]


def test_verbose_prints_as_before(capsys):
    model = MKLSVC(KERNELS, verbose=1)
    reports = heard(lambda: model.fit(X[:60], Y[:60]))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == model.n_iter_ + 1 == len(reports) + 1


def test_nobody_hears_afterwards_nor_in_another_thread():
    reports = []

    def report(*what):
        reports.append(what)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"), reporting(report):
        MKLRidge(KERNELS).fit(X[:60], Y[:60])
    assert len(reports) == 1
    MKLRidge(KERNELS).fit(X[:60], Y[:60])
    with reporting(report):
        thread = threading.Thread(target=MKLRidge(KERNELS).fit, args=(X[:60], Y[:60]))
        thread.start()
        thread.join()
    assert len(reports) == 1
    with pytest.raises(ValueError, match="inside"), reporter():
        raise ValueError("inside")
    with reporting(report), reporter() as found:
        assert found is report
