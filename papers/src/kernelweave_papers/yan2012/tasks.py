"""The tasks: kernels exp(−D/η), labels, and who learns, who tunes, who is tested.

η is the mean of D (times a factor), over all samples and without labels: §3.5. Such
kernels have k(x, x) = 1, which is the paper's spherical normalisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import train_test_split

from kernelweave.datasets import load_distances, load_views
from kernelweave.problem import Array


@dataclass(frozen=True)
class Task:
    """Kernels K (p, n, n) of unit diagonal with names, labels y, and row numbers."""

    K: Array
    y: Array
    train: Array
    validation: Array
    test: Array
    names: tuple[str, ...]


def distance_kernel(D: Array, factor: float = 1.0) -> Array:
    """exp(−D/(factor·η)), η the mean of D."""
    return np.exp(-D / (factor * D.mean()))


def simulated(
    n_kernels: int, rng: np.random.Generator, n_train: int = 100, n_test: int = 100
) -> Task:
    """§3.1: two classes, each kernel from two-dimensional Gaussians of its own.

    The means are uniform on [1, 2]², as printed. The covariances are "randomly
    generated": here Σ = I + BBᵀ with B uniform on [0, 1]^(2×2), which gives the printed
    error of one kernel alone, "around 0.43". (Without the I the classes have such
    different shapes that one kernel errs on 0.2.) There is no validation part.
    """
    y = np.concatenate([np.arange(n_train) % 2, np.arange(n_test) % 2])
    K = np.empty((n_kernels, len(y), len(y)))
    for j in range(n_kernels):
        X = simulated_view(y, rng)
        K[j] = distance_kernel(euclidean_distances(X, squared=True))
    rows = np.arange(len(y))
    names = tuple(f"view {j}" for j in range(n_kernels))
    return Task(K, y, rows[:n_train], rows[:0], rows[n_train:], names)


def simulated_view(y: Array, rng: np.random.Generator) -> Array:
    """Points (n, 2) of one view of the labels y in {0, 1}: Figure 1 (a)."""
    mean = rng.uniform(1, 2, size=(2, 2))
    B = rng.uniform(size=(2, 2, 2))
    factor = np.linalg.cholesky(np.eye(2) + B @ B.transpose(0, 2, 1))
    return mean[y] + np.einsum("ijk,ik->ij", factor[y], rng.normal(size=(len(y), 2)))


def random_kernels(
    n_kernels: int, n: int, rng: np.random.Generator, dimension: int = 10
) -> Array:
    """§3.2: RBF kernels of normal random vectors, whose dimension is not printed."""
    K = np.empty((n_kernels, n, n))
    for j in range(n_kernels):
        X = rng.normal(size=(n, dimension))
        K[j] = distance_kernel(euclidean_distances(X, squared=True))
    return K


def handwritten(
    rng: np.random.Generator,
    n_train: int = 100,
    n_validation: int = 200,
    n_test: int = 500,
    factors: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0),
) -> Task:
    """Six views of handwritten digits (mfeat), an RBF kernel for each factor: 30."""
    views, y = load_views("mfeat")
    n = n_train + n_validation + n_test
    rows = _stratified(np.arange(len(y)), n, y, rng)
    train = _stratified(rows, n_train, y, rng)
    rest = np.setdiff1d(rows, train)
    validation = _stratified(rest, n_validation, y, rng)
    rows = np.concatenate([train, validation, np.setdiff1d(rest, validation)])
    kernels, names = [], []
    for name, X in views.items():
        spread = X.std(axis=0)
        X = (X[rows] - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        D = euclidean_distances(X, squared=True)
        kernels += [distance_kernel(D, factor) for factor in factors]
        names += [f"{name} {factor:g}" for factor in factors]
    train, validation, test = np.split(np.arange(n), [n_train, n_train + n_validation])
    return Task(np.stack(kernels), y[rows], train, validation, test, tuple(names))


def flowers(split: int = 0, per_class: int | None = None) -> Task:
    """§3.5: a kernel for each of the seven distance matrices of Flower17.

    The matrices and the three splits are our own, not the published ones. The
    distances are known in single precision, and so are the kernels. `per_class` keeps
    the first few training rows of every class (Figure 6 has 15 a class).
    """
    data = load_distances("flower17")
    train, validation, test = data.splits[split]
    if per_class is not None:
        classes = np.unique(data.y)
        train = np.concatenate([train[data.y[train] == c][:per_class] for c in classes])
    K = np.stack([distance_kernel(D) for D in data.D]).astype(np.float32)
    return Task(K, data.y, train, validation, test, data.names)


def _stratified(rows: Array, n: int, y: Array, rng: np.random.Generator) -> Array:
    """n of the rows, every class by its share."""
    if n == len(rows):
        return rows
    seed = int(rng.integers(2**31))
    return train_test_split(rows, train_size=n, stratify=y[rows], random_state=seed)[0]
