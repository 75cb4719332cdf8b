"""A fit that fails, whatever the reason, leaves the estimator as it was."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import problems
from kernelweave import (
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.streamed import fit_chunks
from public import ESTIMATORS

X, Y = problems.blobs(40, 3, 2)
Y = np.where(Y[0] == Y, 1, 2)
ALL = pytest.mark.parametrize("Estimator", ESTIMATORS)
# Grids of one point.
SMALL = {"norms": [2], "alphas": [1.0], "vs": [0.5], "Cs": [1.0], "cv": 2}


def estimator(Estimator, **parameters):
    model = Estimator()
    known = model.get_params()
    small = {name: value for name, value in SMALL.items() if name in known}
    return model.set_params(**small, **parameters)


def state(model):
    return {name: id(value) for name, value in vars(model).items()}


class Failing(RBF):
    """A kernel that fails when its matrix is computed."""

    error: type[BaseException] = ValueError

    def between(self, X, Y):
        raise self.error("no matrix")


def check_failure(model, error, X, y, match=None):
    """The fit fails, and the model is what it was before, attribute by attribute."""
    before = state(model)
    with pytest.raises(error, match=match):
        model.fit(X, y)
    assert state(model) == before


@ALL
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_refit(monkeypatch, Estimator, error):
    model = estimator(Estimator)
    old = model.fit(X, Y).predict(X)
    single = Estimator is KernelDiscriminantAnalysis
    kernel = Failing()
    monkeypatch.setattr(Failing, "error", error)
    model.set_params(**({"kernel": kernel} if single else {"kernels": [kernel]}))
    check_failure(model, error, 10 * X, Y[::-1])
    assert np.array_equal(model.predict(X), old)


@ALL
def test_first_fit(monkeypatch, Estimator):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelweave.estimators.learning.solve", interrupted)
    model = estimator(Estimator)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert vars(model) == model.get_params(deep=False)
    with pytest.raises(NotFittedError):
        model.predict(X)


@ALL
def test_bad_targets(Estimator):
    if Estimator is MKLOneClassSVM:
        pytest.skip("takes no targets")
    model = estimator(Estimator).fit(X, Y)
    old = model.predict(X)
    check_failure(model, ValueError, X, np.full(len(Y), np.nan))
    check_failure(model, ValueError, X, Y[:-1])
    if Estimator is not LaplacianMKLSVC:  # of which that is an unlabelled row
        check_failure(model, ValueError, X, pd.Series([pd.NA, *Y[1:]]))
    assert np.array_equal(model.predict(X), old)


@ALL
def test_bad_rows(Estimator):
    model = estimator(Estimator).fit(X, Y)
    check_failure(model, ValueError, np.full_like(X, np.nan), Y)
    assert model.predict(X).shape == Y.shape


@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])
def test_chunks(Estimator):
    model = Estimator([Nystroem(RBF(), n_components=10), Linear()])
    fit_chunks(model, lambda: iter([(X, Y)]))
    before = state(model)

    def broken():
        yield X, Y
        raise OSError("the file ends here")

    with pytest.raises(OSError, match="ends here"):
        fit_chunks(model, broken)
    assert state(model) == before


@ALL
def test_too_little_memory(monkeypatch, Estimator):
    def too_large(*arguments):
        return np.empty(2**50)

    monkeypatch.setattr("kernelweave.grams.stored.normalise", too_large)
    message = (
        r"(?s)ran out of memory: a Gram matrix of \d+ rows takes .* GB .*allocate.*"
        r"Fit fewer rows.*Nystroem"
    )
    check_failure(estimator(Estimator), MemoryError, X, Y, message)
