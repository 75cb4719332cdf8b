"""Sums over the samples at risk, compiled; samples are sorted by time.

λ_i is the weight of sample i in the weighted mean of itself and the later ones, and
rest_i = 1 − λ_i.
"""

from __future__ import annotations

import numpy as np

from ..compiled import compiled
from ..problem import Array


@compiled()
def expect(share, rest, jumps):
    """m: how many events the model expects of every sample, Σm = Σ jumps.

    At every time the events are shared out among those at risk in the proportion of
    their weights: what reaches a sample it keeps by λ and hands on by 1 − λ.
    """
    m = np.empty(len(share))
    flow = 0.0
    for i in range(len(share)):
        flow += jumps[i]
        m[i] = flow * share[i]
        flow *= rest[i]
    return m


def _contrast(X: Array, rows: Array, rho: Array, share: Array, out: Array) -> None:
    mean = np.zeros(X.shape[1])
    for at in range(len(rows) - 1, -1, -1):
        off = X[rows[at]] - mean
        out[rows[at]] = rho[at] * off
        mean += share[at] * off


@compiled(_contrast)
def contrast(X, rows, rho, share, out):
    """ρ_i(x_i − mean of the later x) to the rows of `out`, column by column."""
    mean = np.zeros(X.shape[1])
    for at in range(len(rows) - 1, -1, -1):
        i = rows[at]
        off = X[i] - mean
        out[i] = rho[at] * off
        mean += share[at] * off


def _contrast_transposed(
    X: Array, rows: Array, rho: Array, share: Array, rest: Array, out: Array
) -> None:
    carried = np.zeros(X.shape[1])
    for at in range(len(rows)):
        own = rho[at] * X[rows[at]]
        out[rows[at]] = own - share[at] * carried
        carried = rest[at] * carried + own


@compiled(_contrast_transposed)
def contrast_transposed(X, rows, rho, share, rest, out):
    """The transposed map: what the earlier samples take off the mean of the later."""
    carried = np.zeros(X.shape[1])
    for at in range(len(rows)):
        i = rows[at]
        own = rho[at] * X[i]
        out[i] = own - share[at] * carried
        carried = rest[at] * carried + own
