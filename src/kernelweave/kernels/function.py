"""A kernel that is a function of two tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..problem import Array
from .base import Kernel


@dataclass(eq=False, repr=False)
class FunctionKernel(Kernel):
    """k(X, Z) by a function, as scikit-learn's `SVC(kernel=function)` takes one.

    A function in the list `kernels` of an estimator is taken for this. The matrix of
    the training rows is checked; a model file cannot hold functions: for that, define
    a kernel class with `compare`.

    Parameters
    ----------
    function : callable
        From rows X (m, d) and Z (n, d) to k (m, n).
    columns, name, scale, missing
        See `Kernel`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import MKLRidge
    >>> X = np.arange(6.0)[:, None]
    >>> model = MKLRidge([lambda X, Z: (X @ Z.T + 1) ** 2]).fit(X, X[:, 0])
    >>> len(model.predict([[6.0]]))
    1
    """

    function: Callable[[Any, Any], Any]
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    def compare(self, X: Any, Y: Any) -> Array:
        K = self.function(X, Y)
        K = np.asarray(K.toarray() if issparse(K) else K, dtype=float)
        if K.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"kernel {self.label!r}: the function must give one number for every "
                f"pair of rows, ({X.shape[0]}, {Y.shape[0]}), and gave shape {K.shape}"
            )
        return K

    @property
    def label(self) -> str:
        if self.name is not None:
            return str(self.name)
        return getattr(self.function, "__name__", repr(self.function))


def as_kernels(listed: Iterable[Any]) -> list[Kernel]:
    """Kernels of a list in which functions stand for themselves."""
    return [k if isinstance(k, Kernel) else FunctionKernel(k) for k in listed]
