"""What a likelihood's model would say of a sample that it had not been trained on.

At the optimum the loss is replaced by its parabola, as in the last Newton step; leaving
a sample out of that weighted square problem is exact. Σ = (K⁻¹ + W)⁻¹ is how f answers
to a force: with an intercept that of u = f + 1bᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from ..problem import Array
from .cox import Cox
from .left_out_cox import cox_left_out
from .logistic import Logistic
from .multinomial import Multinomial
from .poisson import Poisson
from .weighted import factorise, scaled


@dataclass(frozen=True)
class LeftOutFit:
    """Every training sample by the model without it.

    Attributes
    ----------
    u : ndarray (n, k)
        The fitted values f + b that the models without the samples give them.
    losses : ndarray (n,)
        What the samples add to the loss there, C included. For Cox's likelihood: by how
        much the sample changes the partial likelihood of the model without it (Verweij
        and van Houwelingen 1993).
    null : float
        The sum of the losses of a model that is constant.
    """

    u: Array
    losses: Array
    null: float

    @property
    def explained(self) -> float:
        """D² = 1 − Σ losses/null: the share of the loss that is explained."""
        return 1 - float(np.sum(self.losses)) / max(self.null, 1e-300)


def left_out(loss: Any, K: Array, A: Array, bias: Array) -> Array:
    """u (n, k) of every sample by the model without it, to first order, at K = K(θ).

    For a sum over samples u_{−i} = u_i − Σ_ii(I − W_iΣ_ii)⁻¹A_i, k numbers each: one
    factorisation (for k classes k + 1). A sample of Cox's likelihood is also one of
    those at risk at earlier times, and without it their curvature is another: there the
    Newton step, with the factor of the whole, is repeated, for all samples at once, at
    three products (n, n, n) a step.

    Parameters
    ----------
    loss : Logistic, Multinomial, Poisson or Cox
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
    return left_out_fit(loss, K, A, bias).u


def left_out_fit(loss: Any, K: Array, A: Array, bias: Array) -> LeftOutFit:
    """The same with the losses of the left-out samples; parameters as `left_out`."""
    if isinstance(loss, Cox):
        return LeftOutFit(*cox_left_out(loss, K, A))
    if isinstance(loss, Multinomial):
        u = _coupled(loss, K, A, bias)
    elif isinstance(loss, Logistic | Poisson):
        u = K @ A + bias
        w = loss.curvature(u)
        moved = [_diagonal(K, w[:, c], loss.intercept) for c in range(u.shape[1])]
        sigma = np.column_stack(moved)
        u = u - A * sigma / np.maximum(1 - w * sigma, 1e-12)
    else:
        raise TypeError(
            f"{type(loss).__name__} is not smooth, so that no Newton step tells what "
            "it would say of left-out samples: use folds (cv=5)"
        )
    null = loss.risk(np.zeros(A.shape))[0]
    return LeftOutFit(u, loss.losses(u), null)


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


def _coupled(loss: Multinomial, K: Array, A: Array, bias: Array) -> Array:
    """u_{−i} where the classes of a sample are coupled: a k × k system a sample."""
    u = K @ A + bias
    system, W = loss.system(K, u), loss.curvatures(u)
    sigma = system.response(K)
    k = u.shape[1]
    # Σ_ii(I − W_iΣ_ii)⁻¹A_i; all biases may grow together, which W does not see.
    inverse = np.linalg.solve(np.eye(k) - W @ sigma, A[:, :, None])
    return u - (sigma @ inverse)[:, :, 0]
