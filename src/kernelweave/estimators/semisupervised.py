"""Support vector classification of labelled and unlabelled rows together."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from ..fitted.grams import GramData, stored_matrices
from ..grams import DenseStack
from ..grams.deformed import deform
from ..graph import laplacian, neighbour_graph
from ..inputs.matrices import is_given
from ..inputs.rows import as_rows
from ..losses import Hinge, SquaredHinge
from ..problem import Array
from ..solvers import Primal
from ..solvers.tied import Tied, stationary_point
from ..stacklevel import outside
from ..threads import blas_threads
from ..weights import Simplex
from .base import KernelEstimator
from .class_scores import labelled, sign_targets
from .fitting import all_or_nothing
from .keeping import keep_prediction
from .learning import learn, restricted, warn_of_constant
from .partial_labels import refuse_no_points, share_thresholds, split_labels


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
    formulation : {"deformed", "tied"}
        "tied" is the printed problem (18), where all f_j share their coefficients:
        f_j = K_jα√θ_j. It is not convex, and has no certificate: it ends at a point
        where no small change of the weights helps. For the squared hinge, and the
        solver `Primal()`, whose alternation it is.
    gamma_A : float
        Weight of the norm: 1/C of `MKLSVC`.
    gamma_I : float
        Weight of the graph. Zero ignores the unlabelled rows.
    loss : {"squared_hinge", "hinge"}
    n_neighbors : int
        Where there are fewer other rows, all of them, with a warning.
    metric : str or callable
        Of scikit-learn's NearestNeighbors, on the columns of X; "kernels" is the
        distance in the feature space of the average; "precomputed" takes those that
        `fit` is given, such as `graph.tangent_distance(X)`.
    graph : {"binary", "heat"}
        Weights of the edges.
    normalized : bool
        Whether the Laplacian is.
    balance : bool
        Move the thresholds so that the classes have the same shares of the unlabelled
        rows as of the labelled ones. For few labels that were drawn in proportion: of
        the intercept they tell little.

    Attributes
    ----------
    transduction_ : ndarray (n,)
        The class of every training row: as given, or predicted.
    weights_ : ndarray (p,)
    kernel_names_ : ndarray of str (p,)
    solution_ : Solution, or TiedSolution
        `solution_.certificate.relative_gap`, `.status`, `.trace`. The tied form has
        `.objective` and `.slope`, and None for a certificate.
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
    Ten labelled rows of 200:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from kernelweave import MKLSVC, LaplacianMKLSVC
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> some = np.where(np.arange(200) < 10, y, -1)
    >>> float(np.mean(LaplacianMKLSVC().fit(X, some).transduction_ == y))
    1.0
    >>> MKLSVC().fit(X[:10], y[:10]).score(X, y)
    0.755
    """

    _softer = "increase gamma_A"
    _classes = True

    def __init__(
        self,
        kernels=None,
        weights=None,
        formulation="deformed",
        gamma_A=0.1,
        gamma_I=1.0,
        loss="squared_hinge",
        n_neighbors=10,
        metric="euclidean",
        graph="binary",
        normalized=True,
        balance=False,
        solver=None,
        normalize: str | None = "variance",
        center=False,
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.formulation = formulation
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.loss = loss
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.graph = graph
        self.normalized = normalized
        self.balance = balance
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any, distances: Any = None) -> Self:
        """Learn from labelled and unlabelled rows.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`.
        y : array-like (n,)
            Class labels; −1, None, NaN or pandas.NA for unlabelled rows.
        distances : array-like (n, n), optional
            Between all rows, for `metric="precomputed"`. By default, and with given
            Gram matrices, those in the feature space of their average.
        """
        if self.formulation == "tied":
            self._check_tied()
        y, unlabelled = split_labels(y)
        read = as_rows(self, X, np.zeros(len(y)))
        rows = np.flatnonzero(~unlabelled)
        given = np.array(y[rows].tolist())
        check_classification_targets(given)
        self.classes_, labels = np.unique(given, return_inverse=True)
        k = len(self.classes_)
        if k < 2:
            what = "no class" if k == 0 else f"one class only ({self.classes_[0]})"
            raise ValueError(
                f"the labelled rows have {what}; label at least one row of each of "
                "two classes (-1 and NaN mark unlabelled rows, and are no class)"
            )
        # The graph, and the deformation by it, need the matrices.
        data = self._represent(read, store=sys.maxsize)
        stack = stored_matrices(data)
        with blas_threads(len(y)):
            L = laplacian(self._neighbours(read.X, stack, distances), self.normalized)
        fit = self._fit_tied if self.formulation == "tied" else self._fit_deformed
        fit(data, L, rows, sign_targets(labels, k))
        f = np.einsum("jmn,jnk->mk", stack, self.dual_coef_) + self.intercept_
        if self.balance and unlabelled.any():
            offset = share_thresholds(f[unlabelled], labels, k)
            f, self.intercept_ = f - offset, self.intercept_ - offset
        found = data.coefficients(np.ones(len(stack)), self.dual_coef_, self.intercept_)
        keep_prediction(self, data, found)
        self.transduction_ = labelled(self.classes_, f)
        self.transduction_[rows] = self.classes_[labels]
        return self

    def _fit_deformed(self, data: GramData, L: Any, rows: Array, Y: Array) -> None:
        with blas_threads(data.n):
            ratio = float(self.gamma_I) / float(self.gamma_A)
            deformed = [deform(K, L, ratio, rows) for K in stored_matrices(data)]
        reduced = DenseStack(np.stack([d.gram for d in deformed]))
        make = Hinge if self.loss == "hinge" else SquaredHinge
        loss = make(Y, 1 / float(self.gamma_A))
        solution, _ = learn(self, replace(data, stack=reduced), loss)
        transfer = np.stack([d.transfer for d in deformed])
        self.dual_coef_ = self.weights_[:, None, None] * (transfer @ solution.A)
        self.intercept_ = solution.bias

    def _fit_tied(self, data: GramData, L: Any, rows: Array, Y: Array) -> None:
        keep, stack = data.alive, stored_matrices(data)
        if not keep.all():
            warn_of_constant(data)
            stack = stack[keep]
        ratio = float(self.gamma_I) / float(self.gamma_A)
        loss = SquaredHinge(Y, 1 / float(self.gamma_A))
        truncated = self.solver is None or self.solver.truncated
        weights = restricted(self.weights or Simplex(), data.names, keep)
        with blas_threads(stack.shape[1]):
            tied = Tied(stack, L, ratio, rows, loss, truncated)
            solution = stationary_point(
                tied, weights, self.tol, self.max_iter, self.verbose
            )
        if not solution.converged:
            warnings.warn(
                f"the tied form stopped at a relative slope of "
                f"{solution.slope / solution.objective:.1e}, not the tol of "
                f"{self.tol:.1e}: {solution.status.value}; raise max_iter or tol, or "
                f"{self._softer}",
                ConvergenceWarning,
                stacklevel=outside(),
            )
        self.weights_ = np.zeros(len(keep))
        self.weights_[keep] = solution.weights
        self.solution_, self.n_iter_ = solution, solution.n_iter
        self.dual_coef_ = self.weights_[:, None, None] * solution.A
        self.intercept_ = solution.bias

    def _check_tied(self) -> None:
        if self.loss != "squared_hinge":
            raise ValueError(
                "formulation='tied' is for loss='squared_hinge', got "
                f"{self.loss!r}; use formulation='deformed'"
            )
        if not (self.solver is None or isinstance(self.solver, Primal)):
            raise ValueError(
                "formulation='tied' is solved by Primal() only, got "
                f"{self.solver!r}; use formulation='deformed'"
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
        elif is_given(self) or metric == "kernels":
            K = np.mean(stack, axis=0)
            diagonal = np.diag(K)
            X = np.sqrt(np.maximum(diagonal[:, None] + diagonal - 2 * K, 0))
            metric = "precomputed"
        elif metric == "precomputed":
            raise ValueError(
                "metric='precomputed' needs the distances between all rows: "
                "fit(X, y, distances=D)"
            )
        else:
            refuse_no_points(X, self.metric)
        most = stack.shape[1] - 1
        if self.n_neighbors > most:
            warnings.warn(
                f"n_neighbors={self.n_neighbors} is more than the {most} other rows: "
                "every row is a neighbour of every other",
                UserWarning,
                stacklevel=outside(),
            )
        neighbours = min(self.n_neighbors, most)
        return neighbour_graph(X, neighbours, metric, self.graph)

    def decision_function(self, X: Any) -> Array:
        """Two classes: positive for `classes_[1]`, (m,). More: scores (m, k)."""
        f = self._scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    def predict(self, X: Any) -> Array:
        """The class with the largest score."""
        f = self._scores(X)
        return labelled(self.classes_, f)
