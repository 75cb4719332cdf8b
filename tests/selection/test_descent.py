"""The descent on left-out errors: where it ends, and when it is not believed."""

import numpy as np
import pytest

from kernelweave.grams import DenseStack, LazyStack
from kernelweave.kernels import RBF, Linear
from kernelweave.selection import descend, learn, leave_out, ridge_path
from kinds import KINDS


def stack(X, parts):
    """One linear kernel a group of columns, centred, of trace n."""
    blocks = [X[:, part] - X[:, part].mean(axis=0) for part in parts]
    K = np.stack([Z @ Z.T for Z in blocks])
    return DenseStack(K * (len(X) / np.trace(K, axis1=1, axis2=2))[:, None, None])


@pytest.fixture
def noisy():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 60))
    H = X[:, :2] @ np.array([[1.0, 0.5], [-1.0, 2.0]]) + rng.standard_normal((120, 2))
    return stack(X, [slice(0, 2), slice(2, 20), slice(20, 60)]), H


def test_path_is_leave_one_out_at_every_ridge(noisy):
    gram, H = noisy
    theta = np.array([0.2, 0.3, 0.5])
    path = ridge_path(gram.combine(theta), H + 3, [0.01, 0.1, 1.0, 10.0])
    for lam, errors in zip(path.lams, path.errors, strict=True):
        found = leave_out(gram.combine(theta), lam, H + 3)
        np.testing.assert_allclose(errors, found.errors, rtol=1e-9)
    assert path.lam == path.lams[np.argmin(path.values)]


def test_path_without_intercept(noisy):
    gram, H = noisy
    K = gram.combine(np.ones(3)) + 1.0
    path = ridge_path(K.copy(), H, [0.5, 5.0], intercept=False)
    assert 0.5 in path.lams and 5.0 in path.lams
    for lam, errors in zip(path.lams, path.errors, strict=True):
        found = leave_out(K.copy(), lam, H, intercept=False)
        np.testing.assert_allclose(errors, found.errors, rtol=1e-9)


@pytest.mark.parametrize("lams", [[1e-6, 1e-5, 1e-4], [1e5, 1e6]])
def test_path_goes_on_where_the_best_is_at_its_end(noisy, lams):
    gram, H = noisy
    path = ridge_path(gram.combine(np.ones(3) / 3), H, lams)
    wide = ridge_path(gram.combine(np.ones(3) / 3), H, 10.0 ** np.arange(-7, 7))
    assert len(path.lams) > len(lams)
    assert path.values[path.best] <= 1.02 * wide.values[wide.best]


def test_descent_leaves_noise_behind(noisy):
    gram, H = noisy
    found = learn(gram, H, 4.0 ** np.arange(-5, 5)).descent
    assert found.accepted and found.value < found.start_value
    assert found.theta[0] > 0.6
    assert found.theta.sum() == pytest.approx(1)
    again = leave_out(gram.combine(found.theta), found.lam, H)
    assert again.value == pytest.approx(found.value, rel=1e-9)
    np.testing.assert_allclose(again.errors, found.errors, rtol=1e-7)


def test_end_is_a_minimum_of_the_penalised_error(noisy):
    gram, H = noisy
    start, lam = np.full(3, 1 / 3), 1.0
    found = descend(gram, H, start, lam, max_evaluations=200)

    def penalised(log_theta):
        P = leave_out(gram.combine(np.exp(log_theta)), lam, H).value
        delta = log_theta - np.log(start)
        return np.log(P) + np.sum((delta - delta.mean()) ** 2) / gram.n

    end = np.log(found.theta / found.lam * lam)
    rng = np.random.default_rng(1)
    for _ in range(20):
        step = 0.05 * rng.standard_normal(3)
        assert penalised(end + step) > penalised(end) - 1e-4


def test_the_unit_of_kernels_targets_and_ridge_does_not_matter(noisy):
    gram, H = noisy
    one = descend(gram, H, np.full(3, 1 / 3), 1.0)
    other = descend(DenseStack(7 * gram.matrices), 1e3 * H + 5, np.full(3, 2.0), 42.0)
    np.testing.assert_allclose(other.theta / 6, one.theta, rtol=1e-4)
    assert other.evaluations == one.evaluations


