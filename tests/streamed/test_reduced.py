"""The reduced problem against the whole one, on the same features."""

import numpy as np
import pytest

import naive
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams.normalise import NORMALIZATIONS, normalise
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.losses import Square, discriminant_targets
from kernelweave.losses.square import code_of_classes
from kernelweave.streamed.features import FeatureMap
from kernelweave.streamed.held_out import HeldOut
from kernelweave.streamed.reduced import find_scaling, reduce, ridge
from kernelweave.streamed.sums import FeatureSums
from kernelweave.streamed.targets import Indicators
from kernelweave.weights import LpBall, Simplex


def _whole(normalize="variance", center=True, n=150):
    """Sums, scaling, coding, the map; and the Gram matrices that they stand for."""
    X, y = problems.blobs(n, d=4, k=3)
    kernels = [
        Nystroem(RBF(), 12).fit(X),
        Nystroem(RBF(factor=0.5), 15, random_state=1).fit(X),
        Linear().fit(X),
    ]
    map = FeatureMap(kernels, normalize == "spherical", X[:1])
    targets = Indicators(np.arange(3))
    start = np.r_[map(X[:9]).mean(axis=0), targets(y[:9]).mean(axis=0)]
    sums = FeatureSums.empty(map, targets, start)
    for first in range(0, n, 40):
        sums.add(X[first : first + 40], y[first : first + 40], first)
    total = sums.folds.total()
    scaling = find_scaling(total, map, sums.present, normalize, center)
    K = np.stack([kernel(X) for kernel in kernels])
    statistics = [normalise(matrix, normalize, center) for matrix in K]
    return X, y, map, sums, scaling, K, statistics


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", NORMALIZATIONS)
def test_scales_are_those_of_the_matrices(normalize, center):
    *_, scaling, _, statistics = _whole(normalize, center)
    np.testing.assert_allclose(scaling.scales, [s.scale for s in statistics], rtol=1e-8)


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2)])
@pytest.mark.parametrize("center", [True, False])
def test_same_optimum_and_same_predictions(center, weights):
    X, y, map, sums, scaling, K, _ = _whole(center=center)
    coding = code_of_classes(np.bincount(y))
    reduced = reduce(sums.folds.total(), scaling, coding)
    assert reduced.gram.n <= map.width + 2
    small = solve(Problem(reduced.gram, Square(reduced.H, 0.5), weights), tol=1e-10)
    H = discriminant_targets(y, 3)
    oracle = verify.Square(K, H, 0.5, center)
    sets = {Simplex: verify.Simplex(np.ones(3)), LpBall: verify.LpBall(2)}
    # F of the whole problem at these weights, recomputed; and its lower bound.
    primal = float(oracle.primal(small.weights))
    assert small.certificate.primal == pytest.approx(primal, rel=1e-9)
    # B proves as much as A = QB, with [Z H] = QR.
    roots = np.sqrt(scaling.by_feature(scaling.scales))
    Z = (map(X) - center * map(X).mean(axis=0)) * roots
    R = np.hstack([*reduced.gram.blocks, reduced.H])
    A = np.hstack([Z, H]) @ np.linalg.pinv(R) @ small.dual_A
    dual = float(oracle.bound(A, sets[type(weights)]))
    assert primal - dual <= 1e-8 * primal
    C = reduced.coefficients(small.weights, small.A)
    f = map(X) @ C + reduced.intercept(C)
    A, b = oracle.coefficients(small.weights)
    wanted = oracle.combine(small.weights) @ A + b
    np.testing.assert_allclose(f, wanted.astype(float), atol=1e-7)


def test_the_ridge_at_fixed_weights():
    X, y, map, sums, scaling, K, _ = _whole()
    coding = code_of_classes(np.bincount(y))
    total = sums.folds.total()
    S, D = total.scatter(), map.width
    theta = np.array([0.2, 0.0, 0.8])
    C = ridge(S[:D, :D], S[:D, D:] @ coding, scaling, theta, 0.3)
    H = discriminant_targets(y, 3)
    A, _ = verify.Square(K, H, 0.3, True).coefficients(theta)
    wanted = np.tensordot(theta, K, 1) @ A.astype(float)
    np.testing.assert_allclose((map(X) - total.mean[:D]) @ C, wanted, atol=1e-8)
    assert not C[map.blocks[1]].any()


