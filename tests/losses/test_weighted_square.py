"""A weight of two is a sample twice; balanced classes are alike."""

import numpy as np
import pytest

from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Square, discriminant_targets
from kernelweave.losses.quadratic import leave_one_out
from kernelweave.losses.weighted_square import (
    WeightedSquare,
    row_weights,
)
from kernelweave.weights import LpBall, Simplex

rng = np.random.default_rng(0)
N = 20
X = rng.normal(size=(3, N, 3))
K = X @ X.transpose(0, 2, 1)
H = rng.normal(size=(N, 2)) + 3
TIMES = rng.integers(1, 4, size=N)


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2)])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_weight_is_a_number_of_copies(weights, intercept):
    rows = np.repeat(np.arange(N), TIMES)
    copies = Problem(
        DenseStack(K[:, rows[:, None], rows]), Square(H[rows], 0.7, intercept), weights
    )
    loss = WeightedSquare(H, 0.7, TIMES.astype(float), intercept)
    one, other = (
        solve(copies, tol=1e-9),
        solve(Problem(DenseStack(K), loss, weights), tol=1e-9),
    )
    assert other.certificate.relative_gap < 1e-8
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-5)
    assert other.certificate.primal == pytest.approx(one.certificate.primal, rel=1e-7)
    A = np.zeros_like(H)
    np.add.at(A, rows, one.A)
    np.testing.assert_allclose(other.A, A, atol=1e-4)
    np.testing.assert_allclose(other.bias, one.bias, atol=1e-4)


def test_equal_weights_are_the_square_loss():
    plain, weighted = Square(H, 0.7, True), WeightedSquare(H, 0.7, np.ones(N), True)
    A = weighted.into_domain(rng.normal(size=(N, 2)))
    f = rng.normal(size=(N, 2))
    assert weighted.value(A) == pytest.approx(plain.value(A))
    assert weighted.risk(f)[0] == pytest.approx(plain.risk(f)[0])
    np.testing.assert_allclose(weighted.gradient(A), plain.gradient(A))
    assert weighted.best_scale(A, 2.0) == pytest.approx(plain.best_scale(A, 2.0))
    assert weighted.best_multiple(f, 2.0) == pytest.approx(plain.best_multiple(f, 2.0))


def test_left_out_residuals_of_weighted_samples():
    v = TIMES.astype(float)
    loss = WeightedSquare(H, 0.7, v, True)
    A = loss.inner(K[0]).A
    residuals = leave_one_out(K[0].copy(), loss.ridge, A, True)
    for i in (0, 7):
        rest = np.arange(N) != i
        part = WeightedSquare(H[rest], 0.7, v[rest], True).inner(
            K[0][np.ix_(rest, rest)]
        )
        f = K[0][i, rest] @ part.A + part.bias
        np.testing.assert_allclose(residuals[i], H[i] - f)


def test_balanced_classes_are_alike():
    labels = np.repeat([0, 1, 2], [12, 6, 2])
    v = row_weights(labels, "balanced")
    T = discriminant_targets(labels, 3, v)
    np.testing.assert_allclose(np.bincount(labels, v), 20 / 3)
    np.testing.assert_allclose(v @ T, 0, atol=1e-12)
    np.testing.assert_allclose((T.T * v) @ T, 20 * np.eye(2), atol=1e-12)
    even = discriminant_targets(labels, 3, np.ones(20))
    np.testing.assert_allclose(even, discriminant_targets(labels, 3))
    both = row_weights(labels, {0: 1, 1: 2, 2: 3}, np.arange(20) / 10)
    np.testing.assert_allclose(both, np.arange(20) / 10 * (labels + 1))
    with pytest.raises(ValueError, match="at least one non-zero"):
        row_weights(labels, None, np.zeros(20))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        row_weights(labels, None, -np.ones(20))
