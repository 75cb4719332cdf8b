"""Rows that are added: what a call may change, and what it must not."""

import pickle

import numpy as np
import pytest

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV, MKLRidge
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.streamed import fit_chunks

rng = np.random.default_rng(1)
X = rng.normal(size=(900, 3))
Y = X[:, 0] ** 2 + X[:, 1]
CLASSES = np.digitize(Y, [0.0, 1.5])
# A first chunk whose rows are of the classes 0 and 1 only.
FIRST = np.flatnonzero(CLASSES < 2)[:400]
REST = np.setdiff1d(np.arange(900), FIRST)


def kernels(gamma=0.3):
    return [Nystroem(RBF(gamma=gamma), 40), Linear()]


def state(model):
    return pickle.dumps(model.__dict__)


def refused(model, message, X, y, **options):
    """The call fails, and the model is what it was."""
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y, **options)
    assert state(model) == before


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(kernels()),
        MKLDiscriminantAnalysisCV(kernels(), [1, 2], [0.1, 1]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_first_chunk_may_lack_a_class(model):
    model.partial_fit(X[FIRST], CLASSES[FIRST], classes=[0, 1, 2])
    plain = MKLDiscriminantAnalysis(kernels(), model.weights, model.alpha)
    plain.partial_fit(X[FIRST], CLASSES[FIRST], classes=[0, 1])
    assert model.classes_.tolist() == [0, 1, 2]
    proba = model.predict_proba(X)
    assert proba.shape == (900, 3)
    np.testing.assert_allclose(proba[:, :2], plain.predict_proba(X), atol=1e-6)
    assert not proba[:, 2].any()
    np.testing.assert_allclose(model.transform(X), plain.transform(X), atol=1e-4)
    assert set(model.predict(X)) == {0, 1}
    model.partial_fit(X[REST], CLASSES[REST])
    assert model.n_samples_fit_ == 900
    assert model.transform(X).shape == (900, 2)
    assert model.score(X, CLASSES) > 0.85


def test_the_order_of_the_chunks_that_follow_does_not_matter():
    halves = np.array_split(REST, 2)
    models = []
    for order in (halves, halves[::-1]):
        model = MKLRidge(kernels(), tol=1e-9).partial_fit(X[FIRST], Y[FIRST])
        for part in order:
            model.partial_fit(X[part], Y[part])
        models.append(model)
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, atol=1e-8)


def test_a_call_that_fails_changes_nothing():
    model = MKLDiscriminantAnalysis(kernels())
    one = FIRST[CLASSES[FIRST] == 1]
    refused(model, "all rows so far", X[one], CLASSES[one], classes=[0, 1, 2])
    refused(model, "none of the classes", X, CLASSES, classes=[0, 1])
    model.partial_fit(X[FIRST], CLASSES[FIRST], classes=[0, 1, 2])
    refused(model, "none of the classes", X[REST], CLASSES[REST] + 1)
    refused(model, "not those of the first call", X, CLASSES, classes=[0, 1, 2, 3])
    refused(model, "3 features", X[:, :2], CLASSES)
    # The rows are counted before the solver begins.
    model.set_params(alpha=-1.0)
    refused(model, "alpha must be a positive number", X[REST], CLASSES[REST])
    model.set_params(alpha=1.0).partial_fit(X[REST], CLASSES[REST])
    assert model.n_samples_fit_ == 900
    ridge = MKLRidge(kernels()).partial_fit(X, np.c_[Y, Y])
    refused(ridge, "y has 1 columns, and that of the rows before has 2", X, Y)


def test_an_interrupted_call_changes_nothing(monkeypatch):
    model = MKLRidge(kernels()).partial_fit(X[FIRST], Y[FIRST])
    before = state(model)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MKLRidge, "_fit_data", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[REST], Y[REST])
    assert state(model) == before


def test_what_fit_learned_is_not_forgotten():
    for fitted in (
        MKLRidge(kernels()).fit(X, Y),
        MKLRidge(kernels()).fit(np.vstack([X, X]), np.r_[Y, Y]),
        fit_chunks(MKLRidge(kernels()), lambda: iter([(X, Y)])),
        MKLRidge(kernels()).partial_fit(X, Y).fit(X, Y),
    ):
        refused(fitted, "kept no sums to which others could be added", X, Y)
    model = MKLDiscriminantAnalysis(kernels()).fit(X, CLASSES)
    refused(model, "clone\\(model\\).partial_fit", X, CLASSES, classes=[0, 1, 2])


@pytest.mark.parametrize(
    "other",
    [
        dict(kernels=kernels(gamma=0.4)),
        dict(kernels=kernels()[:1]),
        dict(kernels=[Nystroem(RBF(gamma=0.3), 41), Linear()]),
        dict(kernels=[Nystroem(RBF(gamma=0.3), 40), Linear(columns=[0, 1])]),
        dict(normalize="spherical"),
        dict(scatter="within"),
        dict(kernels=kernels(), normalize="spherical"),
    ],
    ids=str,
)
def test_parameters_that_cannot_change_midway(other):
    model = MKLDiscriminantAnalysis(kernels())
    model.partial_fit(X[FIRST], CLASSES[FIRST], classes=[0, 1, 2])
    model.set_params(**other)
    refused(model, "was changed after the first call|use scatter", X, CLASSES)


def test_parameters_that_can():
    model = MKLRidge(kernels()).partial_fit(X[FIRST], Y[FIRST])
    model.set_params(kernels=kernels(), alpha=0.1, normalize="trace", center=False)
    model.partial_fit(X[REST], Y[REST])
    other = MKLRidge(kernels(), alpha=0.1, normalize="trace", center=False)
    other.partial_fit(X[FIRST], Y[FIRST]).partial_fit(X[REST], Y[REST])
    assert np.array_equal(model.coef_, other.coef_)
    # A generator of random numbers has moved on, and is the same parameter.
    kernel = Nystroem(RBF(), 20, random_state=np.random.RandomState(0))
    model = MKLRidge([kernel]).partial_fit(X[FIRST], Y[FIRST])
    assert model.partial_fit(X[REST], Y[REST]).n_samples_fit_ == 900
