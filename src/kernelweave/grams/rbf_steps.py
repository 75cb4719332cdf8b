"""Exponentials of a tile, in one pass: D holds −‖x − z‖² ≤ 0, up to rounding."""

from __future__ import annotations

import numpy as np

from ..compiled import compiled
from .base import Array

# There is no NaN and no infinity. Sums stay as they are written: one of them rounds.
FAST = {"contract", "nnan", "ninf", "nsz"}

# exp(4γD) is exp(γD) squared twice. A squaring doubles the relative error: after so
# many it is 64 units in the last place, 1e-14, and the next exponential is made anew.
MOST_SQUARINGS = 6


@compiled(inline="always", fastmath=FAST)
def _exp(x):
    """e^x for x ≤ 0, to one unit in the last place; 3e-308 below −708, 1 above 0.

    x = k log 2 + r with |r| ≤ ½ log 2: Taylor's polynomial of degree 12 in r, and k
    into the exponent. No branch and no call, so that LLVM makes it SIMD where the
    machine has it; where not, the same numbers one by one.
    """
    x = min(max(x, -708.0), 0.0)
    # Adding 1.5·2⁵² rounds to a whole number, and leaves it in the last bits.
    t = x * 1.4426950408889634 + 6755399441055744.0
    k = t - 6755399441055744.0
    # log 2 in two parts, the first so short that its product with k is exact.
    r = x - k * 6.93147180369123816490e-01
    r = r - k * 1.90821492927058770002e-10
    p = 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 0.0001984126984126984
    p = p * r + 0.001388888888888889
    p = p * r + 0.008333333333333333
    p = p * r + 0.041666666666666664
    p = p * r + 0.16666666666666666
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    exponent = np.int64((np.float64(t).view(np.int64) + 1023) << 52)
    return p * exponent.view(np.float64)


def _fill_tile(D: Array, gamma: float, out: Array) -> None:
    np.multiply(D, gamma, out=out)
    np.exp(np.minimum(out, 0.0, out=out), out=out)


def _add_tiles(D: Array, gammas: Array, weights: Array, out: Array) -> None:
    for gamma, weight in zip(gammas, weights, strict=True):
        out += weight * np.exp(np.minimum(gamma * D, 0.0))


@compiled(_fill_tile, nogil=True, fastmath=FAST)
def fill_tile(D: Array, gamma: float, out: Array) -> None:
    """out = exp(γD)."""
    for i in range(D.shape[0]):
        for l in range(D.shape[1]):
            out[i, l] = _exp(gamma * D[i, l])


@compiled()
def squarings(before: float, gamma: float) -> int:
    """The q with γ = 2^q·before, if it is 1, 2 or 4; else 0."""
    for q in (1, 2, 4):
        if gamma == before * 2.0**q:
            return q
    return 0


def _square_tile(tile: Array, times: int) -> None:
    for _ in range(times):
        tile *= tile


@compiled(_square_tile, nogil=True, fastmath=FAST)
def square_tile(tile: Array, times: int) -> None:
    """tile = tile^(2^times)."""
    for i in range(tile.shape[0]):
        row = tile[i]
        for _ in range(times):
            for l in range(len(row)):
                row[l] *= row[l]


@compiled(_add_tiles, nogil=True, fastmath=FAST)
def add_tiles(D: Array, gammas: Array, weights: Array, out: Array) -> None:
    """out += Σ_j w_j exp(γ_jD); squares in the place of exponentials for rising γ."""
    times = np.zeros(len(gammas), np.int64)
    depth = 0
    for j in range(1, len(gammas)):
        q = squarings(gammas[j - 1], gammas[j])
        if q == 0 or depth + q > MOST_SQUARINGS:
            q = depth = 0
        depth += q
        times[j] = q
    row = np.empty(D.shape[1])
    for i in range(D.shape[0]):
        for j in range(len(gammas)):
            gamma, w = gammas[j], weights[j]
            if times[j] == 0:
                for l in range(D.shape[1]):
                    row[l] = _exp(gamma * D[i, l])
            for _ in range(times[j]):
                for l in range(D.shape[1]):
                    row[l] *= row[l]
            for l in range(D.shape[1]):
                out[i, l] += w * row[l]