def test_rows_may_come_in_any_order(noisy):
    gram, H = noisy
    order = np.random.default_rng(3).permutation(gram.n)
    one = learn(gram, H, [0.1, 1, 10]).descent
    other = learn(gram.sample(order), H[order], [0.1, 1, 10]).descent
    np.testing.assert_allclose(other.theta, one.theta, rtol=1e-5)


def test_what_gains_no_more_than_its_noise_is_not_accepted():
    # One of 80 targets is far off, so that the mean gain is mostly its own.
    X = np.random.default_rng(0).standard_normal((80, 31))
    H = X[:, :1].copy()
    H[7] = 30.0
    gram = stack(X, [slice(0, 1), slice(1, 31)])
    found = descend(gram, H, np.array([0.5, 0.5]), 30.0)
    assert not found.accepted
    assert found.gain <= 2.5 * found.noise
    assert found.value == found.start_value
    np.testing.assert_array_equal(found.theta, [0.5, 0.5])
    assert found.lam == 30.0


def test_a_small_spread_stays_at_the_start(noisy):
    gram, H = noisy
    near = descend(gram, H, np.full(3, 1 / 3), 1.0, spread=1e-3)
    np.testing.assert_allclose(near.theta, 1 / 3, atol=1e-3)


def test_a_weight_of_zero_can_come_back(noisy):
    gram, H = noisy
    found = descend(gram, H, np.array([0.0, 0.5, 0.5]), 1.0, spread=5.0)
    assert found.theta[0] > 0.1


def test_lazy_matrices():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 3))
    H = np.sin(2 * X[:, :1]) + 0.1 * rng.standard_normal((300, 1))
    kernels = [RBF(columns=[0]).fit(X), Linear().fit(X)]
    lazy = LazyStack(kernels, X)
    dense = DenseStack(np.stack([lazy[0], lazy[1]]))
    one, other = (learn(gram, H, [0.01, 0.1]).descent for gram in (lazy, dense))
    np.testing.assert_allclose(one.theta, other.theta, rtol=1e-5)


@KINDS
def test_arrays_of_other_kinds(kind, noisy):
    gram, H = noisy
    there = DenseStack(kind(gram.matrices))
    one = learn(gram, H, [0.1, 1.0, 10.0])
    other = learn(there, kind(H), [0.1, 1.0, 10.0])
    np.testing.assert_allclose(other.path.errors, one.path.errors, rtol=1e-7)
    np.testing.assert_allclose(other.descent.theta, one.descent.theta, rtol=1e-4)


def test_what_cannot_be_is_refused(noisy):
    gram, H = noisy
    with pytest.raises(ValueError, match="not negative"):
        descend(gram, H, np.array([1.0, -1.0, 1.0]), 1.0)
    with pytest.raises(ValueError, match="positive numbers"):
        ridge_path(gram.combine(np.ones(3)), H, [0.0, 1.0])


@pytest.mark.parametrize("level", [0.0, 3.0])
def test_targets_that_are_all_the_same_leave_nothing_to_gain(noisy, level):
    gram, H = noisy
    found = learn(gram, np.full_like(H, level), [0.1, 1.0]).descent
    assert not found.accepted
    np.testing.assert_allclose(found.theta, 1 / 3)


def test_targets_without_noise():
    """The smaller λ the better, down to what rounding allows."""
    X = np.random.default_rng(0).standard_normal((50, 4))
    gram, H = stack(X, [slice(0, 2), slice(2, 4)]), X.sum(axis=1, keepdims=True)
    found = learn(gram, H, [0.1, 1.0])
    assert found.path.lams[0] >= 1e-9
    assert found.descent.value < 1e-6 * np.sum(H**2)


def test_a_matrix_that_is_singular_to_rounding_is_inverted():
    x = np.repeat(np.arange(20.0), 3)[:, None]
    found = leave_out(x @ x.T, 1e-13, x)
    assert np.isfinite(found.R).all()
