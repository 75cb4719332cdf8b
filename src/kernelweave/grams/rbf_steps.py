"""Exponentials of a tile, in one pass: D holds −‖x − z‖²."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ..compiled import compiled
from .base import Array

# There is no NaN and no infinity. Sums stay as they are written: one of them rounds.
FAST = {"contract", "nnan", "ninf", "nsz"}


def _to_bits(typingctx: Any, x: Any) -> Any:
    """The 64 bits of a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


_bits: Any = intrinsic(_to_bits)


def _from_bits(typingctx: Any, bits: Any) -> Any:
    """The number of 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


_number: Any = intrinsic(_from_bits)


@njit(inline="always", fastmath=FAST)
def _exp(x):
    """e^x for x ≤ 0, to one unit in the last place; 3e-308 below −708.

    x = k log 2 + r with |r| ≤ ½ log 2: Taylor's polynomial of degree 12 in r, and k
    into the exponent. No branch and no call, so that LLVM makes it SIMD.
    """
    x = max(x, -708.0)
    # Adding 1.5·2⁵² rounds to a whole number, and leaves it in the last bits.
    t = x * 1.4426950408889634 + 6755399441055744.0
    k = t - 6755399441055744.0
    r = x - k * 0.6931471805599453
    r = r - k * 2.3190468138462996e-17
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
    return p * _number((_bits(t) + 1023) << 52)


@compiled(nogil=True, fastmath=FAST)
def fill_tile(D: Array, gamma: float, out: Array) -> None:
    """out = exp(γD)."""
    for i in range(D.shape[0]):
        for l in range(D.shape[1]):
            out[i, l] = _exp(gamma * D[i, l])


@compiled(nogil=True, fastmath=FAST)
def add_tiles(D: Array, gammas: Array, weights: Array, out: Array) -> None:
    """out += Σ_j w_j exp(γ_jD)."""
    for i in range(D.shape[0]):
        for j in range(len(gammas)):
            gamma, w = gammas[j], weights[j]
            for l in range(D.shape[1]):
                out[i, l] += w * _exp(gamma * D[i, l])
