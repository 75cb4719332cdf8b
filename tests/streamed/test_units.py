"""Answers from sums do not depend on the units of targets and features."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.streamed import fit_chunks

N = 1500
X = np.random.default_rng(4).normal(size=(N + 200, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
CLASSES = np.digitize(Y, [-0.5, 0.7])
NEW = X[N:]
KERNELS = [Nystroem(RBF(), 60), Linear()]
UNITS = [1e-8, 1e-4, 1e4, 1e6, 1e8]
MODELS = [
    MKLRidge(KERNELS, alpha=0.1),
    MKLRidge(KERNELS, alpha=0.1, normalize=None, center=False),
    MKLRidge(KERNELS, alpha="learn"),
    MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.01, 0.1]),
]


def whole(model, X, y):
    return clone(model).fit(X, y)


def in_chunks(model, X, y):
    parts = [slice(first, first + 400) for first in range(0, len(y), 400)]
    return fit_chunks(clone(model), lambda: ((X[part], y[part]) for part in parts))


def in_parts(model, X, y):
    model = clone(model)
    for first in range(0, len(y), 800):
        model.partial_fit(X[first : first + 800], y[first : first + 800])
    return model


@pytest.mark.parametrize("fit", [whole, in_chunks, in_parts])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_predictions_and_bounds_follow_the_unit_of_y(model, fit):
    one = fit(model, X[:N], Y[:N])
    wanted, bounds = one.predict(NEW), one.solution_.certificate
    assert one.score(NEW, Y[N:]) > 0.9
    for unit in UNITS:
        other = fit(model, X[:N], unit * Y[:N])
        found = other.predict(NEW) / unit
        np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())
        np.testing.assert_allclose(other.weights_, one.weights_, atol=1e-6)
        assert other.alpha_ == pytest.approx(one.alpha_, rel=1e-6)
        proof = other.solution_.certificate
        assert proof.primal / unit**2 == pytest.approx(bounds.primal, rel=1e-6)
        assert proof.dual / unit**2 == pytest.approx(bounds.dual, rel=1e-6)


def test_outputs_of_different_units():
    one = MKLRidge(KERNELS, alpha=0.1).fit(X[:N], Y[:N])
    units = np.array([1e-8, 1.0, 1e8])
    both = MKLRidge(KERNELS, alpha=0.1).fit(X[:N], Y[:N, None] * units)
    wanted = one.predict(NEW)[:, None]
    np.testing.assert_allclose(both.predict(NEW) / units, wanted + 0 * units, rtol=1e-6)


def test_a_large_mean_of_y_does_not_choose():
    """R² of left-out rows is that of y about its mean."""
    model = MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.01, 0.1, 1])
    here, there = clone(model).fit(X[:N], Y[:N]), clone(model).fit(X[:N], Y[:N] + 1e8)
    scores = [m.cv_results_["mean_test_score"] for m in (here, there)]
    np.testing.assert_allclose(scores[1], scores[0], atol=1e-6)
    assert (here.norm_, here.alpha_) == (there.norm_, there.alpha_)


@pytest.mark.parametrize(
    "model",
    [
        MKLRidge(KERNELS, alpha=0.1, normalize=None),
        MKLRidgeCV(KERNELS, [1, 2], [0.01, 1], normalize=None),
        MKLDiscriminantAnalysis(KERNELS, normalize=None),
        MKLDiscriminantAnalysisCV(KERNELS, [1, 2], [0.01, 1], normalize=None),
    ],
    ids=lambda model: type(model).__name__,
)
def test_kernels_of_very_different_units(model):
    """A linear kernel of 1e12 and of 1e16 beside one of 1: its own features count."""
    y = CLASSES if is_classifier(model) else Y
    with warnings.catch_warnings():
        # A relative gap above tol is a warning.
        warnings.simplefilter("error")
        found = [clone(model).fit(unit * X[:N], y[:N]) for unit in (1e4, 1e6, 1e8)]
    primals = [m.solution_.certificate.primal for m in found]
    # The optimum itself changes as much: less of the weights pays for large units.
    np.testing.assert_allclose(primals, primals[0], rtol=1e-5)
    scores = [
        m.score(u * NEW, y[N:]) for m, u in zip(found, (1e4, 1e6, 1e8), strict=True)
    ]
    assert min(scores) > max(scores) - 0.01
    assert min(scores) > 0.8


@pytest.mark.parametrize("unit", [1e6, 1e8])
def test_features_that_depend_on_each_other_in_large_units(unit):
    kernels = [Linear(), Linear(name="again")]
    one = MKLRidgeCV(kernels, [1, 2], [1.0], normalize=None).fit(X[:N], Y[:N])
    far = MKLRidgeCV(kernels, [1, 2], [1.0], normalize=None).fit(unit * X[:N], Y[:N])
    # α is nothing beside either.
    np.testing.assert_allclose(far.predict(unit * NEW), one.predict(NEW), atol=1e-2)
    model = MKLDiscriminantAnalysis(kernels, normalize=None)
    here = clone(model).fit(X[:N], CLASSES[:N]).predict(NEW)
    there = clone(model).fit(unit * X[:N], CLASSES[:N]).predict(unit * NEW)
    assert np.mean(here == there) > 0.98


def test_squares_that_are_beyond_all_numbers():
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match="whose squares overflow"),
    ):
        MKLRidge(KERNELS).partial_fit(X[:N], 1e160 * Y[:N])
    with pytest.raises(ValueError, match="y has numbers as large as"):
        MKLRidge(KERNELS).fit(X[:N], 1e160 * Y[:N])
