"""What the estimators share: parameters, the call of `solve`, and f of new rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..arrays import is_foreign, namespace, on_host
from ..fitted.grams import GramData, represent
from ..fitted.model import Coefficients, FittedModel
from ..fitted.weighing import weigh
from ..grams import GramStack, WithIdentity
from ..inputs.rows import Rows, as_rows
from ..kernels import Kernel, as_kernels, default_kernels
from ..kernels.learned_widths import refuse_widths
from ..problem import Array, Loss, Named, Problem, WeightSet
from ..solve import Solution, solve
from ..stacklevel import outside
from ..weights import Simplex
from .fitting import warn_if_unproved
from .joining import joining
from .linear_coef import linear_coef
from .nested_parameters import nested, set_nested
from .notebook import beside


class KernelEstimator(BaseEstimator):
    """From training rows to a solution, and from new rows to f.

    Subclasses define the parameters kernels, weights, solver, normalize, center, tol,
    max_iter and verbose.

    Attributes
    ----------
    n_samples_fit_ : int
        The number of training rows.
    kernels_ : list of Kernel
        Fitted to the training rows; not there for ready-made Gram matrices.
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
    # Or a tuple of them, where every class or target has one: rare, so not said.
    solution_: Solution | Any
    n_samples_fit_: int
    kernels_: list[Kernel]
    kernel_names_: Array

    _fitted: FittedModel

    # What slow convergence means, and what to do about it.
    _doubt = "The weights may be off by as much; raise max_iter or tol, or "
    _softer: str

    # A notebook's diagram links to the page of the estimator.
    _doc_link_module = "kernelweave"
    _doc_link_template = (
        "https://kernelweave.readthedocs.io/en/stable/api/"
        "kernelweave.{estimator_name}.html"
    )

    # Whether y are classes (true), numbers (false), or nothing; or labels, (n, q).
    _classes: bool | None = None
    _labels = False

    # Whether arrays of PyTorch, CuPy and others will do.
    _anywhere = False
    # Whether the dual coefficients add up to zero, centred or not.
    _balanced = False
    # Whether widths of kernels are learned where they say "learn".
    _learns_widths = False
    # What parameters may be, where estimators differ: see `check_parameters`.
    _checks: ClassVar[dict[str, Any]] = {}

    # Bytes of Gram matrices that are stored; more are computed whenever they are used.
    _store = 2**25

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        # scikit-learn's scores compare row by row; several tables are joined by index.
        if hasattr(cls, "score") and not hasattr(cls.score, "joins_tables"):
            cls.score = joining(cls.score)

    def _read(self, X: Any, y: Any = "no_validation") -> Rows:
        """Training rows and targets, validated."""
        kind = {"classes": self._classes, "labels": self._labels}
        rows = as_rows(self, X, y, anywhere=self._anywhere, **kind)
        self.n_samples_fit_ = rows.n
        return rows

    def _represent(self, rows: Rows, store: int | None = None) -> GramData:
        """The Gram matrices of the training rows; at most `store` bytes are stored.

        Their kernels are those of the parameters, or those that suit several tables;
        none for ready-made matrices.
        """
        kernels = [] if rows.table is None else rows.kernels or self._kernel_list()
        data = represent(
            rows,
            refuse_widths(kernels, self._learns_widths),
            self.normalize,
            self.center,
            self._origin_free(),
            self._store if store is None else store,
        )
        if rows.weights is None:
            return data
        return weigh(data, rows.weights, self.normalize)

    def _name(self, data: Any) -> None:
        """Set the kernels and their names."""
        self.n_samples_fit_ = data.n
        self.kernel_names_ = np.array(data.names, dtype=object)
        if data.kernels is not None:
            self.kernels_ = data.kernels

    def _origin_free(self) -> bool:
        """Whether predictions are the same for xᵀz about any origin.

        PKP is: so are its trace and, where Σa = 0, K(θ)a up to a constant.
        """
        if self.normalize == "spherical":
            return False
        return self.center or (self._balanced and self.normalize != "trace")

    def _learn(
        self,
        data: Any,
        loss: Loss,
        *,
        identity: bool = False,
        weights: Any = None,
        solver: Any = None,
    ) -> tuple[Solution, float]:
        """Learn the weights, and set them; `identity` joins the stack as kernel 0.

        Its weight, in units of the identity matrix, comes back with the solution.
        `weights` and `solver` take the place of those of the parameters.
        """
        self._name(data)
        keep = self._kept(data)
        weights = self._restricted(keep, weights)
        gram: GramStack = data.stack if keep.all() else data.stack.subset(keep)
        if identity:
            gram = WithIdentity(gram, 1 / data.n if self.normalize == "trace" else 1.0)
        solution = solve(
            Problem(gram, loss if data.host else _moved(loss, data), weights),
            self.solver if solver is None else solver,
            self.tol,
            max_iter=self.max_iter,
            verbose=self.verbose,
        )
        if not solution.converged:
            name, remedy = type(self).__name__, self._doubt + self._softer
            warn_if_unproved(name, solution, self.tol, self._softer, remedy)
        theta, ridge = solution.weights, 0.0
        if isinstance(gram, WithIdentity):
            ridge, theta = gram.scale * float(theta[0]), theta[1:]
        self.weights_ = np.zeros(len(keep))
        self.weights_[keep] = theta
        self.solution_, self.n_iter_ = solution, solution.n_iter
        return solution, ridge

    def _kept(self, data: Any) -> Array:
        """Mask (p,) of the kernels that are not zero or constant on training rows."""
        keep = data.alive
        if not keep.any():
            raise ValueError(
                "every kernel is zero or constant on the training rows, so there is "
                "nothing to learn from: check the columns of the kernels, or scale "
                "them (scale=True) if their mean is 1e5 times their spread"
            )
        if not keep.all():
            left_out = ", ".join(map(repr, np.array(data.names, dtype=object)[~keep]))
            warnings.warn(
                "kernels that are zero or constant on the training rows get weight 0: "
                f"{left_out}",
                UserWarning,
                stacklevel=outside(),
            )
        return keep

    def _restricted(self, keep: Array, weights: Any = None) -> WeightSet:
        """The set of weights, by default that of the parameters, for some kernels.

        `keep` (p,) is their mask.
        """
        weights = self.weights if weights is None else weights
        if weights is None:
            return Simplex()
        if isinstance(weights, Named):
            weights = weights.named(self.kernel_names_.tolist())
        return weights.restrict(keep)

    def _keep(self, data: Any, found: Coefficients, head: Any = None) -> None:
        """Keep what predicts: f, and what makes classes or numbers of it."""
        self._fitted = FittedModel(data.reader, found.expansion, head)
        linear = linear_coef(found.expansion, getattr(self, "n_features_in_", 0))
        if linear is not None:
            self.coef_, self.intercept_ = linear

    def _scores(self, X: Any) -> Array:
        """f (m, k) of new rows."""
        if "_fitted" not in vars(self):
            check_is_fitted(self, "_fitted")
        return self._fitted.expansion(self._fitted.reader(self, X))

    def contributions(self, X: Any) -> Array:
        """What each kernel adds to f of new rows, (m, p), or (m, p, k) of k outputs.

        f is what is predicted: a number, a score, or a projection. Its rest is the
        same for all rows: f(x) = Σ_j contributions_j(x) + constant.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from kernelweave import MKLRidge
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = MKLRidge().fit(X, y)
        >>> rest = model.predict(X[:3]) - model.contributions(X[:3]).sum(axis=1)
        >>> bool(abs(rest - rest.mean()).max() < 1e-6)
        True
        """
        check_is_fitted(self, "_fitted")
        rows, p = self._fitted.reader(self, X), len(self.kernel_names_)
        expansion: Any = self._fitted.expansion
        parts = expansion.parts(rows, p)
        parts = namespace(parts).permute_dims(parts, (1, 0, 2))
        return parts[:, :, 0] if parts.shape[2] == 1 else parts

    def _kernel_list(self) -> list[Kernel]:
        return default_kernels() if self.kernels is None else as_kernels(self.kernels)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        found = super().get_params(deep)
        return found | nested(found.get("kernels")) if deep else found

    def set_params(self, **params: Any) -> Self:
        return super().set_params(**set_nested(self, params))

    def to_numpy(self) -> KernelEstimator:
        """The fitted model with arrays of NumPy: to save it, or for new rows there.

        Examples
        --------
        `MKLRidge().fit(torch.asarray(X, device="cuda"), y).to_numpy().predict(X)`
        """
        return on_host(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kernels = self.kernels
        given = isinstance(kernels, str) and kernels == "precomputed"
        listed = kernels if isinstance(kernels, list | tuple) else [kernels]
        tags.input_tags.allow_nan = any(
            getattr(kernel, "missing", "error") != "error" for kernel in listed
        )
        tags.input_tags.sparse = not (given or tags.input_tags.allow_nan)
        tags.input_tags.three_d_array = given
        tags.array_api_support = self._anywhere
        return tags

    def _repr_html_inner(self) -> str:
        return beside(super()._repr_html_inner(), self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = beside(bundle["text/html"], self)
        return bundle


def require_simplex(parameter: str, weights: Any) -> None:
    """Refuse sets of weights of which the identity cannot be a part."""
    if weights is not None and not (isinstance(weights, Simplex) and weights.r is None):
        raise ValueError(
            f"{parameter}='learn' takes part in the constraint on the weights, which "
            f"must be Simplex(), got {weights!r}"
        )


def _moved(loss: Any, data: Any) -> Any:
    """The loss with its arrays where the Gram matrices are."""
    arrays = {k: v for k, v in vars(loss).items() if isinstance(v, np.ndarray)}
    moved = {name: data.home(value) for name, value in arrays.items()}
    changed = any(is_foreign(value) for value in moved.values())
    return replace(loss, **moved) if changed else loss
