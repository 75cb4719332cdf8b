"""What other folders may ask of an estimator beyond its public methods."""

from __future__ import annotations

from typing import Any

from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..kernels import Kernel
from .base import KernelEstimator
from .fitting import checked_kernels
from .likelihood import LikelihoodEstimator


def check_new(model: KernelEstimator, X: Any) -> Any:
    """New rows as the kernels of a fitted estimator take them.

    A table is an array, a sparse matrix or a `MixedTable`; Gram matrices with the
    training rows are one array (p, m, n).

    Examples
    --------
    >>> from kernelweave import MKLRidge
    >>> model = MKLRidge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> check_new(model, [[3], [4]])
    array([[3.],
           [4.]])
    """
    check_is_fitted(model, "_fitted")
    return model._fitted.reader(model, X)


def kernels_of(estimator: Any) -> list[Kernel]:
    """The kernels that an estimator will fit: those given, or its default family.

    Examples
    --------
    >>> from kernelweave import MKLOneClassSVM
    >>> len(kernels_of(MKLOneClassSVM()))
    5
    """
    if estimator.kernels is None:
        return estimator._family()
    return checked_kernels(estimator.kernels)


def chosen_point(model: Any) -> Any:
    """The unfitted estimator of the one norm and alpha that a likelihood has chosen.

    Others come back as unfitted clones.

    Examples
    --------
    >>> from kernelweave import MKLPoissonRegressorCV
    >>> model = MKLPoissonRegressorCV(norms=[2], alphas=[1.0])
    >>> model = model.fit([[0.0], [1.0], [2.0]], [1, 2, 5])
    >>> chosen_point(model).weights.p
    2.0
    """
    parameters = model.get_params(deep=False)
    if not isinstance(model, LikelihoodEstimator) or "norms" not in parameters:
        return clone(model)
    plain = type(model).__mro__[1]()
    names = plain.get_params(deep=False)
    return plain.set_params(
        **{name: getattr(model, name) for name in names if hasattr(model, name)}
    )


def fit_knowing_groups(model: Any, X: Any, y: Any, groups: Any) -> Any:
    """Fit a model, or a Pipeline, which gets the groups if its fit has a use for them.

    What it chooses by left-out samples it then chooses by left-out groups.
    """
    name, core = model.steps[-1] if hasattr(model, "steps") else ("", model)
    if groups is None or not has_fit_parameter(core, "groups"):
        return model.fit(X, y)
    if not name:
        return model.fit(X, y, groups=groups)
    # By the name of the step, whatever else is routed to whom.
    with config_context(enable_metadata_routing=False):
        return model.fit(X, y, **{f"{name}__groups": groups})
