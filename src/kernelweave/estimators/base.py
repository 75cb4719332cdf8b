"""What the estimators share: parameters, Gram matrices, and f of new rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..arrays import namespace, on_host
from ..fitted.grams import GramData
from ..fitted.model import FittedModel
from ..fitted.represent import represent
from ..fitted.weighing import weigh
from ..inputs.rows import Rows
from ..kernels import Kernel, default_kernels
from ..problem import Array
from ..solution import Solution
from .joining import joining
from .keeping import CoefOfLinear
from .nested_parameters import nested, set_nested
from .notebook import beside


class KernelEstimator(BaseEstimator):
    """From training rows to their Gram matrices, and from new rows to f.

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
    # Set by fits with linear kernels; else it says that it needs them.
    coef_: Any = CoefOfLinear()

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

    # Whether y are classes (true), numbers (false), or nothing.
    _classes: bool | None = None

    # Whether arrays of PyTorch, CuPy and others will do.
    _anywhere = False
    # The kernels of a table where none are given.
    _family = staticmethod(default_kernels)
    # Whether the dual coefficients add up to zero, centred or not.
    _balanced = False
    # Whether widths of kernels are learned where they say "learn".
    _learns_widths = False
    # What parameters may be, where estimators differ: see `all_or_nothing`.
    _checks: ClassVar[dict[str, Any]] = {}

    # Bytes of Gram matrices that are stored; more are computed whenever they are used.
    _store = 2**25

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        # scikit-learn's scores compare row by row; several tables are joined by index.
        if hasattr(cls, "score") and not hasattr(cls.score, "joins_tables"):
            cls.score = joining(cls.score)

    def _represent(self, rows: Rows, store: int | None = None) -> GramData:
        """The Gram matrices of the training rows; at most `store` bytes are stored.

        Their kernels are those of the parameters, or those that suit several tables;
        none for ready-made matrices.
        """
        kernels = self.kernels if rows.kernels is None else rows.kernels
        data = represent(
            rows,
            self._family() if kernels is None else kernels,
            self.normalize,
            self.center,
            self._origin_free(),
            self._store if store is None else store,
            self._learns_widths,
        )
        if rows.weights is None:
            return data
        return weigh(data, rows.weights, self.normalize)

    def _origin_free(self) -> bool:
        """Whether predictions are the same for xᵀz about any origin.

        PKP is: so are its trace and, where Σa = 0, K(θ)a up to a constant.
        """
        if self.normalize == "spherical":
            return False
        return self.center or (self._balanced and self.normalize != "trace")

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
