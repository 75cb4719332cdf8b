"""Kernels deformed by a graph: against the inverse in long double."""

import numpy as np
import pytest
from scipy.linalg import lu_factor, lu_solve

import problems
from kernelweave.grams import deform
from kernelweave.graph import laplacian, neighbour_graph

LONG = np.longdouble
RNG = np.random.default_rng(0)
N = 80
LABELLED = np.array([3, 70, 11, 5, 42])


def _graph(X, normalized=True):
    return laplacian(neighbour_graph(X, 5), normalized)


def _inverse(K, L, gamma):
    """(I + γLK)⁻¹ in long double: LU in double, refined until nothing changes."""
    M = np.eye(len(K), dtype=LONG) + LONG(gamma) * (L.astype(LONG) @ K.astype(LONG))
    factor = lu_factor(M.astype(float))
    T = np.zeros(M.shape, LONG)
    for _ in range(8):
        T += lu_solve(factor, (np.eye(len(K), dtype=LONG) - M @ T).astype(float))
    return T


def _kernels():
    X = RNG.normal(size=(N, 4))
    gaussians = problems.ten_gaussians(X, "variance")
    return X, {
        "narrow": gaussians[1],
        "wide": gaussians[6],
        "linear, rank 4": X @ X.T,
        "of rank one": np.outer(X[:, 0], X[:, 0]),
    }


X, KERNELS = _kernels()


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", KERNELS)
def test_equals_the_inverse(name, gamma, normalized):
    K, L = KERNELS[name], _graph(X, normalized)
    T = _inverse(K, L.toarray(), gamma)
    expected = K.astype(LONG) @ T
    size = float(np.max(np.abs(expected)))
    # K rounded to double is off by ε, which (I + γLK)⁻¹ multiplies from both sides.
    rounding = 1e-13 * (
        1 + gamma * np.linalg.norm(L.toarray(), 2) * np.linalg.norm(K, 2)
    )
    for graph in (L, L.toarray()):
        whole = deform(K, graph, gamma)
        assert np.max(np.abs(whole.gram - expected)) < max(1e-13, rounding) * size
        assert np.array_equal(whole.gram, whole.gram.T)
        values = np.linalg.eigvalsh(whole.gram)
        assert values[0] > -1e-14 * N * values[-1]
        assert np.max(np.abs(whole.transfer - T)) < rounding * np.max(np.abs(T))
        part = deform(K, graph, gamma, LABELLED)
        assert part.gram.shape == (5, 5)
        near = whole.gram[np.ix_(LABELLED, LABELLED)]
        assert part.gram == pytest.approx(near, abs=1e-13 * size)
        assert part.transfer == pytest.approx(whole.transfer[:, LABELLED], abs=1e-12)


def test_matrices_that_are_regular():
    # (K⁻¹ + γL)⁻¹
    K = problems.random_psd(RNG, 1, 20)[0] + np.eye(20)
    L = problems.random_psd(RNG, 1, 20, rank=12)[0]
    expected = np.linalg.inv(np.linalg.inv(K) + 0.7 * L)
    assert deform(K, L, 0.7).gram == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("name", KERNELS)
def test_nothing_is_deformed_by_zero(name):
    K, L = KERNELS[name], _graph(X)
    plain = deform(K, L, 0.0, LABELLED)
    assert np.array_equal(plain.gram, K[np.ix_(LABELLED, LABELLED)])
    assert np.array_equal(plain.cross(K), K[:, LABELLED])
    # And by a graph without edges.
    none = deform(K, np.zeros((N, N)), 1.0)
    assert none.gram == pytest.approx(K, abs=1e-13 * np.max(np.abs(K)))


@pytest.mark.parametrize("name", KERNELS)
def test_new_rows_that_are_not_new(name):
    # A row of the table, given again as if it were new, is predicted alike.
    K, L = KERNELS[name], _graph(X)
    whole, part = deform(K, L, 10.0), deform(K, L, 10.0, LABELLED)
    A = RNG.normal(size=(5, 2))
    transductive = whole.gram[:, LABELLED] @ A
    inductive = part.cross(K) @ A
    assert inductive == pytest.approx(transductive, abs=1e-11)
    some = np.array([0, 17, 42])
    again = part.cross(K[some]) @ A
    assert again == pytest.approx(transductive[some], abs=1e-11)


def test_mask_of_labelled_rows():
    K, L = KERNELS["wide"], _graph(X)
    mask = np.arange(N) % 7 == 0
    by_mask, by_number = (
        deform(K, L, 1.0, mask),
        deform(K, L, 1.0, np.flatnonzero(mask)),
    )
    assert np.array_equal(by_mask.gram, by_number.gram)
    assert np.array_equal(by_mask.transfer, by_number.transfer)


def test_ridge_on_deformed_kernels_is_ridge_with_the_graph():
    # min Σ_labelled (y − f)² + λ(‖f‖² + γfᵀLf), f = Kα, solved directly for α.
    K, L = KERNELS["wide"], _graph(X).toarray()
    lam, gamma = 0.1, 2.0
    y = RNG.normal(size=5)
    S = np.eye(N)[LABELLED]
    normal = K @ S.T @ S @ K + lam * (K + gamma * K @ L @ K)
    f = K @ np.linalg.lstsq(normal, K @ S.T @ y, rcond=1e-14)[0]
    part = deform(K, L, gamma, LABELLED)
    a = np.linalg.solve(part.gram + lam * np.eye(5), y)
    assert part.cross(K) @ a == pytest.approx(f, abs=1e-6)


def test_what_it_is_told():
    K, L = KERNELS["wide"], _graph(X)
    for gamma in (-1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="gamma must be finite and not negative"):
            deform(K, L, gamma)
    with pytest.raises(ValueError, match=r"same rows, got \(80, 80\) and \(3, 3\)"):
        deform(K, np.eye(3), 1.0)
