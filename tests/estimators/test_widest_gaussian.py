"""The widest Gaussian alone, where it tells classes better than several kernels do."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from kernelweave import MKLDiscriminantAnalysisCV
from kernelweave.estimators import widest_gaussian
from kernelweave.estimators.gaussian import class_gaussians
from kernelweave.estimators.learned_words import learned_words
from kernelweave.estimators.widest_gaussian import widest
from kernelweave.importance import view_importance
from kernelweave.kernels import (
    RBF,
    FunctionKernel,
    Laplacian,
    Linear,
    Overlap,
    number_kernels,
)
from kernelweave.losses import discriminant_targets


def sectors(n, seed, d=6):
    """Four classes by the angle in a plane that six columns know, and little noise."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 3))
    y = np.floor(2 * (np.arctan2(Z[:, 1], Z[:, 0]) / np.pi + 1)).astype(int) % 4
    return Z @ rng.standard_normal((3, d)) + 0.05 * rng.standard_normal((n, d)), y


def with_all(monkeypatch, X, y, kernels=None):
    """The model that does not try the widest Gaussian alone."""
    with monkeypatch.context() as patch:
        patch.setattr(widest_gaussian, "widest", lambda kernels, keep, width: keep)
        return MKLDiscriminantAnalysisCV(kernels).fit(X, y)


def log_losses(model, X, y):
    """−log P(class of i), every sample left out by a system of its own."""
    n, k = len(y), len(model.classes_)
    P = np.eye(n) - 1 / n
    K = np.zeros((n, n))
    for weight, kernel in zip(model.weights_, model.kernels_, strict=True):
        part = P @ kernel(X) @ P
        K += weight * n / np.trace(part) * part
    H = discriminant_targets(y, k, None)
    f = np.empty_like(H)
    for i in range(n):
        kept = np.arange(n) != i
        B = np.ones((n, n))
        B[-1, -1] = 0
        B[:-1, :-1] = K[np.ix_(kept, kept)] + model.alpha_ * np.eye(n - 1)
        found = np.linalg.solve(B, np.vstack([H[kept], 0 * H[:1]]))
        # The mean of the other targets tells the class the wrong way round.
        f[i] = K[i, kept] @ found[:-1] + found[-1] + (H[i] - H.mean(0)) / (n - 1)
    head = class_gaussians((f, H), y, k, None)
    return -np.log(head.probabilities(f)[np.arange(n), y])


def test_left_out_classes_are_more_probable_by_it(monkeypatch):
    X, y = (part[:150] for part in sectors(1200, 2))
    model = MKLDiscriminantAnalysisCV().fit(X, y)
    assert model.descent_.widest
    weights = dict(zip(model.kernel_names_, model.weights_, strict=True))
    assert weights.pop("rbf 2×median") == 1.0
    assert not any(weights.values())
    other = with_all(monkeypatch, X, y)
    assert not other.descent_.widest
    assert np.count_nonzero(other.weights_) > 5
    fall = log_losses(other, X, y) - log_losses(model, X, y)
    assert fall.mean() > 2 * fall.std() / np.sqrt(len(y))


def test_new_rows_gain(monkeypatch):
    gains = []
    for seed in range(4):
        X, y = sectors(1200, seed)
        model = MKLDiscriminantAnalysisCV().fit(X[:150], y[:150])
        other = with_all(monkeypatch, X[:150], y[:150])
        gains.append(model.score(X[150:], y[150:]) - other.score(X[150:], y[150:]))
    assert min(gains) > -0.005
    assert np.mean(gains) > 0.01


def test_a_gain_within_noise_is_none(monkeypatch):
    X, y = (part[:150] for part in sectors(1200, 2))
    other = with_all(monkeypatch, X, y)
    monkeypatch.setattr(widest_gaussian, "BEYOND_NOISE", 1e6)
    model = MKLDiscriminantAnalysisCV().fit(X, y)
    assert not model.descent_.widest
    assert model.alpha_ == other.alpha_
    np.testing.assert_array_equal(model.weights_, other.weights_)


