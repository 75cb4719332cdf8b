"""f_{−i}(x_i): what a model says of training rows that it was learned without."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import host, namespace
from ..grams import MappedStack
from ..grams.normalise import is_centred
from ..losses import WeightedSquare
from ..losses.quadratic import left_out_rows
from ..problem import Array
from ..streamed.cross_fit import cross_fitted
from ..streamed.held_out import Predicted
from .features import FeatureData, TrainingData
from .grams import GramData


def left_out(
    data: TrainingData,
    theta: Array,
    H: Array,
    A: Array,
    bias: Array,
    lam: float,
    v: Array | None = None,
    groups: Array | None = None,
) -> tuple[Array, Array] | Predicted:
    """Predictions f_{−i}(x_i) and targets (n, k), by a ridge regression λ on H.

    The samples weigh v (n,), by default what the rows weigh; given weights bring an
    intercept with them. Exact at these θ, of more than 2000 rows half of them (see
    `losses.estimated_diagonal`); but for matrices in files and for sums over features:
    by folds. Of such sums come sums of the predictions. Rows of one of the groups (n,)
    are left out together; sums know of none.
    """
    if isinstance(data, FeatureData):
        return data.held_out()(theta, lam)
    if isinstance(data.stack, MappedStack) and v is None:
        return _by_folds(data, theta, H, lam, groups)
    intercept = data.center or v is not None
    K = data.stack.combine(theta)
    if v is None and data.v is not None:
        v = data.v
        if not intercept and _comes_centred(K):
            # Their centring would tell the targets: an intercept centres again.
            intercept = True
            loss = WeightedSquare(data.home(H), lam, data.home(v), True)
            inner = loss.inner(K)
            A, bias = inner.A, inner.bias
    v = np.ones(data.stack.n) if v is None else v
    v = v if data.host else data.home(v)
    found = left_out_rows(K, lam, A, bias, v, intercept, groups)
    return host(found[0]), host(found[1])


def _by_folds(
    data: GramData, theta: Array, H: Array, lam: float, groups: Array | None
) -> tuple[Array, Array]:
    stack: Any = data.stack
    totals = theta @ stack.quadratic(np.ones((stack.n, 1)))
    centred = not data.center and bool(is_centred(totals, theta @ stack.traces))
    product = partial(stack.product, theta)
    return cross_fitted(product, H, lam, data.center, centred, groups), H


def _comes_centred(K: Array) -> bool:
    """Whether K1 = 0."""
    xp = namespace(K)
    return bool(is_centred(xp.sum(K), xp.linalg.trace(K)))