@pytest.mark.parametrize("center", [True, False])
def test_held_out_folds_by_fitting_again(center):
    """Every fold predicted by a ridge regression on the rows of the others."""
    X, y, map, sums, scaling, _, _ = _whole(center=center)
    coding = code_of_classes(np.bincount(y))
    theta, lam = np.array([0.5, 0.3, 0.2]), 2.0
    some = np.array([0, 3, 4, 11, 20, 21, 33])
    rows = map(X[some]), some
    found = HeldOut(sums.folds, scaling, coding, rows)(theta, lam)
    Z, H = map(X) * np.sqrt(scaling.by_feature(theta * scaling.scales)), coding[y]
    f = np.empty_like(H)
    for fold in range(5):
        new = np.arange(len(y)) % 5 == fold
        z, h = Z[~new], H[~new]
        a = z.mean(axis=0) if center else np.zeros(z.shape[1])
        b = h.mean(axis=0) if center else np.zeros(h.shape[1])
        w = np.linalg.solve(
            (z - a).T @ (z - a) + lam * np.eye(len(a)), (z - a).T @ (h - b)
        )
        f[new] = (Z[new] - a) @ w + b
        error = np.sum((H[new] - f[new]) ** 2)
        assert found.errors[fold] == pytest.approx(error, rel=1e-8)
    np.testing.assert_allclose(found.counts, np.bincount(y))
    np.testing.assert_allclose(found.second, f.T @ f, atol=1e-8)
    np.testing.assert_allclose(found.rows, f[some], atol=1e-8)
    np.testing.assert_allclose(
        found.sums, [f[y == c].sum(axis=0) for c in range(3)], atol=1e-8
    )


def test_features_that_come_centred_are_centred_without_the_fold():
    """center=False, one table of mean zero over all rows and one that is not."""
    X, y = problems.blobs(60, d=4, k=3)
    X = X - X.mean(axis=0) + [0, 0, 1, 1]
    kernels = [Linear(columns=[0, 1]).fit(X), Linear(columns=[2, 3]).fit(X)]
    map = FeatureMap(kernels, False, X[:1])
    sums = FeatureSums.empty(map, Indicators(np.arange(3)), np.zeros(7))
    sums.add(X, y, 0)
    scaling = find_scaling(sums.folds.total(), map, sums.present, None, False)
    coding = code_of_classes(np.bincount(y))
    rows = map(X), np.arange(60)
    f = HeldOut(sums.folds, scaling, coding, rows)(np.ones(2), 0.5).rows
    for fold in range(5):
        new = np.arange(60) % 5 == fold
        a = X[~new].mean(axis=0) * [1, 1, 0, 0]
        z, h = X[~new] - a, coding[y[~new]]
        w = np.linalg.solve(z.T @ z + 0.5 * np.eye(4), z.T @ h)
        np.testing.assert_allclose(f[new], (X[new] - a) @ w, atol=1e-8)


def test_features_that_are_the_same_twice():
    """ZᵀZ is singular: the directions that are none are left out."""
    X, y = problems.blobs(60, d=3, k=2)
    kernels = [Linear().fit(X), Linear().fit(X)]
    map = FeatureMap(kernels, False, X[:1])
    sums = FeatureSums.empty(map, Indicators(np.arange(2)), np.zeros(8))
    sums.add(X, y, 0)
    total = sums.folds.total()
    scaling = find_scaling(total, map, sums.present, "variance", True)
    coding = code_of_classes(np.bincount(y))
    reduced = reduce(total, scaling, coding)
    assert reduced.gram.n == 4
    solution = solve(Problem(reduced.gram, Square(reduced.H, 1.0), Simplex()))
    K = naive.centre(X @ X.T)
    K *= 60 / np.trace(K)
    wanted = verify.Square(K[None], discriminant_targets(y, 2), 1.0, True)
    assert solution.certificate.primal == pytest.approx(
        float(wanted.primal(np.ones(1))), rel=1e-9
    )


def test_a_class_that_was_not_named():
    with pytest.raises(ValueError, match="none of the classes"):
        Indicators(np.array(["a", "c"]))(np.array(["a", "b"]))