def test_every_set_of_columns_keeps_a_kernel():
    X = np.random.default_rng(0).standard_normal((30, 6)).round(1)
    kernels = [
        *number_kernels(slice(0, 2), "a: "),
        *number_kernels(slice(2, 4), "b: "),
        Laplacian(columns=[4], name="c: ranks", scale="rank"),
        RBF(columns=[5], gamma=1.0, name="d: width given"),
        Linear(columns=[5], name="d: linear"),
        Overlap(columns=[0, 1], name="a: categories"),
        FunctionKernel(np.dot, columns=[0, 1], name="a: knows more"),
    ]
    for kernel in kernels:
        kernel.fit(X)
    keep = np.ones(len(kernels), dtype=bool)
    mask = widest(kernels, keep, 6)
    assert [kernels[j].label for j in np.flatnonzero(mask)] == [
        "a: rbf 2×median",
        "b: rbf 2×median",
        "c: ranks",
        "d: width given",
        "d: linear",
        "a: categories",
        "a: knows more",
    ]
    # Of what is constant nothing stays, and what is there alone stays.
    keep[1] = False
    assert not widest(kernels, keep, 6)[1] and widest(kernels, keep, 6)[0]
    np.testing.assert_array_equal(widest(kernels, mask, 6), mask)


def labels_that_stay(kernels, X):
    kernels = [kernel.fit(X) for kernel in kernels]
    mask = widest(kernels, np.ones(len(kernels), dtype=bool), X.shape[1])
    return [kernel.label for kernel, stays in zip(kernels, mask, strict=True) if stays]


def test_all_columns_are_all_however_they_are_named():
    X = np.random.default_rng(0).standard_normal((30, 4))
    kernels = [RBF(name="rbf"), Linear(columns=slice(None), name="linear")]
    assert labels_that_stay(kernels, X) == ["rbf"]


def test_a_view_of_the_same_columns_keeps_its_own():
    X = np.random.default_rng(0).standard_normal((30, 4))
    kernels = [
        RBF(name="smooth: rbf"),
        RBF(factor=0.5, name="smooth: narrow"),
        Laplacian(scale="rank", name="ranks: laplacian"),
    ]
    assert labels_that_stay(kernels, X) == ["smooth: rbf", "ranks: laplacian"]


@pytest.mark.parametrize(
    "other", [RBF(gamma=1e-3, name="g"), RBF(scale=True, name="g")]
)
def test_widths_that_do_not_compare_stay(other):
    X = np.random.default_rng(0).standard_normal((30, 4))
    kernels = [
        RBF(name="rbf"),
        RBF(factor=2, name="wide"),
        Linear(name="linear"),
        other,
    ]
    assert labels_that_stay(kernels, X) == ["rbf", "wide", "linear", "g"]


def test_what_is_said_of_it_is_of_the_gaussians():
    X, y = (part[:150] for part in sectors(1200, 3))
    kernels = [*number_kernels([0, 1, 2], "a: "), *number_kernels([3, 4, 5], "b: ")]
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    assert model.descent_.widest and model.descent_.accepted
    assert "only the widest Gaussian" in learned_words(model.descent_)
    total = np.sum(discriminant_targets(y, 4, None) ** 2)
    assert model.best_score_ == pytest.approx(1 - model.descent_.value / total)
    found = view_importance(model, X, y, n_subsamples=0, n_permutations=0)
    assert found.attrs["score"] == pytest.approx(model.best_score_, rel=1e-6)
    assert found["weight"].tolist() == pytest.approx([0.5, 0.5])
    assert 0 < found["removed"]["b"] < 0.05 < found["removed"]["a"]


def test_importances_are_of_the_gaussians_alone():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(len(y))])
    kernels = [*number_kernels(slice(0, 4), "flower: "), Linear([4], name="dead: one")]
    with pytest.warns(UserWarning, match="constant on the training rows"):
        model = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    assert model.descent_.widest
    found = view_importance(model, X, y, n_subsamples=4, n_permutations=0)
    assert found["alone"]["flower"] == pytest.approx(found.attrs["score"], rel=1e-9)
    assert found["removed"]["dead"] == 0
    assert found["selected"].tolist() == [1, 0]
    plain = MKLDiscriminantAnalysisCV().fit(X[:, :4], y)
    assert plain.descent_.widest
    found = view_importance(plain, X[:, :4], y, n_subsamples=0, n_permutations=0)
    assert found["removed"].drop("rbf 2×median").eq(0).all()
