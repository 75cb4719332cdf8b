"""Ready-made Gram matrices give what the same kernels give on the table."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear, Precomputed

X, Y = problems.blobs(60, 3, 3)
NEW = np.random.default_rng(1).normal(size=(15, 3))
KERNELS = [RBF(gamma=0.1), RBF(gamma=1.0), Linear()]
TRAIN = np.stack([kernel.fit(X)(X) for kernel in KERNELS])
TEST = np.stack([kernel(NEW, X) for kernel in KERNELS])


@pytest.mark.parametrize("normalize", ["variance", "trace", None])
@pytest.mark.parametrize("form", [np.asarray, list, tuple])
@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])
def test_equals_the_kernels_on_the_table(Estimator, form, normalize):
    alpha = 1e-3 if normalize == "trace" else 0.1
    given = Estimator("precomputed", alpha=alpha, normalize=normalize)
    table = Estimator(KERNELS, alpha=alpha, normalize=normalize)
    given.fit(form(TRAIN), Y), table.fit(X, Y)
    assert given.weights_ == pytest.approx(table.weights_, abs=1e-10)
    assert np.array_equal(given.predict(form(TEST)), table.predict(NEW))
    assert list(given.kernel_names_) == ["kernel 0", "kernel 1", "kernel 2"]


def test_inputs_are_left_alone():
    train, test = TRAIN.copy(), TEST.copy()
    MKLDiscriminantAnalysis("precomputed").fit(train, Y).predict(test)
    assert np.array_equal(train, TRAIN) and np.array_equal(test, TEST)


def test_one_kernel_is_one_matrix():
    given = KernelDiscriminantAnalysis("precomputed").fit(TRAIN[0], Y)
    table = KernelDiscriminantAnalysis(KERNELS[0]).fit(X, Y)
    assert np.array_equal(given.predict_proba(TEST[0]), table.predict_proba(NEW))


def test_one_kernel_splits_as_scikit_learn_splits():
    # The pairwise tag makes splitters take rows and columns.
    cv = StratifiedKFold(3)
    given = KernelDiscriminantAnalysis("precomputed")
    table = KernelDiscriminantAnalysis(KERNELS[0])
    scores = cross_val_score(given, TRAIN[0], Y, cv=cv)
    assert scores == pytest.approx(cross_val_score(table, X, Y, cv=cv))


@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
def test_row_numbers_in_cross_validation(normalize):
    cv = StratifiedKFold(3)
    alpha = 1e-3 if normalize == "trace" else 0.1
    settings = {"normalize": normalize, "alpha": alpha}
    given = MKLDiscriminantAnalysis([Precomputed(K) for K in TRAIN], **settings)
    table = MKLDiscriminantAnalysis(KERNELS, **settings)
    scores = cross_val_score(given, np.arange(60)[:, None], Y, cv=cv)
    assert scores == pytest.approx(cross_val_score(table, X, Y, cv=cv))


def test_row_numbers_mix_with_columns():
    # Column 0 holds the row numbers, the others are features.
    table = np.column_stack([np.arange(60), X])
    mixed = MKLDiscriminantAnalysis(
        [Precomputed(TRAIN[0], columns=0), Linear(columns=[1, 2, 3])]
    ).fit(table, Y)
    plain = MKLDiscriminantAnalysis([KERNELS[0], Linear()]).fit(X, Y)
    assert mixed.weights_ == pytest.approx(plain.weights_, abs=1e-10)
    assert np.array_equal(mixed.predict(table), plain.predict(X))


@pytest.mark.parametrize(
    "fit",
    [
        lambda K: MKLDiscriminantAnalysis("precomputed").fit(K, Y),
        lambda K: MKLDiscriminantAnalysis("precomputed").fit([K[2], TRAIN[1]], Y),
        lambda K: MKLDiscriminantAnalysis([Precomputed(k) for k in K]).fit(
            np.arange(60)[:, None], Y
        ),
    ],
    ids=["an array", "a list of two precisions", "Precomputed"],
)
def test_single_precision(fit):
    # A Gram matrix stored in single precision is indefinite by its own rounding.
    model = fit(TRAIN.astype(np.float32))
    assert model.solution_.converged


def test_spherical_needs_row_numbers():
    model = MKLDiscriminantAnalysis("precomputed", normalize="spherical").fit(TRAIN, Y)
    with pytest.raises(ValueError, match=r"k\(x, x\).*Precomputed"):
        model.predict(TEST)
