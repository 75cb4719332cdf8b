"""Kernels and stacks of other arrays equal those of NumPy."""

import numpy as np
import pytest

import problems
from kernelweave.arrays import (
    add_to_diagonal,
    free_memory,
    host,
    is_foreign,
    like,
    take,
)
from kernelweave.arrays import require_memory as require
from kernelweave.grams import DenseStack, LazyStack, WithIdentity
from kernelweave.grams.base import Housed
from kernelweave.grams.normalise import NORMALIZATIONS, normalise
from kernelweave.kernels import (
    RBF,
    ChiSquared,
    Laplacian,
    Linear,
    Overlap,
    Polynomial,
    rbf_grid,
)
from kinds import KINDS

# More rows than one tile has, and not a multiple.
N, TILE = 70, 32


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr("kernelweave.grams.lazy.ARRAY_TILE", TILE)


def _kernels():
    return [
        *rbf_grid(sigmas=[0.5, 2.0]),
        *rbf_grid(sigmas=[0.5, 1.0], columns=[0, 2]),
        RBF(scale=True),
        Laplacian(gamma=0.3),
        Linear(columns=slice(0, 3)),
        Polynomial(degree=3),
        Polynomial(gamma=0.5, scale=True),
    ]


def _fit(X):
    return [kernel.fit(X) for kernel in _kernels()]


def _same(ours, theirs):
    theirs = np.asarray(theirs)
    scale = np.max(np.abs(theirs))
    np.testing.assert_allclose(host(ours), theirs, rtol=1e-10, atol=1e-12 * scale)


@KINDS
def test_kernels(kind):
    X, _ = problems.blobs(n=N)
    new, _ = problems.blobs(n=9, seed=1)
    for ours, theirs in zip(_fit(kind(X)), _fit(X), strict=True):
        assert kind.owns(ours(kind(X)))
        _same(ours(kind(X)), theirs(X))
        _same(ours(kind(new), kind(X)), theirs(new, X))
        _same(ours.diagonal(kind(new)), theirs.diagonal(new))


@KINDS
def test_single_precision_is_computed_in_double(kind):
    X = problems.blobs(n=N)[0].astype(np.float32)
    K = RBF(gamma=0.5).fit(kind(X))(kind(X))
    _same(K, RBF(gamma=0.5).fit(X.astype(float))(X.astype(float)))
    assert host(K).dtype == np.float64


@KINDS
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", NORMALIZATIONS)
def test_a_lazy_stack(kind, normalize, center, monkeypatch):
    rng = np.random.default_rng(0)
    X, _ = problems.blobs(n=N)
    theirs = LazyStack(_fit(X), X, normalize, center)
    theta, A = rng.exponential(size=9), rng.normal(size=(N, 2))
    theta[3] = 0
    new, _ = problems.blobs(n=7, seed=1)
    # With the product for every width, and with one distance for all.
    for narrow in (0, 64):
        monkeypatch.setattr("kernelweave.grams.rbf_arrays.NARROW", narrow)
        kernels = _fit(kind(X))
        ours = LazyStack(kernels, kind(X), normalize, center)
        assert isinstance(ours.traces, np.ndarray)
        _same(ours.traces, theirs.traces)
        K = ours.combine(theta)
        assert kind.owns(K) and np.array_equal(host(K), host(K).T)
        _same(K, theirs.combine(theta))
        _same(ours.apply(kind(A)), theirs.apply(A))
        s = ours.quadratic(kind(A))
        assert isinstance(s, np.ndarray)
        _same(s, theirs.quadratic(A))
        rows = np.arange(0, N, 3)
        _same(ours.sample(rows).combine(theta), theirs.sample(rows).combine(theta))
        keep = np.arange(9) % 2 == 0
        _same(ours.subset(keep).apply(kind(A)), theirs.subset(keep).apply(A))
    for j, kernel in enumerate(kernels):
        K, diagonal = kernel(kind(new), kind(X)), kernel.diagonal(kind(new))
        mine = ours.statistics[j].cross(K, diagonal)
        _same(mine, theirs.statistics[j].cross(host(K), host(diagonal)))


