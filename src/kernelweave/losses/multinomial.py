"""The multinomial logistic loss: probabilities of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotri
from scipy.special import softmax, xlogy

from ..problem import Array
from .margin import per_entry
from .smooth import SmoothLoss
from .weighted import factorise, scaled, solve_both


@dataclass(eq=False, repr=False)
class Multinomial(SmoothLoss):
    """g(A) = −Σ_i C_i Σ_c p_ic log p_ic, p = Y − A/C, on p ≥ 0, Σ_c p_ic = 1.

    1ᵀA = 0 if there is an intercept. In the primal: the smallest
    ½‖w‖² + Σ_i C_i (log Σ_c exp(u_ic) − ⟨y_i, u_i⟩), u = f + 1bᵀ. The probabilities
    of a sample are the softmax of u. All classes share the weights of the kernels.

    Parameters
    ----------
    Y : ndarray (n, k)
        One column a class: 1 in the class of the sample, else 0.
    C : float or ndarray (n,)
        Penalty of errors; zero leaves a sample out.
    intercept : bool
    """

    Y: Array
    C: Any = 1.0
    intercept: bool = True

    @property
    def _C(self) -> Array:
        """(n, 1)."""
        return per_entry(self.C, self.Y[:, :1])

    def value(self, A: Array) -> float:
        C, own = self._C, self.Y > 0
        # What the probability of a sample's class lacks to 1, and those of the others.
        share = np.divide(A, C, out=np.zeros(A.shape), where=C > 0)
        lacks, others = np.where(own, share, 0.0), np.where(own, 0.0, -share)
        if np.any(lacks > 1) or np.any(others < 0):
            return -np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.where(lacks < 1, (1 - lacks) * np.log1p(-lacks), 0.0)
        return -float(np.sum(C * (near + xlogy(others, others))))

    def answers(self, u: Array) -> Array:
        p = np.where(self.Y > 0, 0.0, softmax(u, axis=1))
        return self._C * np.where(self.Y > 0, p.sum(axis=1, keepdims=True), -p)

    def risk(self, f: Array, near: Array | None = None) -> tuple[float, Array]:
        bias = self._best_bias(f, near) if self.intercept else np.zeros(f.shape[1])
        return self._loss(f + bias), bias

    def losses(self, u: Array) -> Array:
        """What every sample adds to the loss at the fitted values u, (n,)."""
        # log Σ exp(u − u_own), in which the sample's own class is exp(0).
        above = u - np.sum(self.Y * u, axis=1, keepdims=True)
        return self._C[:, 0] * _log_sum_exp(above)

    def _best_bias(self, f: Array, near: Array | None) -> Array:
        """b with ΣA = 0 in every column: Newton's method, Σb = 0."""
        C, Y = self._C, self.Y
        share = np.sum(C * Y, axis=0)
        if not np.all(share > 0):
            raise ValueError(
                "a class has no sample of positive weight: its probability would be "
                "zero, and its intercept has no end; leave its column out"
            )
        b = np.log(share) - np.sum(C * f, axis=0) / C.sum() if near is None else near
        total = None
        for _ in range(200):
            p = softmax(f + b, axis=1)
            A = self.answers(f + b)
            excess = A.sum(axis=0)
            size = np.abs(A).sum(axis=0)
            if np.all(np.abs(excess) <= 1e-15 * size):
                break
            W = np.diag(np.sum(C * p, axis=0)) - (C * p).T @ p
            values, V = np.linalg.eigh(W)
            # The direction in which all biases grow is flat.
            keep = values > 1e-14 * values[-1]
            step = V[:, keep] @ ((V[:, keep].T @ excess) / values[keep])
            # ⟨excess, step⟩ is the rise of the likelihood, to first order.
            promise = float(excess @ step)
            if total is None:
                total = self._loss(f + b)
            t, new = 1.0, self._loss(f + b + step)
            while new > total - 0.1 * t * promise and t > 1e-6:
                t *= 0.5
                new = self._loss(f + b + t * step)
            if promise <= 1e-28 * abs(total) or new >= total:
                if promise <= 1e-12 * abs(total):
                    b = b + step
                break
            b, total = b + t * step, new
        return b - b.mean()

    def _loss(self, u: Array) -> float:
        return float(np.sum(self.losses(u)))

    def system(self, K: Array, u: Array) -> _Coupled:
        return _Coupled(K, softmax(u, axis=1), self._C, self.intercept)

    def curvatures(self, u: Array) -> Array:
        """W_i = C_i(diag(p_i) − p_ip_iᵀ) of every sample, (n, k, k)."""
        p = softmax(u, axis=1)
        W = -p[:, :, None] * p[:, None, :]
        at = np.arange(p.shape[1])
        W[:, at, at] += p
        return self._C[:, :, None] * W

    def first(self, K: Array) -> Array:
        return np.zeros(self.Y.shape)

    def order(self) -> Array:
        return np.lexsort(self.Y.T)

    def sample(self, rows: Array, times: int) -> Multinomial:
        return Multinomial(self.Y[rows], times * self._C[rows], self.intercept)


