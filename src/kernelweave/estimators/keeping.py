"""What a fit keeps to predict, and f(x) = xᵀw + b where every kernel is linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import is_foreign
from ..fitted.expansion import KernelExpansion
from ..fitted.model import Coefficients, FittedModel
from ..kernels import Linear
from ..problem import Array


class CoefOfLinear:
    """coef_ of a model that has none: an AttributeError that says why.

    It has no `__set__`, so that the coef_ that a fit sets come before it.
    """

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None or "_fitted" not in vars(model):
            raise AttributeError(f"{owner.__name__!r} object has no attribute 'coef_'")
        kernels = vars(model).get("kernels_")
        if kernels is None:
            kinds = "those of ready-made matrices"
        else:
            kinds = ", ".join(dict.fromkeys(type(k).__name__ for k in kernels))
        what = (
            f"{owner.__name__!r} object has no attribute 'coef_': that needs a linear "
            "kernel, or several and no others; "
        )
        if kinds == Linear.__name__:
            # `linear_coef`, and a machine without support vectors.
            raise AttributeError(
                f"{what}Linear is not so with scale='rank', missing values that are "
                "filled in, or normalize='spherical', and f has no kernel without a "
                "support vector; arrays must be NumPy's"
            )
        raise AttributeError(
            f"{what}the kernels here are {kinds}; contributions(X) says what each "
            "kernel adds to f"
        )


def keep_prediction(
    model: Any, data: Any, found: Coefficients, head: Any = None, flat: bool = False
) -> None:
    """Keep what predicts: f, and the head, which makes classes or numbers of it.

    Sets what is known of the rows and kernels, n_samples_fit_, kernel_names_ and
    kernels_, and, where f is linear in the columns, coef_ (k, d) and intercept_ (k,);
    `flat`, of one target of a regression, (d,) and a number.
    """
    model.n_samples_fit_ = data.n
    model.kernel_names_ = np.array(data.names, dtype=object)
    if data.kernels is not None:
        model.kernels_ = data.kernels
    model._fitted = FittedModel(data.reader, found.expansion, head)
    terms = getattr(found.expansion, "terms", None)
    if terms and all(type(term.kernel) is Linear for term in terms):
        linear = linear_coef(found.expansion, model.n_features_in_)
        if linear is not None:
            w, b = linear
            model.coef_, model.intercept_ = (w[0], float(b[0])) if flat else linear


def linear_coef(expansion: KernelExpansion, width: int) -> tuple[Array, Array] | None:
    """w (k, d) and b (k,) of linear kernels, or None if f is not linear in d columns.

    f(x) = c + Σ_j (x_j − o_j)ᵀZ_jᵀC_j with Z_j the training rows, seen from the origin
    o_j, and x_j the columns of kernel j, divided by their spread if it does so.
    """
    w = np.zeros((width, expansion.constant.shape[0]))
    for term in expansion.terms:
        kernel: Any = term.kernel
        bent = term.spherical or kernel.scale == "rank" or kernel.missing != "error"
        if bent or is_foreign(term.C):
            return None
        columns = np.arange(width) if kernel.columns_ is None else kernel.columns_
        np.add.at(w, columns, kernel.slopes(term.rows, term.C))
    b = expansion(np.zeros((1, width)))[0]
    return w.T, np.asarray(b)
