"""Kernel ridge regression with several kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from ..checks import positive_each
from ..fitted import features
from ..fitted.features import FeatureData, TrainingData
from ..frames import is_dask
from ..inputs.rows import as_rows
from ..problem import Array
from ..streamed.blockwise import by_blocks
from ..streamed.sample import RowSample
from ..streamed.targets import Outputs
from ..threads import blas_threads
from .base import KernelEstimator
from .fitting import all_or_nothing
from .joining import joining
from .keeping import keep_prediction
from .learning import learn_ridge, square_loss
from .several_targets import learn_apart, ridge_of_targets, square_by_target
from .split_scores import r2_by_kernel, r2_by_target
from .square_sums import SquareSums
from .streaming import adding, count_chunk, fit_dask, grams_or_sums
from .weighing import weigh_rows


class MKLRidge(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Ridge regression that learns how to combine several kernels.

    Minimises over the weights θ, Σθ_j = 1, and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + ‖y − f − b‖²/(2α);

    several outputs share one set of weights, unless `weights_per_target`. With one
    kernel, `normalize=None` and `center=False` it is scikit-learn's KernelRidge.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLDiscriminantAnalysis`.
    alpha : float, "learn" or array-like (n_outputs,)
        As in `MKLDiscriminantAnalysis`; or one number for every output.
    weights_per_target : bool
        Whether each of several outputs has weights of its own: one problem each.

    Attributes
    ----------
    weights_ : ndarray (p,), or (n_outputs, p) with `weights_per_target`
    dual_coef_ : ndarray (n,) or (n, n_outputs)
        Not there if the kernels have features and 2D < n; then:
    coef_ : ndarray (D,) or (D, n_outputs)
        Beside `dual_coef_`, where all kernels are `Linear`, (d,) or (n_outputs, d):
        predictions are `X @ coef_.T + intercept_`.
    intercept_ : float or ndarray (n_outputs,)
    alpha_ : float or ndarray (n_outputs,)
    approximation_error_, kernel_names_, solution_, n_iter_, n_features_in_,
    row_weights_
        As in `MKLDiscriminantAnalysis`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLRidge(alpha=1.0).fit(X, y)
    >>> bool(model.solution_.certificate.relative_gap < 1e-6)
    True
    """

    _anywhere = True
    _classes = False
    _softer = "increase alpha"
    _streaming = SquareSums()
    _checks: ClassVar[dict[str, Any]] = {"alpha": positive_each}

    alpha_: Any

    def __init__(
        self,
        kernels=None,
        weights=None,
        alpha: float | Literal["learn"] | Sequence[float] | Array = 1.0,
        weights_per_target=False,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-6,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.alpha = alpha
        self.weights_per_target = weights_per_target
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the coefficients.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Also a Dask array or DataFrame, if the kernels have features; or an array
            of PyTorch or CuPy, which is learned from where it is.
        y : array-like (n,) or (n, n_outputs)
            Of Dask's, if X is.
        sample_weight : array-like (n,), optional
            A sample of weight 2 counts as two, one of weight 0 not at all.
        """
        if is_dask(X, y):
            return fit_dask(self, X, y, sample_weight)
        return self._fit_data(*self._begin(X, y, sample_weight))

    @adding
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn from these rows and from those of the calls before.

        For kernels with features (`Nystroem`, `RandomFourier`, `Linear`): only sums
        over the rows are kept. The first call chooses landmarks and widths, so its
        rows should be like the others; the kernels cannot change afterwards. `fit`
        keeps no sums, so a model that it fitted learns no more. On an error the model
        stays as it was.

        Parameters
        ----------
        X : array-like or sparse (m, d)
        y : array-like (m,) or (m, n_outputs)
        """
        return self._fit_data(count_chunk(self, X, y, None))

    def _begin(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[TrainingData, Array]:
        """The training rows, and the targets."""
        rows = as_rows(self, X, y, classes=False, anywhere=self._anywhere)
        if sample_weight is not None:
            rows = weigh_rows(self, rows, sample_weight)
        few = rows.n <= features.MANY
        return self._represent(rows) if few else grams_or_sums(self, rows), rows.y

    def _fit_data(self, data: TrainingData, y: Any = None, chosen: Any = None) -> Self:
        """Learn from rows; those that are known by sums have their targets there.

        `chosen`: the weight set and λ that were chosen, else those of the parameters.
        """
        weights, alpha = (None, self.alpha) if chosen is None else chosen
        sums = isinstance(data, FeatureData)
        H = data.reduced.H if sums else columns_of_targets(y)
        lam = ridge_of_targets(alpha, data, H)
        with blas_threads(data.stack.n):
            if self.weights_per_target:
                A, bias = self._learn_targets(data, H, lam)
            else:
                one_lam = isinstance(lam, float)
                make: Any = square_loss if one_lam else square_by_target
                loss = make(data, H, lam)
                solution, self.alpha_ = learn_ridge(self, data, lam, loss, weights)
                A, bias = solution.A, solution.bias
            found = data.coefficients(self.weights_, A, bias)
        coef, intercept = found.coef, found.intercept
        if sums:
            targets: Any = data.sums.targets
            one = targets.one
            self.coef_ = coef[:, 0] if one else coef
            self.approximation_error_ = data.errors
        else:
            one = np.ndim(y) == 1
            self.dual_coef_ = coef[:, 0] if one else coef
        self.intercept_ = float(intercept[0]) if one else intercept
        keep_prediction(self, data, found, one, flat=one)
        return self

    def _learn_targets(
        self, data: TrainingData, H: Array, lam: float | Array
    ) -> tuple[Array, Array]:
        """Learn weights for every target alone; A (n, k) and the biases (k,)."""
        if isinstance(data, FeatureData):
            raise ValueError(
                "weights_per_target=True compares all pairs of rows, and the kernels "
                "here have features whose sums are kept instead: fit one model a target"
            )
        lams: list[float] = []
        given = np.broadcast_to(lam, H.shape[1])

        def learn(c: int) -> Any:
            one = float(given[c])
            loss = square_loss(data, H[:, c : c + 1], one)
            solution, found = learn_ridge(self, data, one, loss)
            lams.append(found)
            return solution

        A, bias, _ = learn_apart(self, learn, H.shape[1])
        self.alpha_ = lam if np.ndim(lam) == 0 and lam != 0 else np.array(lams)
        return A, bias

    def _sums_do(self) -> bool:
        return True

    def _sum_targets(self, sample: RowSample) -> Outputs:
        return Outputs(one=np.ndim(sample.y) == 1)

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Predicted targets, (m,) or (m, n_outputs)."""
        f = self._scores(X)
        return f[:, 0] if self._fitted.head else f

    @joining
    def score_per_target(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """R² of every target, (n_outputs,); `score` is their mean.

        Parameters
        ----------
        X : array-like or sparse (m, d), or Gram matrices (p, m, n)
        y : array-like (m,) or (m, n_outputs)
        sample_weight : array-like (m,), optional
        """
        return r2_by_target(y, self.predict(X), sample_weight)

    @joining
    def score_per_kernel(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """What each kernel has in R², (p,) or (p, n_outputs): see `contributions`.

            R²_j = ⟨c_j − c̄_j, 2(y − ȳ) − (f − f̄)⟩/‖y − ȳ‖²

        with c_j what kernel j adds to the predictions f. They add up to R², but for
        what predictions lose that are too high or too low on average.

        Parameters
        ----------
        X, y, sample_weight
            As in `score_per_target`.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from kernelweave import MKLRidge
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = MKLRidge().fit(X[:300], y[:300])
        >>> parts = model.score_per_kernel(X[300:], y[300:])
        >>> bool(abs(parts.sum() - model.score(X[300:], y[300:])) < 0.01)
        True
        """
        parts = r2_by_kernel(y, self.predict(X), self.contributions(X), sample_weight)
        return parts[:, 0] if self._fitted.head else parts


def columns_of_targets(y: Array) -> Array:
    """Targets (n,) or (n, k) as numbers (n, k)."""
    return np.asarray(y, dtype=float).reshape(len(y), -1)
