"""The square loss: kernel ridge regression and regularised discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space
from sklearn.base import BaseEstimator

from ..problem import Array, Inner
from .quadratic import QuadraticMaximum, maximise


@dataclass(eq=False, repr=False)
class Square(BaseEstimator):
    """g(A) = ⟨A, H⟩ − (λ/2)‖A‖², with 1ᵀA = 0 if there is an intercept.

    The inner maximiser is A = (λI + K(θ))⁻¹(H − 1bᵀ) and F(θ) = ½⟨A, H⟩. In the
    primal: the smallest ½‖w‖² + ‖H − f − 1bᵀ‖²/(2λ). The value that Ye et al. (2008)
    minimise, equations (8), (13), (29) and (34), is 2λF.

    Parameters
    ----------
    H : ndarray (n, k)
        Targets.
    lam : float
        λ. Zero is for a stack `WithIdentity`, whose kernel 0 learns it.
    intercept : bool
        Centred kernels give the same answer with and without one if H is centred.
    """

    H: Array
    lam: float
    intercept: bool = False

    @property
    def constraint(self) -> Array:
        """E of the domain EᵀA = 0, (n, 1) or (n, 0)."""
        return np.ones((len(self.H), 1 if self.intercept else 0))

    @property
    def _centred(self) -> tuple[Array, Array]:
        """H − 1mᵀ and m: the same g on the domain, and zero for constant targets."""
        m = np.mean(self.H, axis=0) if self.intercept else np.zeros(self.H.shape[1])
        H = self.H - m
        rounding = 4 * np.finfo(float).eps * np.max(np.abs(self.H), axis=0)
        return np.where(np.max(np.abs(H), axis=0) <= rounding, 0.0, H), m

    def value(self, A: Array) -> float:
        H, _ = self._centred
        return float(np.sum(A * H) - 0.5 * self.lam * np.sum(A * A))

    def best_scale(self, A: Array, support: float) -> float:
        # max_t t⟨A,H⟩ − ½t²(λ‖A‖² + σ)
        H, _ = self._centred
        curvature = self.lam * np.sum(A * A) + support
        return float(np.sum(A * H) / curvature) if curvature > 0 else 1.0

    def into_domain(self, A: Array) -> Array:
        """The point of the domain nearest to A."""
        return A - np.mean(A, axis=0) if self.intercept else A

    def order(self) -> Array:
        return np.lexsort(self.H.T)

    def sample(self, rows: Array, times: int) -> Square:
        return Square(self.H[rows], self.lam / times, self.intercept)

    def gradient(self, A: Array) -> Array:
        """∇g(A) = H − λA, centred as H is."""
        return self._centred[0] - self.lam * A

    def risk(self, f: Array) -> tuple[float, Array]:
        """‖H − f − 1bᵀ‖²/(2λ) with the best b, and b."""
        if not self.lam > 0:
            raise ValueError(
                "λ = 0 allows no error, so only an exact fit has a finite risk: use "
                "Newton() where λ is learned"
            )
        H, mean = self._centred
        R = H - f
        b = np.mean(R, axis=0) if self.intercept else np.zeros(R.shape[1])
        return float(np.sum((R - b) ** 2)) / (2 * self.lam), b + mean

    def best_multiple(self, f: Array, energy: float) -> float:
        # min_t ½t²e + ‖H − tf‖²/(2λ), both centred if there is an intercept
        H, _ = self._centred
        f = f - np.mean(f, axis=0) if self.intercept else f
        curvature = np.sum(f * f) + self.lam * energy
        return float(np.sum(H * f) / curvature) if curvature > 0 else 1.0

    def maximum(self, K: Array) -> QuadraticMaximum:
        """The inner maximum, with its factor, which takes the place of K."""
        n, k = self.H.shape
        E = self.constraint
        d = np.full(n, float(self.lam))
        return maximise(K, d, self._centred[0], E, np.zeros((E.shape[1], k)))

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        return self.consume(K.copy())

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        best, mean = self.maximum(K), self._centred[1]
        bias = best.nu[0] + mean if self.intercept else mean
        return Inner(best.A, best.value, bias, best.hessian, best.respond)

    def cvxpy_value(self, A: Any) -> tuple[Any, list[Any]]:
        """g(A) and its domain, as cvxpy writes them."""
        import cvxpy as cp

        g = cp.sum(cp.multiply(self.H, A)) - 0.5 * self.lam * cp.sum_squares(A)
        return g, [cp.sum(A, axis=0) == 0] if self.intercept else []


def discriminant_targets(labels: Array, n_classes: int) -> Array:
    """The class coding h_ik = √(n/n_k) − √(n_k/n) or −√(n_k/n), in k − 1 columns.

    HᵀH = n(I − ssᵀ) with s_k = √(n_k/n), so H has rank k − 1 and T = HV with V an
    orthonormal basis of s⊥ has the same HHᵀ = TTᵀ: every value and every weight is
    the same, at k − 1 right-hand sides (Ye et al. 2008, (24), where n_j means the
    size of class i).

    Parameters
    ----------
    labels : ndarray of int (n,)
        Class numbers 0..n_classes−1, each of them present.
    n_classes : int

    Returns
    -------
    T : ndarray (n, n_classes − 1)
        TᵀT = n I and 1ᵀT = 0. With two classes, class 1 is the positive one.
    """
    return (class_coding(labels, n_classes) @ coding_basis(labels, n_classes)).copy()


def class_coding(labels: Array, n_classes: int) -> Array:
    """H of (24), one column a class, (n, n_classes)."""
    share = np.bincount(labels, minlength=n_classes) / len(labels)
    H = np.tile(-np.sqrt(share), (len(labels), 1))
    H[np.arange(len(labels)), labels] += 1 / np.sqrt(share[labels])
    return H


def coding_basis(labels: Array, n_classes: int) -> Array:
    """V (n_classes, n_classes − 1): an orthonormal basis of the row space of H."""
    s = np.sqrt(np.bincount(labels, minlength=n_classes) / len(labels))
    V = null_space(s[None])
    return V if n_classes != 2 or V[1, 0] > 0 else -V
