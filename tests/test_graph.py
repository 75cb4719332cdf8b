"""Neighbours, Laplacians and tangent distances."""

import numpy as np
import pytest
from scipy import ndimage
from sklearn.metrics import pairwise_distances

from kernelweave import graph
from kernelweave.datasets import load_table
from kernelweave.graph import laplacian, neighbour_graph, tangent_distance

RNG = np.random.default_rng(0)


def _naive_edges(D, k):
    """Pairs of which one is among the k nearest of the other, by two loops."""
    n = len(D)
    edges = np.zeros((n, n), bool)
    for i in range(n):
        others = sorted((D[i, j], j) for j in range(n) if j != i)
        for _, j in others[:k]:
            edges[i, j] = edges[j, i] = True
    return edges


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_neighbours_are_those_of_two_loops(metric):
    X = RNG.normal(size=(40, 3))
    D = pairwise_distances(X, metric=metric)
    edges = _naive_edges(D, 4)
    W = neighbour_graph(X, 4, metric)
    assert np.array_equal(W.toarray(), edges.astype(float))
    heat = neighbour_graph(X, 4, metric, "heat").toarray()
    nearest = np.sort(D + np.diag(np.full(40, np.inf)), axis=1)[:, :4]
    expected = np.where(edges, np.exp(-(D**2) / (2 * nearest.mean() ** 2)), 0)
    assert heat == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(heat, heat.T)
    for weights in ("binary", "heat"):
        given = neighbour_graph(D, 4, "precomputed", weights).toarray()
        assert given == pytest.approx(neighbour_graph(X, 4, metric, weights).toarray())


def test_callable_metric():
    X = RNG.normal(size=(20, 3))
    W = neighbour_graph(X, 3, lambda x, z: np.max(np.abs(x - z)))
    assert np.array_equal(W.toarray(), neighbour_graph(X, 3, "chebyshev").toarray())


@pytest.mark.parametrize("weights", ["binary", "heat"])
def test_equal_rows_are_neighbours(weights):
    X = np.repeat(RNG.normal(size=(5, 2)), 2, axis=0)
    W = neighbour_graph(X, 1, weights=weights).toarray()
    assert np.array_equal(W, np.kron(np.eye(5), [[0, 1], [1, 0]]))


def test_graph_that_cannot_be():
    X = RNG.normal(size=(5, 2))
    for k in (0, 5):
        with pytest.raises(ValueError, match="below the number of rows, 5"):
            neighbour_graph(X, k)
    with pytest.raises(ValueError, match="'binary' or 'heat', got 'cosine'"):
        neighbour_graph(X, 2, weights="cosine")


@pytest.mark.parametrize("weights", ["binary", "heat"])
def test_laplacian(weights):
    W = neighbour_graph(RNG.normal(size=(30, 2)), 3, weights=weights)
    dense = W.toarray()
    degrees = dense.sum(axis=1)
    L = laplacian(W, normalized=False).toarray()
    assert pytest.approx(np.diag(degrees) - dense) == L
    # fᵀLf = ½ Σ W_ij (f_i − f_j)²
    f = RNG.normal(size=30)
    expected = sum(
        dense[i, j] * (f[i] - f[j]) ** 2 / 2 for i in range(30) for j in range(30)
    )
    assert f @ L @ f == pytest.approx(expected)
    N = laplacian(W).toarray()
    assert np.array_equal(N, N.T)
    root = np.sqrt(degrees)
    assert pytest.approx(L / np.outer(root, root)) == N
    values = np.linalg.eigvalsh(N)
    assert -1e-14 < values[0] < 1e-14
    assert values[-1] < 2 + 1e-14
    assert np.array_equal(laplacian(dense).toarray(), N)


def test_laplacian_of_a_row_without_neighbours():
    W = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])
    for normalized in (True, False):
        L = laplacian(W, normalized).toarray()
        assert np.array_equal(L, [[1, -1, 0], [-1, 1, 0], [0, 0, 0]])


def _strokes(n, shape=(16, 16), seed=0):
    """Smooth grey images: a few bent strokes on a background of −1."""
    rng = np.random.default_rng(seed)
    images = np.zeros((n, *shape))
    for image in images:
        t = np.linspace(0, 1, 60)
        for _ in range(2):
            ends = rng.uniform(0.25, 0.75, (3, 2)) * shape
            curve = np.stack([(1 - t) ** 2, 2 * t * (1 - t), t**2], axis=1) @ ends
            image[tuple(curve.astype(int).T)] = 1
    images = ndimage.gaussian_filter(images, (0, 1, 1))
    images /= images.max(axis=(1, 2), keepdims=True)
    return 2 * images.reshape(n, -1) - 1


