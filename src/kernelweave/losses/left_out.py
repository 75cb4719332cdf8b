"""What a likelihood's model would say of a sample that it had not been trained on.

At the optimum the loss is replaced by its parabola, as in the last Newton step; leaving
a sample out of that weighted square problem is exact. Σ = (K⁻¹ + W)⁻¹ is how f answers
to a force: with an intercept that of u = f + 1bᵀ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import solve_triangular

from ..problem import Array
from .cox import Cox
from .logistic import Logistic
from .poisson import Poisson
from .weighted import factorise, scaled

# Steps of Cox's left-out problems: the error falls by ten a step, if C is not large.
STEPS = 4


def left_out(loss: Logistic | Poisson | Cox, K: Array, A: Array, bias: Array) -> Array:
    """u (n, k) of every sample by the model without it, to first order, at K = K(θ).

    For a sum over samples u_{−i} = u_i − A_iΣ_ii/(1 − w_iΣ_ii): one factorisation. A
    sample of Cox's likelihood is also one of those at risk at earlier times, and
    without it their curvature is another: there the Newton step, with the factor of the
    whole, is repeated, for all samples at once, at three products (n, n, n) a step.

    Parameters
    ----------
    loss : Logistic, Poisson or Cox
    K : ndarray (n, n)
        K(θ) at the weights of the solution, which stay as they are.
    A : ndarray (n, k)
        The inner maximiser.
    bias : ndarray (k,)

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.losses import Logistic
    >>> x = np.linspace(-2, 2, 9)[:, None]
    >>> loss = Logistic(np.where(x > 0.2, 1.0, -1.0))
    >>> inner = loss.inner(x @ x.T)
    >>> left_out(loss, x @ x.T, inner.A, inner.bias)[4].round(2)
    array([0.01])
    """
    u = K @ A + bias
    if isinstance(loss, Cox):
        return _cox(loss, K, A)
    w = loss.curvature(u)
    moved = [_diagonal(K, w[:, c], loss.intercept) for c in range(u.shape[1])]
    sigma = np.column_stack(moved)
    return u - A * sigma / np.maximum(1 - w * sigma, 1e-12)


def _diagonal(K: Array, w: Array, intercept: bool) -> Array:
    """Σ_ii of one column of curvatures, K − KGK, and what the intercept adds."""
    s = np.sqrt(w)
    L = factorise(scaled(K, s))
    X = solve_triangular(L, s[:, None] * K, lower=True)
    sigma = np.diag(K) - np.sum(X * X, axis=0)
    if intercept:
        z = solve_triangular(L, s, lower=True)
        sigma = sigma + (1 - X.T @ z) ** 2 / max(float(z @ z), 1e-300)
    return np.maximum(sigma, 0.0)


def _cox(loss: Cox, K: Array, A: Array) -> Array:
    """u_{−i} of every sample: chord steps on all n problems at once."""
    n = len(K)
    u = K @ A
    G = loss.system(K, u).solve(np.eye(n)[:, None])[:, 0]
    held = np.maximum(np.diag(G), 1e-300)
    v = np.ones(n) if loss.weight is None else np.asarray(loss.weight, dtype=float)
    others = [
        replace(loss, weight=np.where(np.arange(n) == i, 0.0, v)) for i in range(n)
    ]
    # Column i is the A of the problem without i, where it is zero.
    B, step, t = A - G * (A[:, 0] / held), np.zeros(K.shape), np.ones(n)
    np.fill_diagonal(B, 0.0)
    best = np.full(n, np.inf)
    for _ in range(STEPS + 1):
        trial = B + t * step
        np.fill_diagonal(trial, 0.0)
        U = K @ trial
        value = 0.5 * np.sum(trial * U, axis=0)
        for i, other in enumerate(others):
            value[i] += other.risk(U[:, [i]])[0]
            U[:, [i]] = other.answers(U[:, [i]])
        # A step that is too long is taken again, a fifth as long.
        better = value < best
        best = np.where(better, value, best)
        B = np.where(better, trial, B)
        rest = U - trial
        new = rest - G @ (K @ rest)
        new -= G * (np.diag(new) / held)
        step, t = np.where(better, new, step), np.where(better, 1.0, 0.2 * t)
    return np.sum(K * B.T, axis=1)[:, None]
