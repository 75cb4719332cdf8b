"""Nesterov's accelerated projected gradient."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..problem import Array


def minimise_quadratic(
    gradient: Array,
    hessian: Array,
    start: Array,
    project: Callable[[Array], Array],
) -> Array:
    """Minimise gᵀ(x − x₀) + ½(x − x₀)ᵀH(x − x₀) over a convex set, from x₀ = start.

    Algorithm 4 of Hao et al. (2012), where f(x) ≤ f(y) + ∇f(y)ᵀ(x − y) + γ/2‖x − y‖² is
    tested at the projected point x, not before the projection as printed; the momentum
    starts anew when it points uphill. It ends when a step gains less than 1e-8 of what
    all have gained, or makes no difference, and after a thousand: the next model is
    better than a better answer to this one.
    """
    x = last = start
    # A first guess from below: backtracking doubles it.
    lipschitz = float(np.max(np.diag(hessian))) or 1.0
    gained, before, now = 0.0, 1.0, 1.0
    for _ in range(1000):
        y = x + (before - 1) / now * (x - last)
        slope = gradient + hessian @ (y - start)
        while True:
            new = project(y - slope / lipschitz)
            move = new - y
            # Twice f(new) − f(y) − slopeᵀmove.
            bend = move @ (hessian @ move)
            if not bend > lipschitz * (move @ move) * (1 + 1e-12):
                break
            lipschitz *= 2
        gain = lipschitz * float(move @ move)
        d = new - start
        gained = max(gained, -float(gradient @ d + 0.5 * d @ (hessian @ d)))
        if gain <= 1e-8 * gained or np.max(np.abs(move)) <= 1e-15:
            return new
        if move @ (new - x) < 0 and now > 1:
            # Uphill: forget the momentum.
            before = now = 1.0
        else:
            before, now = now, 0.5 * (1 + np.sqrt(1 + 4 * now * now))
        last, x = x, new
    return x
