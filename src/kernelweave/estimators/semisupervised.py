"""Support vector classification of labelled and unlabelled rows together."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from ..grams.deformed import deform
from ..graph import laplacian, neighbour_graph
from ..losses import Hinge, SquaredHinge
from ..problem import Array
from ..threads import blas_threads
from .base import KernelEstimator

UNLABELLED = -1


class LaplacianMKLSVC(ClassifierMixin, KernelEstimator):
    """Classification that learns the weights of kernels from few labels and many rows.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        (γ_A/2) Σ_j‖f_j‖² + (γ_I/2) Σ_j f_jᵀLf_j + ½ Σ_labelled (1 − y_i(f(x_i) + b))₊²

    with L the Laplacian of the graph of nearest neighbours among all rows: f changes
    little between neighbours, labelled or not. That is multiple kernel learning on the
    deformed kernels K_j(I + (γ_I/γ_A)LK_j)⁻¹, restricted to the labelled rows: convex,
    and certified as the others are. Several classes: one against the rest, with one
    set of weights.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLSVC`.
    gamma_A : float
        Weight of the norm: 1/C of `MKLSVC`.
    gamma_I : float
        Weight of the graph. Zero ignores the unlabelled rows.
    loss : {"squared_hinge", "hinge"}
    n_neighbors : int
    metric : str or callable
        Of scikit-learn's NearestNeighbors, on the columns of X; "precomputed" takes
        the distances that `fit` is given, such as `graph.tangent_distance(X)`.
    graph : {"binary", "heat"}
        Weights of the edges.
    normalized : bool
        Whether the Laplacian is.

    Attributes
    ----------
    transduction_ : ndarray (n,)
        The class of every training row: as given, or predicted.
    weights_ : ndarray (p,)
    kernel_names_ : ndarray of str (p,)
    solution_ : Solution
        `solution_.certificate.relative_gap`, `.status`, `.trace`.
    classes_ : ndarray
    dual_coef_ : ndarray (p, n, 1) or (p, n, n_classes)
        Coefficients of k_j(x, ·) at all training rows, weights included.
    intercept_ : ndarray (1,) or (n_classes,)
    n_iter_ : int
    n_features_in_ : int

    References
    ----------
    Hao, Yuan, Yang and Chen (2012), A primal method for multiple kernel learning,
    Neural Comput. Appl. Sindhwani, Niyogi and Belkin (2005), Beyond the point cloud,
    ICML.

    Examples
    --------
    Ten labelled flowers of 150:

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import LaplacianMKLSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> some = np.full(len(y), -1)
    >>> some[::15] = y[::15]
    >>> model = LaplacianMKLSVC(gamma_A=0.1).fit(X, some)
    >>> bool(np.mean(model.transduction_ == y) > 0.9)
    True
    """

    _softer = "increase gamma_A"

    def __init__(
        self,
        kernels=None,
        weights=None,
        gamma_A=1.0,
        gamma_I=1.0,
        loss="squared_hinge",
        n_neighbors=10,
        metric="euclidean",
        graph="binary",
        normalized=True,
        solver=None,
        normalize: str | None = "variance",
        center=False,
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.loss = loss
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.graph = graph
        self.normalized = normalized
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any, distances: Any = None):
        """Learn from labelled and unlabelled rows.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`.
        y : array-like (n,)
            Class labels; −1, or None among labels that are text, for unlabelled rows.
        distances : array-like (n, n), optional
            Between all rows, for `metric="precomputed"`. By default, and with given
            Gram matrices, those in the feature space of their average.
        """
        self._check_parameters()
        y, unlabelled = _labels(y)
        table = X
        X, _ = self._check_train(X, np.zeros(len(y)))
        rows = np.flatnonzero(~unlabelled)
        given = np.array(y[rows].tolist())
        check_classification_targets(given)
        self.classes_, labels = np.unique(given, return_inverse=True)
        k = len(self.classes_)
        if k < 2:
            what = "no class" if k == 0 else f"one class only ({self.classes_[0]!r})"
            raise ValueError(
                f"the labelled rows have {what}; label at least one row of each of "
                "two classes"
            )
        stack = self._grams(X, table)
        with blas_threads(len(y)):
            L = laplacian(self._neighbours(X, stack, distances), self.normalized)
            ratio = float(self.gamma_I) / float(self.gamma_A)
            deformed = [deform(K, L, ratio, rows) for K in stack]
        Y = -np.ones((len(rows), k))
        Y[np.arange(len(rows)), labels] = 1
        Y = Y[:, 1:] if k == 2 else Y
        make = Hinge if self.loss == "hinge" else SquaredHinge
        reduced = np.stack([d.gram for d in deformed])
        solution = self._solve(reduced, make(Y, 1 / float(self.gamma_A)))
        self.dual_coef_ = np.stack(
            [
                weight * d.transfer @ solution.A
                for weight, d in zip(self.weights_, deformed, strict=True)
            ]
        )
        self.intercept_ = solution.bias
        f = np.einsum("jmn,jnk->mk", stack, self.dual_coef_) + self.intercept_
        best = self._best(f)
        best[rows] = labels
        self.transduction_ = self.classes_[best]
        return self

    def _check_parameters(self) -> None:
        for name, least in (("gamma_A", np.nextafter(0, 1)), ("gamma_I", 0.0)):
            value = getattr(self, name)
            if not (isinstance(value, Real) and least <= float(value) < np.inf):
                what = "positive" if least else "non-negative"
                raise ValueError(
                    f"{name} must be a number that is {what}, got {value!r}"
                )
        if self.loss not in ("hinge", "squared_hinge"):
            raise ValueError(
                f"loss must be 'hinge' or 'squared_hinge', got {self.loss!r}"
            )

    def _neighbours(self, X: Any, stack: Array, distances: Any) -> Any:
        """The graph of all rows."""
        metric = self.metric
        if distances is not None:
            X = check_array(distances, ensure_min_samples=2)
            if X.shape != stack.shape[1:]:
                raise ValueError(
                    f"distances must be those between all {stack.shape[1]} rows, got "
                    f"shape {X.shape}"
                )
            metric = "precomputed"
        elif self._given():
            K = np.mean(stack, axis=0)
            diagonal = np.diag(K)
            X = np.sqrt(np.maximum(diagonal[:, None] + diagonal - 2 * K, 0))
            metric = "precomputed"
        elif metric == "precomputed":
            raise ValueError(
                "metric='precomputed' needs the distances between all rows: "
                "fit(X, y, distances=D)"
            )
        return neighbour_graph(X, self.n_neighbors, metric, self.graph)

    def _best(self, f: Array) -> Array:
        return (f[:, 0] > 0).astype(int) if f.shape[1] == 1 else np.argmax(f, axis=1)

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self, "dual_coef_")
        X = self._check_new(X)
        m = X.shape[1] if self._given() else X.shape[0]
        f = np.tile(self.intercept_, (m, 1))
        for j in np.flatnonzero(self.weights_):
            f += self._cross(X, int(j)) @ self.dual_coef_[j]
        return f

    def decision_function(self, X: Any) -> Array:
        """Two classes: positive for `classes_[1]`, (m,). More: scores (m, k)."""
        f = self._scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    def predict(self, X: Any) -> Array:
        """The class with the largest score."""
        return self.classes_[self._best(self._scores(X))]


def _labels(y: Any) -> tuple[Array, Array]:
    """Labels as an array, and which rows have none."""
    y = np.asarray(y) if not _has_none(y) else np.array(list(y), dtype=object)
    y = column_or_1d(y, warn=True)
    if y.dtype == object:
        return y, np.array([v is None or v == UNLABELLED for v in y], dtype=bool)
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError("y contains NaN or infinity: mark unlabelled rows by -1")
    return y, y == UNLABELLED if y.dtype.kind in "iuf" else np.zeros(len(y), dtype=bool)


def _has_none(y: Any) -> bool:
    return hasattr(y, "__iter__") and any(v is None for v in y)