def _moved(X, matrix, shift, shape=(16, 16)):
    """Images seen through an affine map about the middle."""
    middle = (np.array(shape) - 1) / 2
    offset = middle - matrix @ middle + shift
    return np.stack(
        [
            ndimage.affine_transform(x.reshape(shape), matrix, offset, cval=-1).ravel()
            for x in X
        ]
    )


def test_tangent_distance_is_the_distance_of_planes():
    X, Z = _strokes(6), _strokes(5, seed=1)
    D = tangent_distance(X, Z)
    Qx, Qz = graph._tangents(X, (16, 16)), graph._tangents(Z, (16, 16))
    for i in range(6):
        for j in range(5):
            plane = np.vstack([Qx[i], Qz[j]]).T
            d = X[i] - Z[j]
            rest = d - plane @ np.linalg.lstsq(plane, d, rcond=1e-10)[0]
            assert D[i, j] == pytest.approx(np.linalg.norm(rest), rel=1e-3)
            assert D[i, j] >= np.linalg.norm(rest) * (1 - 1e-9)


@pytest.mark.parametrize(
    "name, matrix, shift",
    [
        ("shift", np.eye(2), [0.5, 0.0]),
        ("shift across", np.eye(2), [0.0, -0.5]),
        ("rotation", [[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]], [0, 0]),
        ("scaling", 1.07 * np.eye(2), [0, 0]),
        ("axes", np.diag([1.07, 1 / 1.07]), [0, 0]),
        ("shear", [[1, 0.1], [0.1, 1]], [0, 0]),
    ],
)
def test_small_deformations_cost_little(name, matrix, shift):
    X = _strokes(20)
    Z = _moved(X, np.asarray(matrix, float), np.asarray(shift, float))
    tangent = np.diag(tangent_distance(X, Z))
    euclidean = np.linalg.norm(X - Z, axis=1)
    assert np.all(tangent < 0.4 * euclidean), name
    # Other images stay far.
    between = tangent_distance(X)[np.triu_indices(20, 1)]
    assert np.median(between) > 3 * np.median(tangent)


def test_thickness_costs_little():
    X = _strokes(20)
    Z = np.tanh(2 * (X + 0.3)) / np.tanh(2.6)
    tangent = np.diag(tangent_distance(X, Z))
    without = np.linalg.norm(X - Z, axis=1)
    assert np.median(tangent / without) < 0.6


def test_tangent_distance_is_a_symmetric_one(monkeypatch):
    noisy = _strokes(12) + 0.1 * RNG.normal(size=(12, 256))
    X = np.vstack([noisy, np.full((2, 256), -1.0), noisy[:1]])
    D = tangent_distance(X)
    assert np.array_equal(D, D.T)
    assert np.array_equal(np.diag(D), np.zeros(15))
    euclidean = pairwise_distances(X)
    assert np.max(D - euclidean) <= 1e-12
    assert np.median(D[np.triu_indices(15, 1)]) < 0.9 * np.median(euclidean)
    # Equal images, also where the derivatives are zero.
    assert D[12, 13] == 0
    assert D[0, 14] == pytest.approx(0, abs=1e-6)
    # A blank image deforms nothing: only the other one bends.
    Q = graph._tangents(X[:1], (16, 16))[0]
    d = X[0] - X[12]
    assert D[0, 12] == pytest.approx(np.linalg.norm(d - Q.T @ (Q @ d)), rel=1e-5)
    assert tangent_distance(X, X) == pytest.approx(D, abs=1e-6)
    monkeypatch.setattr(graph, "_PAIRS", 40)
    assert tangent_distance(X) == pytest.approx(D, abs=1e-6)


def test_other_shapes():
    X = _strokes(4, (8, 12))
    D = tangent_distance(X, shape=(8, 12))
    turned = X.reshape(4, 8, 12).transpose(0, 2, 1).reshape(4, -1)
    assert tangent_distance(turned, shape=(12, 8)) == pytest.approx(D, abs=1e-8)
    with pytest.raises(ValueError, match="16×16 pixels are rows of 256 numbers"):
        tangent_distance(X)


def test_digits_have_nearer_neighbours():
    try:
        X, y = load_table("usps")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    rng = np.random.default_rng(0)
    train = rng.permutation(7291)[:800]
    test = 7291 + rng.permutation(2007)[:300]
    wrong = [
        np.mean(y[train][np.argmin(D, axis=1)] != y[test])
        for D in (
            tangent_distance(X[test], X[train]),
            pairwise_distances(X[test], X[train]),
        )
    ]
    assert wrong[0] < 0.75 * wrong[1], wrong
