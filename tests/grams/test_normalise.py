"""Centring and scaling, against explicit features and training statistics."""

import numpy as np
import pytest

import naive
from kernelweave.grams.normalise import normalise

RNG = np.random.default_rng(0)
# Explicit features, away from the origin, so that centring matters.
X = RNG.normal(size=(15, 4)) + np.array([3.0, -1.0, 0.0, 2.0])
NEW = RNG.normal(size=(6, 4)) + 1.0

every_way = pytest.mark.parametrize(
    "normalize", ["variance", "trace", "spherical", None]
)
both = pytest.mark.parametrize("center", [True, False])


def explicit(normalize, center):
    """Training and new features after the treatment, by the definition."""
    train, new = X, NEW
    if normalize == "spherical":
        train = train / np.linalg.norm(train, axis=1, keepdims=True)
        new = new / np.linalg.norm(new, axis=1, keepdims=True)
    mean = train.mean(axis=0)
    variance = np.mean(np.sum((train - mean) ** 2, axis=1))
    if center:
        train, new = train - mean, new - mean
    scale = 1.0
    if normalize == "variance":
        scale = 1 / variance
    elif normalize == "trace":
        scale = 1 / np.sum(train**2)
    return np.sqrt(scale) * train, np.sqrt(scale) * new


@every_way
@both
def test_training_and_new_rows(normalize, center):
    train, new = explicit(normalize, center)
    K = X @ X.T
    statistics = normalise(K, normalize, center)
    np.testing.assert_allclose(K, train @ train.T, rtol=0, atol=1e-12)
    raw = NEW @ X.T
    diagonal = np.sum(NEW**2, axis=1) if normalize == "spherical" else None
    cross = statistics.cross(raw, diagonal)
    assert cross == pytest.approx(new @ train.T, abs=1e-12)
    # The user's matrix is left alone.
    assert np.array_equal(raw, NEW @ X.T)


@every_way
@both
def test_training_rows_as_new_rows(normalize, center):
    K = X @ X.T
    statistics = normalise(K, normalize, center)
    diagonal = np.sum(X**2, axis=1) if normalize == "spherical" else None
    assert statistics.cross(X @ X.T, diagonal) == pytest.approx(K, abs=1e-12)


def test_explicit_centring_matrix():
    K = X @ X.T
    expected = naive.centre(K)
    normalise(K, None, True)
    np.testing.assert_allclose(K, expected, rtol=0, atol=1e-12)
    assert K.sum(axis=0) == pytest.approx(np.zeros(15), abs=1e-11)


@both
def test_what_the_names_promise(center):
    n = len(X)
    K = X @ X.T
    normalise(K, "variance", center)
    # Implied variance one: tr PKP = n, whether or not K itself is centred.
    assert np.trace(naive.centre(K)) == pytest.approx(n, rel=1e-12)
    K = X @ X.T
    normalise(K, "trace", center)
    assert np.trace(K) == pytest.approx(1, rel=1e-12)
    K = X @ X.T
    normalise(K, "spherical", False)
    assert np.diag(K) == pytest.approx(np.ones(n), rel=1e-12)


@every_way
@both
def test_zero_kernel_stays_zero(normalize, center):
    K = np.zeros((5, 5))
    statistics = normalise(K, normalize, center)
    assert statistics.scale == 0
    assert not K.any()
    cross = statistics.cross(np.ones((2, 5)), np.ones(2))
    assert not cross.any()


@every_way
def test_constant_kernel_is_nothing_once_centred(normalize):
    K = np.full((5, 5), 3.0)
    assert normalise(K, normalize, True).scale == 0
    assert not K.any()


def test_constant_kernel_counts_where_it_is_not_centred():
    K = np.full((5, 5), 3.0)
    assert normalise(K, None, False).scale == 1
    assert np.all(K == 3)


def test_constant_up_to_rounding_is_constant():
    # What centring leaves of 1 + 1e-14·noise is rounding, not a kernel.
    noise = np.random.default_rng(0).normal(size=(50, 2))
    K = 1e6 + 1e-8 * noise @ noise.T
    assert normalise(K, "variance", True).scale == 0


def test_a_sample_at_the_origin_has_no_direction():
    Z = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    K = Z @ Z.T
    normalise(K, "spherical", False)
    assert np.array_equal(K, np.diag([1.0, 1.0, 0.0]))


def test_spherical_needs_the_diagonal_of_new_rows():
    statistics = normalise(X @ X.T, "spherical", True)
    with pytest.raises(ValueError, match=r"k\(x, x\)"):
        statistics.cross(NEW @ X.T, None)


def test_unknown_name():
    with pytest.raises(ValueError, match="'unit'"):
        normalise(X @ X.T, "unit", True)
