"""Every kernel against two loops over the definition."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF as NoKernelOfOurs

import naive
from kernelweave.kernels import (
    RBF,
    ChiSquared,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    default_kernels,
    rbf_grid,
)

RNG = np.random.default_rng(0)
# Not negative, for the histogram kernel; a zero in both rows is its 0/0.
X = np.abs(RNG.normal(size=(9, 4)))
X[:2, 1] = 0.0
NEW = np.abs(RNG.normal(size=(5, 4)))

KERNELS = {
    "rbf": (RBF(gamma=0.7), naive.rbf(0.7)),
    "rbf factor": (RBF(gamma=0.7, factor=2.0), naive.rbf(0.7 / 4)),
    "laplacian": (Laplacian(gamma=0.3), naive.laplacian(0.3)),
    "chi squared": (ChiSquared(gamma=0.5), naive.chi_squared(0.5)),
    "linear": (Linear(), naive.linear()),
    "polynomial": (
        Polynomial(degree=3, gamma=0.5, coef0=2.0),
        naive.polynomial(3, 0.5, 2.0),
    ),
    "polynomial default": (Polynomial(), naive.polynomial(2, 1 / 4, 1.0)),
}
every_kernel = pytest.mark.parametrize("kernel, k", KERNELS.values(), ids=KERNELS)


@every_kernel
def test_equals_two_loops(kernel, k):
    kernel = clone(kernel).fit(X)
    assert kernel(X) == pytest.approx(naive.gram(k, X, X), rel=1e-12)
    assert kernel(NEW, X) == pytest.approx(naive.gram(k, NEW, X), rel=1e-12)
    expected = [k(x, x) for x in NEW]
    assert kernel.diagonal(NEW) == pytest.approx(expected, rel=1e-12)


@every_kernel
def test_chosen_columns(kernel, k):
    kernel = clone(kernel).set_params(columns=[2, 0]).fit(X)
    if isinstance(kernel, Polynomial) and kernel.gamma is None:
        k = naive.polynomial(2, 1 / 2, 1.0)
    expected = naive.gram(k, NEW[:, [2, 0]], X[:, [2, 0]])
    assert kernel(NEW, X) == pytest.approx(expected, rel=1e-12)
    expected = [k(x, x) for x in NEW[:, [2, 0]]]
    assert kernel.diagonal(NEW) == pytest.approx(expected, rel=1e-12)


@every_kernel
def test_is_positive_semidefinite(kernel, k):
    K = clone(kernel).fit(X)(X)
    assert np.array_equal(K, K.T) or np.allclose(K, K.T, rtol=1e-14)
    assert np.linalg.eigvalsh(K)[0] >= -1e-14 * np.trace(K)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.7), Linear(), Polynomial()])
def test_sparse_tables(kernel):
    kernel = kernel.fit(X)
    sparse = scipy.sparse.csr_array(NEW)
    cross = kernel(sparse, scipy.sparse.csr_array(X))
    assert isinstance(cross, np.ndarray)
    assert cross == pytest.approx(kernel(NEW, X), rel=1e-12)
    assert kernel.diagonal(sparse) == pytest.approx(kernel.diagonal(NEW), rel=1e-12)


def test_chi_squared_wants_histograms():
    kernel = ChiSquared(name="counts").fit(X)
    with pytest.raises(ValueError, match=r"'counts'.*negative"):
        kernel(-X)
    with pytest.raises(ValueError, match=r"'counts'.*dense"):
        kernel(scipy.sparse.csr_array(X))


def test_median_widths():
    def euclidean(x, z):
        return np.sqrt(np.sum((x - z) ** 2))

    m = naive.median_distance(X, euclidean)
    assert RBF().fit(X).gamma_ == pytest.approx(1 / (2 * m**2), rel=1e-9)
    assert RBF(factor=3).fit(X).gamma_ == pytest.approx(1 / (18 * m**2), rel=1e-9)
    m = naive.median_distance(X, lambda x, z: np.sum(np.abs(x - z)))
    assert Laplacian().fit(X).gamma_ == pytest.approx(1 / m, rel=1e-9)
    # Of the chosen columns only.
    m = naive.median_distance(X[:, [3]], euclidean)
    fitted = RBF(columns=[3]).fit(X)
    assert fitted.gamma_ == pytest.approx(1 / (2 * m**2), rel=1e-9)


def test_median_of_equal_rows():
    constant = RBF().fit(np.ones((4, 2)))
    assert np.array_equal(constant(np.ones((4, 2))), np.ones((4, 4)))


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, "scale", None, [1.0]])
@pytest.mark.parametrize("kind", [RBF, Laplacian])
def test_bad_widths(kind, gamma):
    with pytest.raises(ValueError, match=r"'mine'.*gamma must be"):
        kind(gamma=gamma, name="mine").fit(X)


@pytest.mark.parametrize("factor", [0, np.nan])
def test_bad_factors(factor):
    with pytest.raises(ValueError, match="factor"):
        RBF(gamma=1.0, factor=factor, name="mine").fit(X)


@pytest.mark.parametrize(
    "parameters", [{"degree": 0}, {"degree": 1.5}, {"coef0": -1.0}]
)
def test_bad_polynomials(parameters):
    with pytest.raises(ValueError, match=r"'mine'.*positive semidefinite"):
        Polynomial(name="mine", **parameters).fit(X)


def test_precomputed_takes_row_numbers():
    K = X @ X.T
    rows = np.array([[3], [0], [7]])
    kernel = Precomputed(K).fit(rows)
    assert np.array_equal(kernel(rows), K[np.ix_([3, 0, 7], [3, 0, 7])])
    assert np.array_equal(kernel([[1]], rows), K[[1]][:, [3, 0, 7]])
    assert np.array_equal(kernel.diagonal(rows), np.diag(K)[[3, 0, 7]])
    second = Precomputed(K, columns=1).fit(np.array([[9, 3], [9, 0]]))
    assert np.array_equal(second(np.array([[9, 2]])), K[[2]][:, [2]])


@pytest.mark.parametrize("row", [-1, 9, 0.5])
def test_precomputed_names_bad_row_numbers(row):
    kernel = Precomputed(X @ X.T, name="given").fit([[0]])
    with pytest.raises(ValueError, match=r"'given'.*row numbers from 0 to 8"):
        kernel([[row]])


def test_precomputed_must_be_square():
    with pytest.raises(ValueError, match=r"'given'.*square.*\(9, 4\)"):
        Precomputed(X, name="given").fit([[0]])


def test_rbf_grid():
    gammas = [kernel.gamma for kernel in rbf_grid([0.1, 1.0])]
    assert gammas == [0.1, 1.0]
    # exp(−d²/σ²), the papers' form.
    assert [k.gamma for k in rbf_grid(sigmas=[0.1, 10])] == pytest.approx([100, 0.01])
    family = rbf_grid(columns=[0], prefix="view: ")
    assert [k.factor for k in family] == [0.25, 0.5, 1, 2, 4]
    assert all(k.gamma == "median" and k.columns == [0] for k in family)
    assert family[0].label == "view: rbf 0.25×median"
    with pytest.raises(ValueError, match="not both"):
        rbf_grid([1.0], sigmas=[1.0])


def test_default_family():
    family = default_kernels()
    assert all(isinstance(kernel, Kernel) for kernel in family)
    assert len({kernel.label for kernel in family}) == len(family)


def test_labels():
    assert RBF(gamma=0.5).label == "RBF(gamma=0.5)"
    assert RBF(name="mine").label == "mine"
    assert Precomputed(np.eye(30)).label == "Precomputed"
    assert "\n" not in Polynomial(degree=3, gamma=0.123, coef0=4, columns=[1]).label
    assert not isinstance(NoKernelOfOurs(), Kernel)
