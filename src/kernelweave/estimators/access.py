"""What other folders may ask of an estimator beyond its public methods."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..kernels import Kernel
from .base import KernelEstimator
from .parameters import checked_kernels


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
    if estimator.kernels is not None:
        checked_kernels(estimator.kernels)
    return estimator._kernel_list()
