"""Discriminant analysis with one kernel."""

from __future__ import annotations

from typing import Any, Literal

from ..inputs.matrices import is_given
from ..kernels import RBF
from ..weights import Fixed, Simplex
from .discriminant import MKLDiscriminantAnalysis


class KernelDiscriminantAnalysis(MKLDiscriminantAnalysis):
    """Regularised discriminant analysis with one kernel: classifier and transformer.

    Parameters
    ----------
    kernel : kernel or "precomputed", default RBF()
        "precomputed": X is a Gram matrix, (n, n) in `fit` and (m, n) afterwards.
    alpha : float or "learn"
        Regularisation; "learn" learns it as `MKLDiscriminantAnalysis` does.
    scatter : {"total", "within"}
    normalize : {"variance", "trace", "spherical", None}
    center : bool
    class_weight, priors, n_components, store_covariance
        As in `MKLDiscriminantAnalysis`.

    Attributes
    ----------
    dual_coef_, intercept_, classes_, priors_, means_, covariance_, n_features_in_
        As in `MKLDiscriminantAnalysis`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import KernelDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> Z = KernelDiscriminantAnalysis().fit_transform(X, y)
    >>> Z.shape
    (150, 2)
    """

    solver = None
    tol = 1e-6
    max_iter = 100
    verbose = 0
    multiclass_sdp = "exact"
    weights_per_target = False
    _doubt = "The coefficients may be off by as much; "

    def __init__(
        self,
        kernel=None,
        alpha: float | Literal["learn"] = 1.0,
        scatter="total",
        normalize: str | None = "variance",
        center=True,
        class_weight=None,
        priors=None,
        n_components=None,
        store_covariance=False,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.scatter = scatter
        self.normalize = normalize
        self.center = center
        self.class_weight = class_weight
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance

    @property
    def weights(self) -> Any:
        """One kernel has nothing to learn but, perhaps, alpha beside it."""
        return Simplex() if isinstance(self.alpha, str) else Fixed([1.0])

    @property
    def kernels(self) -> Any:
        if isinstance(self.kernel, str):
            return self.kernel
        return [RBF() if self.kernel is None else self.kernel]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_given(self)
        tags.input_tags.three_d_array = False
        return tags
