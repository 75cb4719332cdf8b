"""The square loss: kernel ridge regression and regularised discriminant analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import filled, host, namespace, take
from ..problem import Array, Inner
from .quadratic import QuadraticMaximum, maximise

# A plain number: NumPy's would make arrays of other kinds its own.
EPS = float(np.finfo(float).eps)


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
        return filled((self.H.shape[0], 1 if self.intercept else 0), self.H, 1.0)

    @property
    def _centred(self) -> tuple[Array, Array]:
        """H − 1mᵀ and m: the same g on the domain, and zero for constant targets.

        Every bound asks for them, so they are kept for as long as H is the same array.
        """
        known = vars(self).get("_kept_centred")
        if known is not None and known[0] is self.H and known[1] == self.intercept:
            return known[2]
        self._kept_centred = self.H, self.intercept, self._centre()
        return self._kept_centred[2]

    def _centre(self) -> tuple[Array, Array]:
        xp = namespace(self.H)
        m = _column_means(self.H, self.intercept)
        H = self.H - m
        rounding = 4 * EPS * xp.max(xp.abs(self.H), axis=0)
        return H * xp.astype(xp.max(xp.abs(H), axis=0) > rounding, H.dtype), m

    def value(self, A: Array) -> float:
        H, _ = self._centred
        xp = namespace(A)
        return float(xp.sum(A * H) - 0.5 * self.lam * xp.sum(A * A))

    def best_scale(self, A: Array, support: float) -> float:
        # max_t t⟨A,H⟩ − ½t²(λ‖A‖² + σ)
        H, _ = self._centred
        xp = namespace(A)
        curvature = self.lam * float(xp.sum(A * A)) + support
        return float(xp.sum(A * H)) / curvature if curvature > 0 else 1.0

    def into_domain(self, A: Array) -> Array:
        """The point of the domain nearest to A."""
        return A - _column_means(A, self.intercept)

    def order(self) -> Array:
        return np.lexsort(host(self.H).T)

    def sample(self, rows: Array, times: int) -> Square:
        return Square(take(self.H, rows), self.lam / times, self.intercept)

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
        b = _column_means(R, self.intercept)
        return float(namespace(R).sum((R - b) ** 2)) / (2 * self.lam), b + mean

    def best_multiple(self, f: Array, energy: float) -> float:
        # min_t ½t²e + ‖H − tf‖²/(2λ), both centred if there is an intercept
        H, _ = self._centred
        xp = namespace(f)
        f = f - _column_means(f, self.intercept)
        curvature = float(xp.sum(f * f)) + self.lam * energy
        return float(xp.sum(H * f)) / curvature if curvature > 0 else 1.0

    def maximum(self, K: Array) -> QuadraticMaximum:
        """The inner maximum, with its factor, which takes the place of K."""
        n, k = self.H.shape
        E = self.constraint
        d = filled(n, E, float(self.lam))
        return maximise(K, d, self._centred[0], E, filled((E.shape[1], k), E))

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        return self.consume(namespace(K).asarray(K, copy=True))

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        best, mean = self.maximum(K), self._centred[1]
        bias = best.nu[0, :] + mean if self.intercept else mean
        return Inner(best.A, best.value, bias, best.hessian, best.respond, best.slack)

    def cvxpy_value(self, A: Any) -> tuple[Any, list[Any]]:
        """g(A) and its domain, as cvxpy writes them."""
        import cvxpy as cp

        g = cp.sum(cp.multiply(self.H, A)) - 0.5 * self.lam * cp.sum_squares(A)
        return g, [cp.sum(A, axis=0) == 0] if self.intercept else []


def _column_means(X: Array, wanted: bool) -> Array:
    """The means of the columns, (k,), or zeros."""
    return namespace(X).mean(X, axis=0) if wanted else filled(X.shape[1], X)


def discriminant_targets(
    labels: Array, n_classes: int, v: Array | None = None
) -> Array:
    """The class coding h_ik = √(n/n_k) − √(n_k/n) or −√(n_k/n), in k − 1 columns.

    HᵀH = n(I − ssᵀ) with s_k = √(n_k/n), so H has rank k − 1 and T = HV with V an
    orthonormal basis of s⊥ has the same HHᵀ = TTᵀ: every value and every weight is
    the same, at k − 1 right-hand sides (Ye et al. 2008, (24), where n_j means the
    size of class i).

    Parameters
    ----------
    labels : ndarray of int (n,), or (n, q)
        Class numbers 0..n_classes−1, each of them present; or several labels, zeros
        and ones, each of them coded as two classes.
    n_classes : int
    v : ndarray (n,), optional
        Weights of the samples: with n_c = Σ v_i over those of class c the coding has
        Σ v_iT_i = 0 and Σ v_iT_iT_iᵀ = (Σv)I.

    Returns
    -------
    T : ndarray (n, n_classes − 1), or (n, q)
        TᵀT = n I and 1ᵀT = 0. With two classes, class 1 is the positive one.
    """
    if labels.ndim == 2:
        return np.hstack([discriminant_targets(label, 2, v) for label in labels.T])
    if v is not None:
        return code_of_classes(np.bincount(labels, v))[labels]
    return (class_coding(labels, n_classes) @ coding_basis(labels, n_classes)).copy()


def class_coding(labels: Array, n_classes: int) -> Array:
    """H of (24), one column a class, (n, n_classes)."""
    share = np.bincount(labels, minlength=n_classes) / len(labels)
    return _codes(share)[labels]


def coding_basis(labels: Array, n_classes: int) -> Array:
    """V (n_classes, n_classes − 1): an orthonormal basis of the row space of H."""
    return _basis(np.bincount(labels, minlength=n_classes) / len(labels))


def code_of_classes(counts: Array) -> Array:
    """The row of `discriminant_targets` of each class, from the sizes of the classes.

    (n_classes, n_classes − 1): T = Y·code with Y the zeros and ones of the classes.
    """
    share = np.asarray(counts) / np.sum(counts)
    return _codes(share) @ _basis(share)


def _codes(share: Array) -> Array:
    """The row of H of each class, (n_classes, n_classes)."""
    return np.diag(1 / np.sqrt(share)) - np.sqrt(share)


def _basis(share: Array) -> Array:
    V = np.linalg.svd(np.sqrt(share)[None])[2][1:].T
    return V if len(share) != 2 or V[1, 0] > 0 else -V
