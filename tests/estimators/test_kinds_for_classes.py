"""One kind of kernels on the same columns, where it tells classes better than all."""

import numpy as np
import pytest

from kernelweave import MKLDiscriminantAnalysisCV
from kernelweave.estimators import kinds_for_classes
from kernelweave.estimators.gaussian import class_gaussians
from kernelweave.estimators.kinds_for_classes import kinds
from kernelweave.estimators.learned_words import learned_words
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


def sectors(n, rng, d=6):
    """Four classes by the angle in a plane that six columns know, and little noise."""
    Z = rng.standard_normal((n, 3))
    y = np.floor(2 * (np.arctan2(Z[:, 1], Z[:, 0]) / np.pi + 1)).astype(int) % 4
    return Z @ rng.standard_normal((3, d)) + 0.05 * rng.standard_normal((n, d)), y


def all_kinds(monkeypatch, X, y, kernels=None):
    """The model that does not look at kinds."""
    with monkeypatch.context() as patch:
        patch.setattr(kinds_for_classes, "KINDS", {})
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
    X, y = sectors(150, np.random.default_rng(1))
    model = MKLDiscriminantAnalysisCV().fit(X, y)
    assert model.descent_.kind == "numbers"
    ranks = np.array(["rank" in name for name in model.kernel_names_])
    assert not model.weights_[ranks].any() and model.weights_[~ranks].all()
    other = all_kinds(monkeypatch, X, y)
    assert other.descent_.kind is None
    ranks = np.array(["rank" in name for name in other.kernel_names_])
    assert other.weights_[ranks].sum() > 0.1 * other.weights_.sum()
    fall = log_losses(other, X, y) - log_losses(model, X, y)
    assert fall.mean() > fall.std() / np.sqrt(len(y))


def test_new_rows_gain(monkeypatch):
    gains = []
    for seed in range(4):
        X, y = sectors(1200, np.random.default_rng(seed))
        model = MKLDiscriminantAnalysisCV().fit(X[:150], y[:150])
        other = all_kinds(monkeypatch, X[:150], y[:150])
        gains.append(model.score(X[150:], y[150:]) - other.score(X[150:], y[150:]))
    assert min(gains) > -0.005
    assert np.mean(gains) > 0.01


def test_a_gain_within_noise_is_none(monkeypatch):
    X, y = sectors(150, np.random.default_rng(1))
    other = all_kinds(monkeypatch, X, y)
    monkeypatch.setattr(kinds_for_classes, "BEYOND_NOISE", 1e6)
    model = MKLDiscriminantAnalysisCV().fit(X, y)
    assert model.descent_.kind is None
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
    masks = dict(kinds(kernels, keep))
    of = {
        kind: [kernels[j].label for j in np.flatnonzero(masks[kind])] for kind in masks
    }
    always = ["c: ranks", "d: width given", "d: linear", "a: categories"]
    always.append("a: knows more")
    gentle = ["a: rbf 2×median", "b: rbf 2×median"]
    assert of["gentle"] == [*gentle, *always]
    assert [name for name in of["numbers"] if "rank laplacian" in name] == []
    assert len(of["numbers"]) == 6 + 5
    assert [name for name in of["ranks"] if ": rbf" in name or "linear" in name] == [
        "d: linear"
    ]
    assert len(of["ranks"]) == 6 + 5
    # A kernel that is constant is in none; what leaves none out is no kind.
    keep[0] = False
    assert not any(mask[0] for _, mask in kinds(kernels, keep))
    keep[:] = masks["gentle"]
    assert list(kinds(kernels, keep)) == []
    assert list(kinds([], np.ones(3, dtype=bool))) == []


def test_what_is_said_of_it_is_of_the_kind():
    X, y = sectors(150, np.random.default_rng(1))
    X = np.hstack([X, np.random.default_rng(2).standard_normal((150, 3))])
    kernels = [*number_kernels(slice(0, 6), "a: "), *number_kernels([6, 7, 8], "b: ")]
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    assert model.descent_.kind is not None and model.descent_.accepted
    assert "one kind is used alone" in learned_words(model.descent_)
    total = np.sum(discriminant_targets(y, 4, None) ** 2)
    assert model.best_score_ == pytest.approx(1 - model.descent_.value / total)
    found = view_importance(model, X, y, n_subsamples=0, n_permutations=0)
    assert found.attrs["score"] == pytest.approx(model.best_score_, rel=1e-6)
    assert found["removed"]["b"] < 0.02 < found["removed"]["a"]
