"""Spectral regression against the generalised eigenproblem, solved densely."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

import naive
import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis
from kernelweave.kernels import RBF, Linear
from kernelweave.spectral import spectral_regression


def eigenproblem(K, labels, lam):
    """KWKa = μ(KK + λK)a for a centred K: the k − 1 largest μ and their a."""
    W = (labels[:, None] == labels) / np.bincount(labels)[labels]
    # K has the null space 1 at least; a shift along 1 leaves it out of the answer.
    shift = np.ones_like(K) / len(K)
    k = labels.max() + 1
    values, vectors = eigh(K @ W @ K, K @ K + lam * K + shift)
    return values[::-1][: k - 1], vectors[:, ::-1][:, : k - 1]


CASES = [(n, k, lam) for n, k in ((30, 2), (40, 4)) for lam in (1e-3, 0.3, 20.0)]
every_case = pytest.mark.parametrize("n, k, lam", CASES)


def pose(n, k):
    X, y = problems.blobs(n, 5, k, seed=1)
    return X, y, naive.gram(naive.rbf(0.5), X, X)


@every_case
@pytest.mark.parametrize("centred", [True, False])
def test_equals_the_generalised_eigenproblem(n, k, lam, centred):
    _, y, K = pose(n, k)
    values, vectors = eigenproblem(naive.centre(K), y, lam)
    found = spectral_regression(naive.centre(K) if centred else K, y, lam)
    assert found.values == pytest.approx(values, rel=1e-8)
    # Functions, not coefficients: K annihilates a part of a.
    projected = naive.centre(K) @ found.A
    assert projected == pytest.approx(
        naive.centre(K) @ vectors * np.sign(np.sum(projected * (K @ vectors), axis=0)),
        abs=1e-7,
    )


@every_case
def test_scale_and_bias(n, k, lam):
    _, y, K = pose(n, k)
    found = spectral_regression(K, y, lam)
    C = naive.centre(K)
    gram = found.A.T @ (C @ C + lam * C) @ found.A
    assert gram == pytest.approx(np.eye(k - 1), abs=1e-9)
    assert (K @ found.A + found.bias).mean(axis=0) == pytest.approx(0, abs=1e-12)


def test_low_rank_kernel():
    X, y = problems.blobs(40, 3, 3)
    found = spectral_regression(X @ X.T, y, 0.1)
    # In feature space: S_b v = μ(S_t + λI)v.
    Z = X - X.mean(axis=0)
    means = np.stack([Z[y == c].mean(axis=0) for c in y])
    values = eigh(means.T @ means, Z.T @ Z + 0.1 * np.eye(3), eigvals_only=True)
    assert found.values == pytest.approx(values[::-1][:2], rel=1e-9)


def angle(model, X, y, alpha):
    """Between the estimator's projections and those of spectral regression."""
    K = model._begin(X, y)[0].stack.combine(model.weights_)
    found = spectral_regression(K, y, alpha)
    Z = model.transform(X)
    return subspace_angles(Z - Z.mean(axis=0), K @ found.A + found.bias).max()


@pytest.mark.parametrize("alpha", [1e-2, 1.0])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_transform_spans_the_same_space(k, alpha):
    """The projections of the estimator are these, in other coordinates."""
    X, y = problems.blobs(60, 4, k)
    model = MKLDiscriminantAnalysis([RBF(), Linear()], alpha=alpha).fit(X, y)
    assert angle(model, X, y, alpha) < 1e-7


def test_without_centring_the_space_is_another_one():
    X, y = problems.blobs(60, 4, 3)
    model = MKLDiscriminantAnalysis([RBF(), Linear()], center=False).fit(X, y)
    assert angle(model, X, y, 1.0) > 1e-3


def test_single_kernel_estimator_spans_the_same_space():
    X, y = problems.blobs(60, 4, 4)
    model = KernelDiscriminantAnalysis(RBF(gamma=0.2), 0.5, normalize=None).fit(X, y)
    found = spectral_regression(naive.gram(naive.rbf(0.2), X, X), y, 0.5)
    Z = model.transform(X)
    functions = naive.gram(naive.rbf(0.2), X, X) @ found.A + found.bias
    assert subspace_angles(Z - Z.mean(axis=0), functions).max() < 1e-7
