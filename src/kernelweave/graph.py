"""Graphs of neighbours: who is near whom, among labelled and unlabelled rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import ndimage, sparse
from scipy.sparse import csgraph

from .grams.base import Array

# Metrics of `NearestNeighbors` that are computed from scalar products.
_EUCLIDEAN = ("euclidean", "sqeuclidean", "l2", "minkowski")

# Pairs of images whose tangent distances are computed at once: 50 MB.
_PAIRS = 2**16


def neighbour_graph(
    X: Any,
    n_neighbors: int = 10,
    metric: str | Callable[..., float] = "euclidean",
    weights: str = "binary",
) -> sparse.csr_array:
    """W_ij > 0 where i is one of the nearest neighbours of j, or j one of those of i.

    Parameters
    ----------
    X : array-like (n, d), or distances (n, n)
    n_neighbors : int
        Neighbours of each row, itself not counted.
    metric : str or callable
        Any metric of scikit-learn's `NearestNeighbors`. "precomputed": X holds
        distances, such as those of `tangent_distance`.
    weights : {"binary", "heat"}
        W_ij = 1, or exp(−d_ij²/(2σ²)) with σ the mean distance of neighbours.

    Returns
    -------
    W : sparse array (n, n)
        Symmetric, with an empty diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> neighbour_graph(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    n = np.shape(X)[0]
    if not 1 <= n_neighbors < n:
        raise ValueError(
            f"n_neighbors must be at least 1 and below the number of rows, {n}, got "
            f"{n_neighbors!r}"
        )
    if weights not in ("binary", "heat"):
        raise ValueError(f"weights must be 'binary' or 'heat', got {weights!r}")
    if metric in _EUCLIDEAN and not sparse.issparse(X):
        # Seen from the mean, ‖x‖² + ‖z‖² − 2xᵀz loses the fewest digits.
        X = np.asarray(X, dtype=float)
        X = X - X.mean(axis=0)
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(X)
    W = sparse.csr_array(search.kneighbors_graph(mode="distance"))
    # Equal rows have stored distances of zero: they are neighbours all the same.
    d = W.data
    width = float(np.mean(d))
    heat = weights == "heat" and width > 0
    W.data = np.exp(-0.5 * (d / width) ** 2) if heat else np.ones_like(d)
    return sparse.csr_array(W.maximum(W.T))


def laplacian(W: Any, normalized: bool = True) -> sparse.csr_array:
    """L = D − W, or I − D^(−½)WD^(−½) if normalized, D = diag(W1): fᵀLf is small where
    f changes little between neighbours.

    Parameters
    ----------
    W : sparse array or array-like (n, n)
        Symmetric and not negative, as `neighbour_graph` makes it.
    normalized : bool
        The eigenvalues are then at most 2, whatever the graph.

    Returns
    -------
    L : sparse array (n, n)
        Symmetric positive semidefinite.
    """
    W = sparse.csr_array(W, dtype=float)
    L = sparse.csr_array(csgraph.laplacian(W, normed=normalized))
    # D^(−½) from the left and from the right are rounded one after the other.
    return sparse.csr_array((L + L.T) / 2)


def tangent_distance(X: Any, Z: Any = None, shape: tuple[int, int] = (16, 16)) -> Array:
    """min over a, b of ‖x + T_xa − z − T_zb‖: small deformations cost nothing.

    The columns of T_x span what shifts, turns, scales, shears and thickens the image
    x a little (Simard, LeCun, Denker, Victorri 1998, with seven tangent vectors). With
    orthonormal bases Q_x and Q_z of the two, d = x − z and C = Q_xᵀQ_z this is

        ‖d‖² − [u; v]ᵀ [[I, C], [Cᵀ, I]]⁻¹ [u; v],    u = Q_xᵀd, v = Q_zᵀd,

    one 7×7 system a pair. The diagonal is raised by 1e-6, a weak spring that keeps the
    system regular where x and z are alike.

    Parameters
    ----------
    X, Z : array-like (m, d), (n, d)
        Images by rows, d = shape[0]·shape[1]. Z = None means X.
    shape : (int, int)
        Rows and columns of an image.

    Returns
    -------
    distances : ndarray (m, n)
        2000 images take some ten seconds on one core: 7²·2d flops a pair, half the
        pairs, and as long again for the systems.
    """
    X = _images(X, shape)
    same = Z is None
    Z = X if same else _images(Z, shape)
    Qx = _tangents(X, shape)
    Qz = Qx if same else _tangents(Z, shape)
    out = np.zeros((len(X), len(Z)))
    rows = max(1, _PAIRS // len(Z))
    for i in range(0, len(X), rows):
        some = slice(i, i + rows)
        # Distances are symmetric: of X and X, from the diagonal on.
        rest = slice(i if same else 0, None)
        out[some, rest] = _block(X[some], Qx[some], Z[rest], Qz[rest])
    if same:
        out = np.triu(out, 1)
        out += out.T
    return out


def _block(X: Array, Qx: Array, Z: Array, Qz: Array) -> Array:
    """Distances of all pairs, with bases (m, q, d) and (n, q, d)."""
    m, q, d = Qx.shape
    n = len(Z)
    squared = np.sum(X * X, axis=1)[:, None] + np.sum(Z * Z, axis=1) - 2 * X @ Z.T
    own, other = np.einsum("iqd,id->iq", Qx, X), np.einsum("jqd,jd->jq", Qz, Z)
    u = own[:, None] - (Qx.reshape(m * q, d) @ Z.T).reshape(m, q, n).transpose(0, 2, 1)
    v = (X @ Qz.reshape(n * q, d).T).reshape(m, n, q) - other
    C = (Qx.reshape(m * q, d) @ Qz.reshape(n * q, d).T).reshape(m, q, n, q)
    C = C.transpose(0, 2, 1, 3)
    # By blocks: v − Cᵀu/r = Sy with S = rI − CᵀC/r, and the form is uᵀu/r + yᵀSy.
    r = 1 + 1e-6
    Ct = C.transpose(0, 1, 3, 2)
    rest = v - (Ct @ u[..., None])[..., 0] / r
    S = r * np.eye(q) - Ct @ C / r
    y = np.linalg.solve(S, rest[..., None])[..., 0]
    squared -= np.sum(u * u, axis=2) / r + np.sum(rest * y, axis=2)
    return np.sqrt(np.maximum(squared, 0))


def _tangents(X: Array, shape: tuple[int, int]) -> Array:
    """Orthonormal tangent vectors (n, 7, d); zero where an image has fewer of them."""
    images = X.reshape(-1, *shape)
    # Derivatives of the image smoothed by a pixel; beyond the edge it goes on as there.
    fy, fx = (
        ndimage.gaussian_filter(images, (0, 1, 1), order=order, mode="nearest")
        for order in ((0, 1, 0), (0, 0, 1))
    )
    y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
    T = np.stack(
        [
            fx,  # shifts
            fy,
            y * fx - x * fy,  # rotation
            x * fx + y * fy,  # scaling
            x * fx - y * fy,  # hyperbolic: along the axes,
            y * fx + x * fy,  # and along the diagonals
            fx * fx + fy * fy,  # thickness
        ],
        axis=1,
    ).reshape(len(X), 7, -1)
    _, size, Q = np.linalg.svd(T, full_matrices=False)
    return Q * (size > 1e-10 * np.max(size, initial=0.0))[..., None]


def _images(X: Any, shape: tuple[int, int]) -> Array:
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or X.shape[1] != shape[0] * shape[1]:
        raise ValueError(
            f"images of {shape[0]}×{shape[1]} pixels are rows of "
            f"{shape[0] * shape[1]} numbers, got shape {X.shape}"
        )
    return X
