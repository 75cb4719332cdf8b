"""The tasks: two toy examples, eight tables, and the kernels of both.

Kernels (§VI-B), in the order of Figure 1: ten Gaussians exp(−‖x − z‖²/2σ²) with
σ = 2⁻³, 2⁻², ..., 2⁶ and the polynomials (xᵀz + 1)^1, ^2, ^3, of all features; then the
ten Gaussians of each single feature; then its polynomials: 13(d + 1). Every one has
the trace one on the training rows, and a ridge of 1e-8. That σ is a width in this
sense, that the polynomials have the +1, and the ridge are not printed: they are as in
the toolbox of SimpleMKL, the paper's reference [25], whose settings it follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelweave.datasets import load_table
from kernelweave.kernels import RBF, Kernel, Polynomial
from kernelweave.problem import Array

WIDTHS = tuple(2.0**i for i in range(-3, 7))
DEGREES = (1, 2, 3)
# Kernels of one feature with few values are singular, and aᵀK_ja may round below zero.
RIDGE = 1e-8

# Table II, and the name here. What differs: notes.toml.
TABLES = {
    "breast": "cancer",
    "heart": "heart",
    "ionosphere": "ionosphere",
    "liver": "liver",
    "pima": "pima",
    "sonar": "sonar",
    "wdbc": "wdbc",
    "wpbc": "wpbc",
}


@dataclass(frozen=True)
class Task:
    """Rows to learn from and rows to be tested on; y holds −1 and 1."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    widths: tuple[float, ...] = WIDTHS

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The base kernels, 13(d + 1) of them."""
        kernels = base_kernels(self.X.shape[1], self.widths)
        return [kernel.fit(self.X) for kernel in kernels]

    @cached_property
    def _scaled(self) -> tuple[Array, Array]:
        n = len(self.X)
        K = np.empty((len(self.kernels), n, n))
        for k, kernel in zip(K, self.kernels, strict=True):
            k[...] = kernel(self.X)
        traces = np.trace(K, axis1=1, axis2=2)
        K /= traces[:, None, None]
        K[:, np.arange(n), np.arange(n)] += RIDGE
        return K, traces

    @property
    def K(self) -> Array:
        """Gram matrices of the training rows, (p, n, n): trace one, and the ridge."""
        return self._scaled[0]

    def scores(self, theta: Array, A: Array, bias: Array) -> Array:
        """f(x) = Σ_j θ_j k_j(x)ᵀA + b of the test rows: of kernels that count only."""
        support = np.flatnonzero(A[:, 0])
        f = np.full(len(self.X_test), float(bias[0]))
        for j in np.flatnonzero(theta):
            k = self.kernels[j](self.X_test, self.X[support])
            f += theta[j] / self._scaled[1][j] * (k @ A[support, 0])
        return f


def base_kernels(d: int, widths: tuple[float, ...] = WIDTHS) -> list[Kernel]:
    """Gaussians and polynomials of all d features, then of each alone."""
    out: list[Kernel] = []
    for columns in [[None], [[j] for j in range(d)]]:
        out += [_gaussian(width, c) for c in columns for width in widths]
        out += [_polynomial(degree, c) for c in columns for degree in DEGREES]
    return out


def _gaussian(width: float, columns: list[int] | None) -> Kernel:
    name = f"{_of(columns)} σ={width:g}"
    return RBF(gamma=1 / (2 * width**2), columns=columns, name=name)


def _polynomial(degree: int, columns: list[int] | None) -> Kernel:
    name = f"{_of(columns)} degree {degree}"
    return Polynomial(degree, gamma=1.0, coef0=1.0, columns=columns, name=name)


def _of(columns: list[int] | None) -> str:
    return "all" if columns is None else f"x{columns[0] + 1}"


def toy(
    example: int, rng: np.random.Generator, n: int = 300, d: int = 20
) -> tuple[Array, Array]:
    """X (n, d) uniform on [0, 1] and y = sign(Σ_j f(x_j) + ε), ε normal: (28), (29).

    Example 1 sums f_1 over the first three features; example 2 sums f_1, f_2, f_3 and
    f_4, over three features each:

        f_1(a) = −2 sin 2a + 1 − cos 2     f_2(a) = a² − 1/3
        f_3(a) = a − 1/2                   f_4(a) = e^−a + e^−1 − 1.

    Each has the mean zero; the other features are irrelevant.
    """
    if example not in (1, 2):
        raise ValueError(f"there are toy examples 1 and 2, not {example!r}")
    X = rng.uniform(size=(n, d))
    terms = sum(
        MAPPINGS[i](X[:, 3 * i : 3 * i + 3]).sum(axis=1)
        for i in range(1 if example == 1 else 4)
    )
    return X, np.where(terms + rng.normal(size=n) > 0, 1, -1)


MAPPINGS = (
    lambda a: -2 * np.sin(2 * a) + 1 - np.cos(2),
    lambda a: a**2 - 1 / 3,
    lambda a: a - 1 / 2,
    lambda a: np.exp(-a) + np.exp(-1) - 1,
)


def table(name: str) -> tuple[Array, Array]:
    """Features and labels, −1 and 1, of one of the eight sets of Table II.

    Features that are constant are left out: there is one, in ionosphere.
    """
    if name not in TABLES:
        raise ValueError(f"Table II has {', '.join(TABLES)}, not {name!r}")
    X, y = load_table(TABLES[name])
    X = X[:, np.ptp(X, axis=0) > 0]
    return X, np.where(y == np.max(y), 1, -1)


def split(
    X: Array, y: Array, rng: np.random.Generator, standardise: bool = True
) -> Task:
    """Half of the rows, at random, to learn from, and the others to be tested on.

    The features have the mean zero and the variance one on the training rows (§VI-C).
    The classes are not balanced between the halves: where a classifier of Table V can
    do no better than to name the larger class (wpbc), its accuracies could not have
    the printed spread otherwise.
    """
    order = rng.permutation(len(y))
    train, test = np.split(order, [len(y) // 2])
    if standardise:
        spread = X[train].std(axis=0)
        X = (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Task(X[train], y[train], X[test], y[test])


def tasks(
    name: str, count: int = 20, seed: int = 0, standardise: bool = True
) -> Iterator[Task]:
    """The runs of "toy 1", "toy 2" (a new draw each), or of a set of Table II."""
    kind, _, example = name.partition(" ")
    data = None if kind == "toy" else table(name)
    for run in range(count):
        rng = np.random.default_rng((seed, run))
        X, y = toy(int(example), rng) if data is None else data
        yield split(X, y, rng, standardise)
