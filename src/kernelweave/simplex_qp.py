"""The quadratic model on the simplex: an active-set method for few active weights."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from .problem import Array


def minimise_on_simplex(Q: Array, g: Array, start: Array) -> Array:
    """min gᵀx + ½xᵀQx over x ≥ 0, Σx = 1, with exact zeros.

    A primal active-set method (Nocedal and Wright 2006, algorithm 16.3): minimise on
    the face of the free variables, step to the first bound in the way, release the
    bound with the most negative multiplier. Interior-point solvers give no exact
    zeros and cost p³ an iteration; here the cost is cubic in the free variables.

    Parameters
    ----------
    Q : ndarray (p, p)
        Symmetric positive semidefinite.
    g : ndarray (p,)
    start : ndarray (p,)
        Feasible.
    """
    p = len(g)
    if p > 32:
        found = _pivot(Q, g, start)
        if found is not None:
            return found
    # A start with nearly all entries positive would drop them one by one: begin at the
    # best vertex instead.
    x = start.copy()
    if np.count_nonzero(x) > max(32, p // 4):
        x = np.zeros(p)
        x[np.argmin(g + 0.5 * np.diag(Q))] = 1.0
    free = x > 0
    Qx = Q @ x
    # A ridge at rounding level makes duplicated kernels share their weight, and a
    # model without curvature a linear program.
    eps = np.finfo(float).eps
    ridge = eps * (np.trace(Q) + np.max(np.abs(g)) + np.finfo(float).tiny / eps)
    share, moved = 0.5, True
    for _ in range(50 + 20 * p):
        index = np.flatnonzero(free)
        pivot = int(index[np.argmax(x[index])])
        d = _face_step(Q, ridge, g + Qx, index, pivot)
        falling = (d < 0).nonzero()[0]
        blocking, t = 0, 1.0
        if len(falling):
            room = x[index[falling]]
            stuck = room == 0
            if stuck.any():
                # Of several that were released at once some want to go back.
                free[index[falling[stuck]]] = False
                continue
            room /= -d[falling]
            first = int(room.argmin())
            blocking, t = int(index[falling[first]]), min(1.0, float(room[first]))
        moved = moved or bool(d.any())
        x[index] += t * d
        if t < 1.0:
            x[blocking] = 0.0
            free[blocking] = False
            Qx = x[index] @ Q[index]
            continue
        Qx = x[index] @ Q[index]
        multiplier = np.where(free, 0.0, g + Qx - (g + Qx)[pivot])
        worst = int(np.argmin(multiplier))
        scale = np.max(np.abs(g)) + np.max(np.abs(Qx))
        if multiplier[worst] >= -1e-13 * scale:
            break
        # The worst alone cannot be stuck; several at once may all be.
        share = 0.5 if moved else 1.0
        moved = False
        free |= multiplier <= share * multiplier[worst]
    x = np.maximum(x, 0)
    return x / x.sum()


def _pivot(Q: Array, g: Array, start: Array) -> Array | None:
    """The same by block pivoting (Kim and Park 2011), or None if it does not end.

    Solve on the face of the free variables, then exchange all at once: those that
    became negative against those whose multiplier is negative. That is a few
    factorisations where hundreds of variables change, but it may cycle.
    """
    p = len(g)
    free = start > 0
    if 2 * np.count_nonzero(free) > p:
        free[:] = False
        free[np.argsort(g + 0.5 * np.diag(Q))[:32]] = True
    ridge = np.finfo(float).eps * (np.trace(Q) + np.max(np.abs(g)))
    least, patience = p + 1, 3
    while patience and free.any():
        index = np.flatnonzero(free)
        M = Q[np.ix_(index, index)]
        M.flat[:: len(index) + 1] += ridge
        _, found, info = dposv(M, np.column_stack([-g[index], np.ones(len(index))]))
        if info:
            return None
        # Qx + g = ν on the face, Σx = 1.
        nu = (1 - found[:, 0].sum()) / found[:, 1].sum()
        x = found[:, 0] + nu * found[:, 1]
        gradient = g + x @ Q[index]
        scale = np.max(np.abs(g)) + np.max(np.abs(gradient - g))
        wrong = ~free & (gradient - nu < -1e-13 * scale)
        wrong[index[x < 0]] = True
        if not np.max(np.abs(gradient[index] - nu)) <= 1e-12 * scale:
            return None  # singular on this face
        if not abs(x.sum() - 1) <= 1e-9:
            return None  # so flat that ν − g on the face is rounding
        count = np.count_nonzero(wrong)
        if count == 0:
            out = np.zeros(p)
            out[index] = x
            return out / out.sum()
        patience = 3 if count < least else patience - 1
        least = min(least, count)
        free ^= wrong
    return None


def _face_step(
    Q: Array, ridge: float, gradient: Array, index: Array, pivot: int
) -> Array:
    """The step d to the minimum on {Σd = 0} of the free variables.

    The pivot takes what the others give: d_pivot = −Σd_others. The reduced matrix is
    positive definite with the ridge, and along a flat direction the step is long: the
    bounds end it.
    """
    rest = index != pivot
    others = index[rest]
    if len(others) == 0:
        return np.zeros(len(index))
    rows = Q[others]
    B = rows[:, others] - rows[:, pivot][:, None] - Q[pivot, others]
    B += Q[pivot, pivot]
    B.flat[:: len(others) + 1] += ridge
    right = gradient[pivot] - gradient[others]
    # LAPACK itself: the matrices are small, and there are many of them.
    _, step, info = dposv(B, right)
    if info:
        # Rounding left a negative eigenvalue; it is as flat as zero.
        values, V = np.linalg.eigh(B)
        step = V @ ((V.T @ right) / np.maximum(values, ridge))
    d = np.empty(len(index))
    d[rest] = step
    d[~rest] = -step.sum()
    return d
