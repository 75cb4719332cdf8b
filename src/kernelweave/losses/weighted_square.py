"""The square loss with weights of samples and of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight

from ..arrays import filled, host, namespace, take
from ..problem import Array, Inner
from .quadratic import QuadraticMaximum, maximise


@dataclass(eq=False, repr=False)
class WeightedSquare(BaseEstimator):
    """g(A) = ⟨A, H⟩ − (λ/2)Σ_i‖A_i‖²/v_i, with 1ᵀA = 0 if there is an intercept.

    In the primal: the smallest ½‖w‖² + Σ_i v_i‖H_i − f_i − b‖²/(2λ). A sample of weight
    2 counts as two, and A is the sum of their coefficients. With an intercept kernels
    may be centred about any origin, also about the mean without weights.

    Parameters
    ----------
    H : ndarray (n, k)
    lam : float
        λ > 0.
    v : ndarray (n,)
        Positive; leave samples of weight zero out.
    intercept : bool
    """

    H: Array
    lam: float
    v: Array
    intercept: bool = False

    @property
    def ridge(self) -> Array:
        """d = λ/v, the diagonal of the inner system."""
        return self.lam / self.v

    @property
    def constraint(self) -> Array:
        """E of the domain EᵀA = 0, (n, 1) or (n, 0)."""
        return filled((self.H.shape[0], 1 if self.intercept else 0), self.H, 1.0)

    def _mean(self, X: Array) -> Array:
        """The weighted mean of the rows, (k,), or zeros without an intercept."""
        if not self.intercept:
            return filled(X.shape[1], X)
        return self.v @ X / namespace(X).sum(self.v)

    def value(self, A: Array) -> float:
        xp, H = namespace(A), self.H - self._mean(self.H)
        return float(xp.sum(A * H) - 0.5 * xp.sum(self.ridge[:, None] * A**2))

    def best_scale(self, A: Array, support: float) -> float:
        # max_t t⟨A,H⟩ − ½t²(Σd_i‖A_i‖² + σ)
        xp = namespace(A)
        curvature = float(xp.sum(self.ridge[:, None] * A**2)) + support
        top = float(xp.sum(A * (self.H - self._mean(self.H))))
        return top / curvature if curvature > 0 else 1.0

    def into_domain(self, A: Array) -> Array:
        """The point of the domain nearest to A."""
        return A - namespace(A).mean(A, axis=0) if self.intercept else A

    def order(self) -> Array:
        return np.lexsort(host(self.H).T)

    def sample(self, rows: Array, times: int) -> WeightedSquare:
        H, v = take(self.H, rows), take(self.v, rows)
        return WeightedSquare(H, self.lam / times, v, self.intercept)

    def gradient(self, A: Array) -> Array:
        """∇g(A) = H − dA, centred as H is."""
        return self.H - self._mean(self.H) - self.ridge[:, None] * A

    def risk(self, f: Array) -> tuple[float, Array]:
        """Σ_i v_i‖H_i − f_i − b‖²/(2λ) with the best b, and b."""
        R = self.H - f
        b = self._mean(R)
        total = float(namespace(R).sum(self.v[:, None] * (R - b) ** 2))
        return total / (2 * self.lam), b

    def best_multiple(self, f: Array, energy: float) -> float:
        # min_t ½t²e + Σv‖H − tf‖²/(2λ), both centred if there is an intercept
        xp = namespace(f)
        H, f = self.H - self._mean(self.H), f - self._mean(f)
        curvature = float(xp.sum(self.v[:, None] * f**2)) + self.lam * energy
        top = float(xp.sum(self.v[:, None] * H * f))
        return top / curvature if curvature > 0 else 1.0

    def maximum(self, K: Array) -> QuadraticMaximum:
        """The inner maximum, with its factor, which takes the place of K."""
        E = self.constraint
        e = filled((E.shape[1], self.H.shape[1]), E)
        return maximise(K, self.ridge, self.H - self._mean(self.H), E, e)

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        return self.consume(namespace(K).asarray(K, copy=True))

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        best, mean = self.maximum(K), self._mean(self.H)
        bias = best.nu[0, :] + mean if self.intercept else mean
        return Inner(best.A, best.value, bias, best.hessian, best.respond, best.slack)

    def cvxpy_value(self, A: Any) -> tuple[Any, list[Any]]:
        """g(A) and its domain, as cvxpy writes them."""
        import cvxpy as cp

        root = np.sqrt(self.ridge)[:, None]
        g = cp.sum(cp.multiply(self.H, A)) - 0.5 * cp.sum_squares(cp.multiply(root, A))
        return g, [cp.sum(A, axis=0) == 0] if self.intercept else []


def row_weights(y: Any, class_weight: Any = None, sample_weight: Any = None) -> Array:
    """v (n,): the weight of every sample times that of its class.

    Parameters
    ----------
    y : array-like (n,)
    class_weight : dict, "balanced" or None
        As in scikit-learn: "balanced" is n/(k n_c).
    sample_weight : array-like (n,), float or None

    Examples
    --------
    >>> row_weights(["a", "a", "a", "b"], "balanced").round(2)
    array([0.67, 0.67, 0.67, 2.  ])
    """
    y = np.asarray(y)
    own = _check_sample_weight(sample_weight, y[:, None], ensure_non_negative=True)
    if not own.any():
        raise ValueError("sample_weight must have at least one non-zero number")
    if class_weight is not None:
        own = own * compute_sample_weight(class_weight, y)
    return own