@KINDS
def test_a_dense_stack(kind):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 4, 30)
    ours, theirs = DenseStack(kind(K)), DenseStack(K)
    theta, A = np.array([0.2, 0.0, 0.5, 0.1]), rng.normal(size=(30, 2))
    rows, some = np.arange(0, 30, 2), np.array([2, 0])
    _same(ours.traces, theirs.traces)
    _same(ours.combine(theta), theirs.combine(theta))
    _same(ours.apply(kind(A)), theirs.apply(A))
    _same(ours.quadratic(kind(A)), theirs.quadratic(A))
    _same(ours.apply_some(kind(A), some), theirs.apply_some(A, some))
    _same(ours.apply_some(kind(A), slice(1, 3)), theirs.apply_some(A, slice(1, 3)))
    _same(ours.sample(rows).combine(theta), theirs.sample(rows).combine(theta))
    _same(ours.subset(theta > 0).combine(theta[theta > 0]), theirs.combine(theta))
    _same(ours[2], theirs[2])
    ours, theirs = WithIdentity(ours, 0.5), WithIdentity(theirs, 0.5)
    theta = np.append(0.3, theta)
    _same(ours.combine(theta), theirs.combine(theta))
    _same(ours.apply(kind(A)), theirs.apply(A))
    _same(ours.quadratic(kind(A)), theirs.quadratic(A))


@KINDS
@pytest.mark.parametrize("normalize", NORMALIZATIONS)
def test_normalising(kind, normalize):
    K = problems.random_psd(np.random.default_rng(0), 1, 20)[0]
    for center in (True, False):
        theirs, mine = K.copy(), kind(K.copy())
        assert normalise(mine, normalize, center).scale == pytest.approx(
            normalise(theirs, normalize, center).scale
        )
        _same(mine, theirs)


@KINDS
def test_constant_columns_are_not_scaled(kind):
    X = np.column_stack([np.arange(20.0), np.full(20, 1 / 3)])
    kernel = Linear(scale=True).fit(kind(X))
    _same(kernel(kind(X)), Linear(scale=True).fit(X)(X))


@KINDS
def test_kernels_of_the_host_say_so(kind):
    X = np.abs(problems.blobs(n=10)[0])
    for kernel in (ChiSquared(name="counts"), Overlap(name="codes")):
        with pytest.raises(TypeError, match=f"{kernel.name!r} is computed by the host"):
            kernel.fit(kind(X))
    with pytest.raises(TypeError, match=r"fills missing values \(missing='impute'\)"):
        RBF(missing="impute").fit(kind(X))
    for bad in (np.nan, np.inf):
        X[3, 1] = bad
        with pytest.raises(ValueError, match=r"kernel 'wide'.*NaN or infinity"):
            RBF(name="wide").fit(kind(X))


@KINDS
def test_small_things(kind):
    x = kind(np.arange(6.0).reshape(2, 3))
    assert is_foreign(x) and not is_foreign(np.ones(2)) and not is_foreign([1.0])
    assert np.array_equal(host(take(x, np.array([2, 0]), 1)), [[2, 0], [5, 3]])
    assert np.array_equal(host(take(x, slice(1, None))), [[3, 4, 5]])
    assert kind.owns(like([1, 2], x)) and host(like([1, 2], x)).dtype == np.float64
    K = kind(np.zeros((3, 3)))
    add_to_diagonal(K, 2.0)
    add_to_diagonal(K, kind(np.arange(3.0)))
    assert np.array_equal(host(K), np.diag([2.0, 3.0, 4.0]))


@KINDS
def test_what_does_not_fit_is_refused_before_the_start(kind, monkeypatch):
    X, _ = problems.blobs(n=N)
    gram = LazyStack(_fit(kind(X)), kind(X))
    assert isinstance(gram, Housed)
    gram.check_room()
    monkeypatch.setattr("kernelweave.arrays.free_memory", lambda x: 16 * N**2)
    with pytest.raises(MemoryError, match=r"K\(θ\) of 70 rows and its factor"):
        gram.check_room()
    monkeypatch.setattr("kernelweave.arrays.free_memory", lambda x: 10**9)
    gram.check_room()
    with pytest.raises(MemoryError, match=r"2 GB, and 1 GB of the GPU's memory"):
        require(2 * 10**9, kind(X), "all")


def test_the_host_has_no_limit_of_a_gpu():
    assert free_memory(np.ones(1)) is None


def test_jax_is_refused(monkeypatch):
    monkeypatch.setattr("kernelweave.arrays.is_jax_array", lambda x: True)
    with pytest.raises(TypeError, match="arrays of JAX cannot be written to"):
        is_foreign(object())
