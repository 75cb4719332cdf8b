"""alpha of the automatic discriminants, by the left-out probabilities of classes."""

import numpy as np
import pytest

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV
from kernelweave.estimators.gaussian import class_gaussians
from kernelweave.estimators.ridge_for_classes import ClassLosses, ridge_for_classes
from kernelweave.importance import view_importance
from kernelweave.kernels import RBF, Linear
from kernelweave.losses import discriminant_targets
from kernelweave.selection.ridge_path import decompose
from kernelweave.weights import Fixed


def waveforms(n, rng):
    """Three classes, each a random mixture of two of three triangles, with noise."""
    t = np.arange(21)
    triangles = np.maximum(6 - abs(t - np.array([[6], [14], [10]])), 0)
    y, share = rng.integers(3, size=n), rng.random((n, 1))
    X = share * triangles[y] + (1 - share) * triangles[(y + 1) % 3]
    return X + rng.standard_normal((n, 21)), y


def plain_gram(X):
    """Half a Gaussian of the median distance and half a linear kernel, centred."""
    n = len(X)
    D = np.sum((X[:, None] - X) ** 2, axis=2)
    P = np.eye(n) - 1 / n
    parts = [P @ K @ P for K in (np.exp(-D / np.median(D)), X @ X.T)]
    return sum(n / np.trace(K) * K for K in parts) / 2


def losses(K, lam, H, y, v):
    """−v_i log P(class of i): every sample left out by a system of its own."""
    n = len(y)
    shift = v[:, None] * (H - v @ H / v.sum()) / (v.sum() - v)[:, None]
    f = np.empty_like(H)
    for i in range(n):
        kept = np.arange(n) != i
        B = np.ones((n, n))
        B[-1, -1] = 0
        B[:-1, :-1] = K[np.ix_(kept, kept)] + lam * np.diag(1 / v[kept])
        found = np.linalg.solve(B, np.vstack([H[kept], 0 * H[:1]]))
        f[i] = K[i, kept] @ found[:-1] + found[-1]
    head = class_gaussians((f + shift, H), y, 3, v)
    return -v * np.log(head.probabilities(f + shift)[np.arange(n), y])


@pytest.mark.parametrize("weighted", [False, True])
def test_the_least_log_loss_of_samples_that_are_left_out(weighted):
    rng = np.random.default_rng(0)
    X, y = waveforms(150, rng)
    v = rng.choice([0.5, 1.0, 2.0], len(y)) if weighted else np.ones(len(y))
    H = discriminant_targets(y, 3, v if weighted else None)
    K = plain_gram(X)
    at = decompose(K.copy(), H, True, v if weighted else None)
    by_class = ClassLosses(H, y, 3, v if weighted else None)
    found, told = ridge_for_classes(by_class, at, 0.02)
    assert found > 0.02
    here, less, more, before = (
        losses(K, lam, H, y, v) for lam in (found, found / 2, 2 * found, 0.02)
    )
    assert here.sum() < 0.995 * less.sum()
    assert more.sum() > 0.995 * here.sum()
    np.testing.assert_allclose(told, here, rtol=1e-6)
    fall = before - here
    assert fall.mean() > 2 * fall.std() / np.sqrt(len(y))


def test_what_gains_no_more_than_noise_is_left():
    X, y = waveforms(120, np.random.default_rng(1))
    H, K = discriminant_targets(y, 3, None), plain_gram(X)
    at = decompose(K.copy(), H)
    by_class = ClassLosses(H, y, 3)
    best, _ = ridge_for_classes(by_class, at, 0.1)
    for near in (best, 1.4 * best):
        lam, told = ridge_for_classes(by_class, at, near)
        assert lam == near
        np.testing.assert_allclose(told, by_class.at(at, near))


def test_three_classes_gain_by_it():
    """Against the alpha that squared errors of projections ask for."""
    rng = np.random.default_rng(2)
    (X, y), (X_new, y_new) = waveforms(400, rng), waveforms(2000, rng)
    kernels = [RBF(), Linear()]
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    error = model.cv_results_["mean_test_score"]
    by_squares = model.cv_results_["param_alpha"][np.argmax(error)]
    assert model.alpha_ > 4 * by_squares
    plain = MKLDiscriminantAnalysis(kernels, Fixed(model.weights_), alpha=by_squares)
    assert model.score(X_new, y_new) > plain.fit(X, y).score(X_new, y_new)


def test_weights_are_judged_at_the_ridge_of_squares():
    """`descent_`, importances and words do not know of the ridge of classes."""
    X, y = waveforms(400, np.random.default_rng(2))
    X = np.hstack([X, np.random.default_rng(3).standard_normal((400, 4))])
    parts = {"first": slice(0, 10), "last": slice(10, 21), "noise": slice(21, 25)}
    kernels = [
        RBF(columns=place, name=name, scale=True) for name, place in parts.items()
    ]
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    assert model.alpha_ > 2 * model.descent_.lam
    assert model.descent_.value <= model.descent_.start_value
    found = view_importance(model, X, y, n_subsamples=0, n_permutations=0)
    assert found.attrs["score"] == pytest.approx(model.best_score_, rel=1e-6)
    assert found.attrs["score"] > found["alone"].max()
    assert abs(found["removed"]["noise"]) < 0.02


def test_widths_are_learned_before_it():
    rng = np.random.default_rng(29)
    centres, y = rng.standard_normal((5, 6)), np.arange(120) % 5
    X = 0.8 * centres[y] + rng.standard_normal((120, 6))
    model = MKLDiscriminantAnalysisCV([RBF(gamma="learn"), Linear()]).fit(X, y)
    # A ridge of classes of which widths know would make them seem to gain 48 %.
    gain = 1 - model.descent_.value / model.descent_.start_value
    assert model.descent_.accepted and gain < 0.1
    assert model.alpha_ > 4 * model.descent_.lam
