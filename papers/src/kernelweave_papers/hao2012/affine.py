"""How far apart two images are once one of them may be shifted, turned and sheared.

    d(x, z)² = min over A, t of Σ_u (x(Au + t) − z(u))²,    d = min(d(x, z), d(z, x))

u runs over the pixels. Table 3 calls it the distance by affine transformations.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from sklearn.metrics.pairwise import euclidean_distances

from kernelweave.graph import tangent_distance
from kernelweave.problem import Array

# Only pairs that are among so many neighbours by tangent distance are looked at; a
# graph of 10 neighbours needs no others.
CANDIDATES = 20
STEPS = 6
# A pixel has no information beyond a few pixels around it: farther the search is lost.
DAMPING = 0.01


def affine_distance(X: Array, shape: tuple[int, int] = (16, 16)) -> Array:
    """Distances (n, n) of images by rows, (n, d); that of pixels for far pairs."""
    n = len(X)
    near = np.argsort(tangent_distance(X, shape=shape), axis=1)
    near = near[:, 1 : CANDIDATES + 1]
    i, j = np.repeat(np.arange(n), near.shape[1]), near.ravel()
    out = euclidean_distances(X)
    np.fill_diagonal(out, 0)
    images = X.reshape(n, *shape)
    for a, b in ((i, j), (j, i)):
        found = np.sqrt(_align(images, a, b))
        np.minimum.at(out, (a, b), found)
    return np.minimum(out, out.T)


def _align(images: Array, moved: Array, fixed: Array) -> Array:
    """min Σ(x(Au + t) − z)² for pairs of images, by damped Gauss-Newton steps."""
    shape = images.shape[1:]
    u = np.indices(shape).reshape(2, -1)
    middle = (np.array(shape) - 1) / 2
    # Coordinates from −1 to 1, so that all six numbers are of one size.
    basis = np.vstack([(u - middle[:, None]) / middle[:, None], np.ones(u.shape[1])])
    slopes = [ndimage.sobel(images, axis) / 8 for axis in (1, 2)]
    target = images[fixed].reshape(len(fixed), -1)
    move = np.zeros((len(moved), 2, 3))
    best = _residuals(images, moved, u + move @ basis, target)
    cost = np.sum(best**2, axis=1)
    damping = np.full(len(moved), DAMPING)
    for _ in range(STEPS):
        at = u + move @ basis
        parts = [_values(slope, moved, at)[:, None] * basis[None] for slope in slopes]
        J = np.concatenate(parts, axis=1)
        H = J @ J.transpose(0, 2, 1)
        scale = damping * np.trace(H, axis1=1, axis2=2) + 1e-12
        H += scale[:, None, None] * np.eye(6)
        step = np.linalg.solve(H, J @ best[..., None]).reshape(-1, 2, 3)
        new = _residuals(images, moved, u + (move - step) @ basis, target)
        value = np.sum(new**2, axis=1)
        better = value < cost
        move[better] -= step[better]
        best[better], cost[better] = new[better], value[better]
        damping = np.where(better, damping / 4, damping * 4)
    return cost


def _residuals(images: Array, which: Array, at: Array, target: Array) -> Array:
    return _values(images, which, at) - target


def _values(images: Array, which: Array, at: Array) -> Array:
    """Images at places between pixels (pairs, 2, pixels), linear between them."""
    high = np.array(images.shape[1:])[:, None] - 1
    at = np.clip(at, 0, high)
    low = np.minimum(at.astype(int), high - 1)
    y, x = (at - low).transpose(1, 0, 2)
    i, j = low.transpose(1, 0, 2)
    k = which[:, None]
    return (1 - y) * ((1 - x) * images[k, i, j] + x * images[k, i, j + 1]) + y * (
        (1 - x) * images[k, i + 1, j] + x * images[k, i + 1, j + 1]
    )
