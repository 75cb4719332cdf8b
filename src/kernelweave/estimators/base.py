"""What the estimators share: from tables to a Gram stack, and to a solution."""

from __future__ import annotations

import sys
import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import elsewhere, filled, host, like, namespace, on_host
from ..checks import finite_squares
from ..fitted import expand
from ..grams import DenseStack, GramStack, LazyStack, MappedStack, Stack, WithIdentity
from ..grams.check import check_entries, make_definite
from ..grams.mapped import too_large
from ..grams.normalise import Statistics, normalise
from ..grams.tiles import cheap
from ..kernels import DEFINITE, Kernel, default_kernels
from ..problem import Array, Loss, Named, Problem, WeightSet
from ..solve import Solution, solve
from ..stacklevel import outside
from ..targets import check_targets
from ..threads import blas_threads
from ..weights import Simplex
from .elsewhere import at_home
from .entrance import (
    check_new,
    check_training_table,
    own,
    scoring_views,
    takes_missing,
    with_views,
)
from .fitting import warn_if_unproved, whole
from .given import is_given, square_stack
from .notebook import NotebookRepr
from .parameters import checked_kernels

# A mean of a kernel this many times its variance loses as many of its digits.
MUCH = 1e6


class KernelEstimator(NotebookRepr):
    """Gram matrices of the training rows, of new rows, and the call of `solve`.

    Subclasses define the parameters kernels, weights, solver, normalize, center, tol,
    max_iter and verbose.
    """

    kernels: Any
    weights: Any
    solver: Any
    normalize: Any
    center: bool
    tol: float
    max_iter: int
    verbose: int

    weights_: Array
    solution_: Any

    # Number of training rows.
    _n: int

    # What slow convergence means, and what to do about it.
    _doubt = "The weights may be off by as much; raise max_iter or tol, or "
    _softer: str

    # Whether arrays of PyTorch, CuPy and others will do.
    _anywhere = False

    # Whether the dual coefficients add up to zero, centred or not.
    _balanced = False

    # What parameters may be, where estimators differ: see `check_parameters`.
    _checks: ClassVar[dict[str, Any]] = {}

    # Bytes of Gram matrices that are stored; more are computed whenever they are used.
    _store = 2**25

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        for name in {"fit", "_fit_chunks", "_partial_fit"} & set(vars(cls)):
            setattr(cls, name, whole(vars(cls)[name]))
        if "fit" in vars(cls):
            cls.fit = with_views(vars(cls)["fit"])
        if hasattr(cls, "score") and not hasattr(cls.score, "takes_views"):
            cls.score = scoring_views(cls.score)

    def _grams(self, X: Any, table: Any) -> Stack:
        """Fit the kernels; their Gram matrices, centred and scaled.

        X is the validated table, or the given Gram matrices; `table` is what the user
        passed, whose names and types choose columns.
        """
        with blas_threads(self._n):
            self._fit_kernels(X, table)
            size = 8 * len(self.kernel_names_) * self._n**2
            if not self._given() and size > self._store:
                how = self.normalize, self.center
                gram = None
                if cheap(self.kernels_, X) or elsewhere(X):
                    gram = LazyStack(self.kernels_, X, *how, sys.maxsize)
                elif too_large(self.kernels_, self._n):
                    gram = MappedStack(self.kernels_, X, *how)
                if gram is not None:
                    self._statistics = gram.statistics
                    return gram
            return DenseStack(self._matrices(X))

    def _fit_kernels(self, X: Any, table: Any) -> None:
        """Set the kernels, if there are any, and their names."""
        if self._given():
            self._rows = None
            names = [f"kernel {j}" for j in range(X.shape[0])]
        else:
            self._rows = own(X, table)
            table = table if hasattr(table, "columns") else X
            names = self._fitted_kernels(self._rows, table)
        self.kernel_names_ = np.array(names, dtype=object)

    def _fitted_kernels(self, X: Any, table: Any) -> list[str]:
        """Set the kernels, fitted to the rows of X; their names."""
        kernels = [clone(kernel) for kernel in self._kernel_list()]
        centred = self._origin_free()
        self.kernels_ = [kernel.fit(X, table, centred) for kernel in kernels]
        return [kernel.label for kernel in self.kernels_]

    def _origin_free(self) -> bool:
        """Whether predictions are the same for xᵀz about any origin.

        PKP is: so are its trace and, where Σa = 0, K(θ)a up to a constant.
        """
        if self.normalize == "spherical":
            return False
        return self.center or (self._balanced and self.normalize != "trace")

    def _matrices(self, X: Any) -> Array:
        """The Gram matrices of the fitted kernels, or the given ones, (p, n, n)."""
        if self._given():
            stack = namespace(X).asarray(like(X, X), copy=True)
            labels = [str(j) for j in range(X.shape[0])]
            present = [None] * X.shape[0]
        else:
            stack = filled((len(self.kernels_), self._n, self._n), X)
            present = [kernel.n_present_ for kernel in self.kernels_]
            labels = [f"{j} ({k.label!r})" for j, k in enumerate(self.kernels_)]
            for j, kernel in enumerate(self.kernels_):
                stack[j, ...] = kernel(X)
        self._statistics: list[Statistics] = []
        for j, label in enumerate(labels):
            K = stack[j, ...]
            known = not self._given() and type(self.kernels_[j]) in DEFINITE
            if not known:
                check_entries(K, label)
            statistics = normalise(K, self.normalize, self.center, present[j])
            # Of a known kernel only what is left of a large mean can be rounding.
            if not known or statistics.scale * abs(statistics.mean) > MUCH:
                make_definite(K, statistics, label)
            self._statistics.append(statistics)
        return stack

    def _solve(
        self, stack: Stack, loss: Loss, identity: bool = False, solver: Any = None
    ) -> Solution:
        """Learn the weights, and set them; `identity` joins the stack as kernel 0.

        Its weight, in units of the identity matrix, becomes `_ridge`. `solver` takes
        the place of that of the parameters.
        """
        keep = self._kept()
        weights = self._restricted(keep)
        gram: GramStack = stack.subset(keep)
        self._check_scale(loss, gram, weights.start(gram.p))
        if identity:
            unit = 1 / self._n if self.normalize == "trace" else 1.0
            gram = WithIdentity(gram, unit)
        solution = solve(
            Problem(gram, at_home(loss, stack), weights),
            self.solver if solver is None else solver,
            self.tol,
            max_iter=self.max_iter,
            verbose=self.verbose,
        )
        remedy = self._doubt + self._softer
        warn_if_unproved(type(self).__name__, solution, self.tol, self._softer, remedy)
        theta = solution.weights
        self._ridge = 0.0
        if isinstance(gram, WithIdentity):
            self._ridge = gram.scale * float(theta[0])
            theta = theta[1:]
        self.weights_ = np.zeros(len(keep))
        self.weights_[keep] = theta
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        return solution

    def _weight_set(self) -> Any:
        return Simplex() if self.weights is None else self.weights

    def _restricted(self, keep: Array) -> WeightSet:
        """The set of weights for the kernels in the mask `keep` of all."""
        weights = self._weight_set()
        if isinstance(weights, Named):
            weights = weights.named(self.kernel_names_.tolist())
        return weights.restrict(keep)

    def _check_scale(self, loss: Loss, gram: GramStack, theta: Array) -> None:
        """Warn if the regularisation makes no sense for the scale of the kernels."""

    def _kept(self) -> Array:
        """Mask (p,) of the kernels that are not zero or constant on training rows."""
        keep = np.array([s.scale > 0 for s in self._statistics])
        if not keep.any():
            raise ValueError(
                "every kernel is zero or constant on the training rows, so there is "
                "nothing to learn from: check the columns of the kernels, or scale "
                "them (scale=True) if their mean is 1e5 times their spread"
            )
        if not keep.all():
            left_out = ", ".join(map(repr, self.kernel_names_[~keep]))
            warnings.warn(
                "kernels that are zero or constant on the training rows get weight 0: "
                f"{left_out}",
                UserWarning,
                stacklevel=outside(),
            )
        return keep

    def _expand(self, W: Array, A: Array, bias: Array, balanced: bool = False) -> None:
        """Keep what predicts: f = Σ_j K̃_j(A∘W_j) + b.

        A (n, k), or (p, n, k), is of training rows; W (p,) or (k, p) the weights;
        `balanced`: whether 1ᵀA = 0, so that the zeros of A stay zeros.
        """
        W = np.atleast_2d(W)
        active = np.flatnonzero(W.any(axis=0)).tolist()
        by_kernel = A.ndim == 3
        coefficients = (
            (j, (A[j, ...] if by_kernel else A) * like(W[:, j], A)) for j in active
        )
        kernels = None if self._given() else self.kernels_
        self._expansion = expand(
            kernels, self._rows, self._statistics, coefficients, bias, balanced=balanced
        )
        del self._rows, self._statistics

    def _scores(self, X: Any) -> Array:
        """f (m, k) of new rows."""
        check_is_fitted(self, "_expansion")
        return self._expansion(check_new(self, X))

    def _check_train(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Validate X and y; a stack of Gram matrices comes back as (p, n, n)."""
        check_targets(y, is_classifier(self))
        options = (
            {"multi_output": True, "y_numeric": True} if is_regressor(self) else {}
        )
        if not self._given():
            X, y = check_training_table(self, X, y, **options)
        else:
            X = square_stack(X)
            n = X.shape[1]
            y = host(y) if elsewhere(X) else y
            _, y = validate_data(self, np.zeros((n, 1)), y, reset=True, **options)
            self.n_features_in_ = n
        if is_regressor(self):
            finite_squares("y", y)
        self._n = len(y)
        return X, y

    @property
    def n_samples_fit_(self) -> int:
        """The number of training rows."""
        return self._n

    def to_numpy(self) -> KernelEstimator:
        """The fitted model with arrays of NumPy: to save it, or for new rows there.

        Examples
        --------
        `MKLRidge().fit(torch.asarray(X, device="cuda"), y).to_numpy().predict(X)`
        """
        return on_host(self)

    def _given(self) -> bool:
        """Whether X is not a table but ready-made Gram matrices."""
        return is_given(self)

    def _kernel_list(self) -> list[Kernel]:
        if self.kernels is None:
            return getattr(self, "_view_kernels", None) or default_kernels()
        return checked_kernels(self.kernels)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_missing(self.kernels)
        tags.input_tags.sparse = not (self._given() or tags.input_tags.allow_nan)
        tags.input_tags.three_d_array = self._given()
        tags.array_api_support = self._anywhere
        return tags
