"""Kernels of rows that are far from the origin, and of numbers that are too large."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from kernelweave.arrays import host
from kernelweave.kernels import (
    RBF,
    ChiSquared,
    Laplacian,
    Linear,
    Nystroem,
    Polynomial,
    RandomFourier,
)
from kinds import KINDS

rng = np.random.default_rng(0)
# Numbers with few digits, so that X + SHIFT has no rounding.
X = np.round(64 * rng.normal(size=(60, 3))) / 64
NEW = np.round(64 * rng.normal(size=(20, 3))) / 64
SHIFT = 2.0 ** np.array([27, 24, 20])
DISTANCES = [RBF(), RBF(gamma=0.3, columns=[0, 2]), Laplacian()]


def centred(K):
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


@KINDS
@pytest.mark.parametrize("kernel", DISTANCES)
def test_distances_do_not_depend_on_the_origin(kernel, kind):
    near = clone(kernel).fit(X)
    for there in (np.asarray, kind):
        far = clone(kernel).fit(there(X + SHIFT))
        assert far.gamma_ == pytest.approx(near.gamma_, rel=1e-12)
        K = host(far(there(NEW + SHIFT), there(X + SHIFT)))
        assert pytest.approx(near(NEW, X), rel=1e-9) == K


def test_rows_in_single_precision_are_promoted_first():
    steps = (rng.integers(0, 64, size=(50, 2))).astype(np.float32)
    far = steps + np.float32(2**18)
    assert np.array_equal(far - np.float32(2**18), steps)
    K = RBF().fit(steps)(steps)
    assert RBF().fit(far)(far) == pytest.approx(K, rel=1e-9)


@pytest.mark.parametrize("sampling", ["uniform", "kmeans", "leverage"])
@pytest.mark.parametrize("kernel", [RBF(), Laplacian()])
def test_landmarks_of_far_rows(kernel, sampling):
    near = Nystroem(kernel, 15, sampling).fit(X)
    far = Nystroem(kernel, 15, sampling).fit(X + SHIFT)
    # They are in the units of the table.
    assert far.landmarks_ - SHIFT == pytest.approx(near.landmarks_, abs=1e-7)
    assert far(NEW + SHIFT) == pytest.approx(near(NEW), abs=1e-6)


@pytest.mark.parametrize("kernel", [RBF(), Laplacian()])
def test_waves_of_far_rows(kernel):
    near = RandomFourier(kernel, 100).fit(X)
    far = RandomFourier(kernel, 100).fit(X + SHIFT)
    assert far(NEW + SHIFT) == pytest.approx(near(NEW), abs=1e-9)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(), ChiSquared()])
def test_other_kernels_keep_their_origin(kernel):
    rows = np.abs(X) + 1000
    K = clone(kernel).fit(rows)(rows)
    if isinstance(kernel, Linear):
        assert pytest.approx(rows @ rows.T, rel=1e-12) == K
        return
    assert clone(kernel).fit(rows, centred=True)(rows) == pytest.approx(K, rel=1e-12)


def test_linear_kernel_that_will_be_centred():
    far = Linear().fit(X + SHIFT, centred=True)
    K = centred(far(X + SHIFT))
    assert pytest.approx(centred(X @ X.T), abs=1e-9) == K
    assert far.diagonal(X + SHIFT) == pytest.approx(np.diag(far(X + SHIFT)))
    # Rows whose mean is no larger than their spread stay where they are.
    assert np.array_equal(Linear().fit(X, centred=True)(X), Linear().fit(X)(X))
    assert np.array_equal(far.features(X + SHIFT), X + SHIFT)


def test_columns_that_are_constant_up_to_rounding():
    thirds = np.full((40, 1), 0.3)
    thirds[::2] = 0.1 + 0.2
    assert len(np.unique(thirds)) == 2
    rest = rng.normal(size=(40, 1))
    assert np.ptp(RBF().fit(thirds)(thirds)) == 0
    assert np.ptp(Linear().fit(thirds, centred=True)(thirds)) == 0
    both = np.hstack([1e9 * thirds, rest])
    K = Linear().fit(both, centred=True)(both)
    assert centred(K) == pytest.approx(centred(rest @ rest.T), abs=1e-12)
    # What differs from the constant counts.
    assert RBF(gamma=1.0).fit(thirds)(thirds + 1, thirds) == pytest.approx(np.exp(-1))


@pytest.mark.parametrize("kernel", [RBF(), Linear()])
def test_sparse_rows_stay_where_they_are(kernel):
    near = scipy.sparse.csr_array(np.where(X > 0.5, X, 0))
    kernel.fit(near, centred=True)
    assert kernel._origin is None
    far = np.hstack([X + SHIFT, np.zeros((len(X), 2 * X.shape[1]))])
    with pytest.raises(ValueError, match=r"RBF|Linear.*times as large as.*toarray"):
        kernel.fit(scipy.sparse.csr_array(far), centred=True)
    kernel.fit(far, centred=True)
    with pytest.raises(ValueError, match="fitted to a dense table"):
        kernel(scipy.sparse.csr_array(far))
    Laplacian().fit(scipy.sparse.csr_array(far))


def test_features_do_not_write_to_the_table():
    rows = X.copy()
    rows[:5] = np.nan
    kept = rows.copy()
    kernel = Linear(missing="mean").fit(rows)
    assert np.all(np.isfinite(kernel.features(rows)))
    assert np.array_equal(rows, kept, equal_nan=True)


def huge(value):
    rows = X.copy()
    rows[3, 1] = value
    return rows


@KINDS
@pytest.mark.parametrize("value", [1e80, -1e160])
@pytest.mark.parametrize(
    "kernel",
    [RBF(), RBF(scale=True), Linear(), Linear(scale=True), Polynomial(), Laplacian()],
)
def test_numbers_whose_squares_overflow(kernel, value, kind):
    for there in (np.asarray, kind):
        with pytest.raises(ValueError, match=r"overflow.*limit is 1e\+70"):
            clone(kernel).fit(there(huge(value)))
        fitted = clone(kernel).fit(there(X))
        with pytest.raises(ValueError, match="overflow"):
            fitted(there(huge(value)), there(X))
    with pytest.raises(ValueError, match="overflow"):
        clone(kernel).fit(scipy.sparse.csr_array(huge(value)))


@pytest.mark.parametrize(
    "kernel", [RBF(), Linear(), Laplacian(), ChiSquared(), RandomFourier(RBF(), 20)]
)
def test_the_largest_numbers_that_are_taken(kernel):
    rows = np.abs(X)
    K = clone(kernel).fit(rows)(np.abs(huge(1e69)), rows)
    assert np.all(np.isfinite(K))
    far = np.abs(huge(1e69))
    assert np.all(np.isfinite(clone(kernel).fit(far)(far)))


def test_powers_that_overflow():
    kernel = Polynomial(degree=40, name="steep").fit(X)
    for call in (kernel, kernel.diagonal):
        with pytest.raises(ValueError, match=r"'steep'.*about 1e.*degree"):
            call(huge(1e5))
    with pytest.raises(ValueError, match="'steep'"):
        kernel(scipy.sparse.csr_array(huge(1e5)))
    assert np.all(np.isfinite(kernel(huge(50))))


def test_widths_out_of_range():
    with pytest.raises(ValueError, match=r"width.*out of range"):
        RBF().fit(1e-90 * X)
    with pytest.raises(ValueError, match=r"width.*out of range"):
        RBF(factor=1e-100).fit(X)
    K = RBF().fit(X)(X)
    assert RBF().fit(1e-70 * X)(1e-70 * X) == pytest.approx(K, rel=1e-9)
