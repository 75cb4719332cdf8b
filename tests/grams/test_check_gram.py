"""Is a matrix a Gram matrix? What is clearly none is refused, rounding is mended."""

import numpy as np
import pytest
from scipy.linalg import eigvalsh

from kernelweave.grams.check import check_entries, make_definite, negative_part
from kernelweave.grams.normalise import normalise

Z = np.random.default_rng(0).normal(size=(30, 4))
NOISE = np.random.default_rng(1).normal(size=(30, 30))


def prepare(K, label="0", normalize=None, center=False):
    """K as an estimator would use it."""
    K = np.array(K, dtype=float)
    check_entries(K, label)
    statistics = normalise(K, normalize, center)
    make_definite(K, statistics, label)
    return K


def smallest_share(K):
    values = eigvalsh(K)
    return values[0] / values[-1]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("unit", [1, 1e12, 1e-12])
def test_rounding_is_accepted_in_silence_and_taken_out(dtype, unit):
    # Rank 4 of 30: the other eigenvalues are ±ε.
    K = unit * (Z @ Z.T).astype(dtype)
    used = prepare(K)
    assert smallest_share(used) >= -1e-13
    assert np.max(np.abs(used - K)) <= 1e-6 * np.max(K)


def test_what_needs_no_change_is_left_alone():
    K = Z @ Z.T + 1e-3 * np.eye(30)
    assert np.array_equal(prepare(K), K)


def test_accepts_integers_and_zero():
    assert np.array_equal(prepare(np.eye(3, dtype=int)), np.eye(3))
    assert np.array_equal(prepare(np.zeros((3, 3))), np.zeros((3, 3)))


@pytest.mark.parametrize("digits", ["%.6g", "float32", "float64"])
@pytest.mark.parametrize("sigma", [0.1, 1, 10, 100, 1000, 1e4])
@pytest.mark.parametrize("given_centred", [False, True])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.filterwarnings("ignore:kernel 0 is nearly constant")
def test_no_rbf_kernel_of_any_precision_is_refused(
    sigma, digits, given_centred, center
):
    rows = np.sum(Z * Z, axis=1)
    K = np.exp(-np.maximum(rows + rows[:, None] - 2 * Z @ Z.T, 0) / (2 * sigma**2))
    K = 0.5 * (K + K.T)
    if given_centred:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    if digits.startswith("%"):
        K = np.array([[float(digits % k) for k in row] for row in K])
    else:
        K = K.astype(digits)
    assert smallest_share(prepare(K, center=center) + 1e-300 * np.eye(30)) >= -1e-12


def test_names_an_asymmetric_kernel():
    K = Z @ Z.T
    K[2, 5] += 0.5
    with pytest.raises(ValueError, match=r"kernel 7 is not symmetric.*0\.5"):
        prepare(K, "7")


def test_asymmetry_by_rounding_is_taken_out():
    K = Z @ Z.T + np.eye(30)
    uneven = K + 1e-7 * NOISE
    used = prepare(uneven)
    assert np.array_equal(used, used.T)
    assert used == pytest.approx(0.5 * (uneven + uneven.T), abs=1e-15)


def test_rows_in_another_order_are_seen_in_a_kernel_that_hardly_varies():
    K = 1 + 1e-7 * (Z @ Z.T)
    order = np.random.default_rng(2).permutation(30)
    with pytest.warns(UserWarning, match="kernel 0 is nearly constant and not quite s"):
        check_entries(K[order], "0")


def test_names_an_indefinite_kernel_and_its_smallest_eigenvalue():
    # |K_ij| ≤ √(K_ii K_jj) holds, so that only eigenvalues tell.
    K = np.eye(3) - 0.9 * (np.ones((3, 3)) - np.eye(3))
    with pytest.raises(ValueError, match=r"kernel 3 \('meth'\).*eigenvalue is -0\.8"):
        prepare(K, "3 ('meth')")


def test_what_is_more_than_rounding_is_warned_of_and_set_to_zero():
    vectors = np.linalg.qr(NOISE)[0]
    values = np.append(np.linspace(1, 2, 29), -1e-3)
    K = (vectors * values) @ vectors.T
    K = 0.5 * (K + K.T)
    with pytest.warns(UserWarning, match="−0.0005 times the largest.* set to zero"):
        used = prepare(K)
    nearest = (vectors[:, :-1] * values[:-1]) @ vectors[:, :-1].T
    assert used == pytest.approx(nearest, abs=1e-14)


def test_rounding_that_centring_makes_large_is_warned_of():
    # 1e-6 of variation beside 1e-7 of rounding.
    K = (1 + 1e-6 * (Z @ Z.T)).astype(np.float32)
    assert smallest_share(K.astype(float)) > -1e-7
    with pytest.warns(UserWarning, match="is nearly constant, and what varies"):
        used = prepare(K, center=True, normalize="variance")
    assert smallest_share(used) >= -1e-12


@pytest.mark.parametrize(
    "K",
    [-np.eye(3), np.diag([1.0, 1.0, -0.8]), 1 - np.eye(3)],
    ids=["minus", "a negative k(x, x)", "distances"],
)
@pytest.mark.parametrize("center", [False, True])
def test_what_the_entries_alone_refute(K, center):
    with pytest.raises(ValueError, match=r"kernel 0 is not positive semidef.* k\(x, x"):
        prepare(K, center=center)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_names_a_kernel_with_nan_or_infinity(bad):
    K = np.eye(3)
    K[1, 1] = bad
    with pytest.raises(ValueError, match="kernel 5 contains NaN or infinity"):
        prepare(K, "5")


@pytest.mark.parametrize("n", [40, 700])
def test_every_entry_counts(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 5))
    K = X @ X.T / 5 + np.eye(n)
    for a, b in rng.permutation(n)[:10].reshape(5, 2):
        bad = K.copy()
        # Within √(K_aa K_bb): no pair of rows shows it, but all rows together.
        bad[a, b] = bad[b, a] = -np.sign(K[a, b]) * np.sqrt(K[a, a] * K[b, b])
        assert eigvalsh(bad, subset_by_index=[0, 0])[0] < -0.1
        found = negative_part(bad)
        assert found is not None and found[0][0] < -0.1


def test_looking_leaves_the_matrix_as_it_was():
    for shift in (1e-3, -1e-3):
        K = Z @ Z.T + shift * np.eye(30)
        before = K.copy()
        assert (negative_part(K) is None) == (shift > 0)
        assert np.array_equal(K, before)