def _log_sum_exp(u: Array) -> Array:
    """log Σ_c exp(u_ic), (n,), to full precision where one term is nearly all of it.

    SciPy's takes four to ten times as long, and in version 1.14 loses the digits of
    small losses.
    """
    rows, largest = np.arange(len(u)), u.argmax(axis=1)
    top = u[rows, largest]
    others = np.exp(u - top[:, None])
    others[rows, largest] = 0.0
    return top + np.log1p(others.sum(axis=1))


class _Coupled:
    """(W⁻¹ + K)⁻¹ for W_i = C_i(diag(p_i) − p_ip_iᵀ), the classes of a sample coupled.

    With E_c = (1/(C∘p_c) + K)⁻¹, one for each class, and T = ΣE_c it is
    E − E(T⁻¹ ⊗ 11ᵀ)E (Rasmussen and Williams 2006, algorithm 3.3).
    """

    def __init__(self, K: Array, p: Array, C: Array, intercept: bool):
        self._E = [_reduced(K, np.sqrt(C[:, 0] * share)) for share in p.T]
        T = np.sum(self._E, axis=0)
        # A sample of weight zero has an empty row, in which anything solves.
        unit = np.where(C[:, 0] > 0, np.maximum(C[:, 0], 1e-300), 1.0) ** -0.5
        M = unit[:, None] * T * unit
        M.flat[:: len(M) + 1] += np.where(C[:, 0] > 0, 0.0, 1.0) - 1.0
        self._unit, self._T = unit, factorise(M)
        self._border = None
        if intercept:
            n, k = p.shape
            one = np.broadcast_to(np.eye(k), (n, k, k))
            G1 = self._couple(one)
            self._border = (
                G1,
                np.linalg.pinv(G1.sum(axis=0), rcond=1e-13, hermitian=True),
            )

    def _couple(self, X: Array) -> Array:
        Y = np.stack([E @ X[:, c] for c, E in enumerate(self._E)], axis=1)
        unit = self._unit[:, None]
        z = unit * solve_both(self._T, unit * Y.sum(axis=1))
        return Y - np.stack([E @ z for E in self._E], axis=1)

    def response(self, K: Array) -> Array:
        """The blocks Σ_ii of Σ = K − KGK, (n, k, k), and what the intercept adds."""
        n, k = len(K), len(self._E)
        KE = [K @ E for E in self._E]
        # KE_cT⁻¹E_dK = X_cᵀX_d
        X = [solve_triangular(self._T, (X * self._unit).T, lower=True) for X in KE]
        sigma = np.empty((n, k, k))
        for c in range(k):
            for d in range(k):
                sigma[:, c, d] = np.sum(X[c] * X[d], axis=0)
            sigma[:, c, c] += np.diag(K) - np.sum(KE[c] * K, axis=1)
        if self._border is not None:
            G1, inverse = self._border
            rest = np.eye(k) - np.einsum("ij,jcd->icd", K, G1)
            sigma += rest @ inverse @ np.swapaxes(rest, 1, 2)
        return sigma

    def solve(self, X: Array) -> Array:
        Y = self._couple(X)
        if self._border is None:
            return Y
        G1, inverse = self._border
        return Y - np.einsum("ncd,dm->ncm", G1, inverse @ Y.sum(axis=0))


def _reduced(K: Array, s: Array) -> Array:
    """S(I + SKS)⁻¹S."""
    L = factorise(scaled(K, s))
    inverse, _ = dpotri(L, lower=1, overwrite_c=1)
    lower = np.tril(inverse, -1)
    return s[:, None] * (lower + lower.T + np.diag(np.diag(inverse))) * s
