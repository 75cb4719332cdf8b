"""The algebra that the quadratic losses share: one factorisation, everything else.

    max_A  ⟨A, H⟩ − ½⟨A, (diag(d) + K)A⟩   subject to   EᵀA = e

With M = diag(d) + K the maximiser solves  MA + Eν = H,  EᵀA = e.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.linalg.lapack import dpotrf, dtrtri

from ..grams.tiles import spans
from ..problem import Array
from ..threads import blas_threads


@dataclass(frozen=True)
class QuadraticMaximum:
    """A (n, k), ν (q, k) and the maximum, with the factor that gave them."""

    A: Array
    nu: Array
    value: float
    factor: Array
    constraints: Array

    def solve(self, H: Array, e: Array) -> Array:
        """A of MA + Eν = H, EᵀA = e."""
        return _solve(self.factor, self.constraints, H, e)

    def respond(self, change: Array) -> Array:
        """How A answers to a small change of K(θ), to first order: −W·change·A.

        `change` is that change times A, (n, k).
        """
        return self.solve(-change, np.zeros((self.constraints.shape[1], 1)))

    def hessian(self, applied: Array) -> Array:
        """∇²_ij = ⟨K_iA, W K_jA⟩ with W = M⁻¹ − M⁻¹E(EᵀM⁻¹E)⁻¹EᵀM⁻¹.

        `applied` holds K_jA, (p, n, k). With M = LLᵀ and X_j = L⁻¹K_jA this is
        XᵀX less the part of X in the range of L⁻¹E.
        """
        p, n, k = applied.shape
        X = solve_triangular(
            self.factor,
            applied.transpose(1, 2, 0).reshape(n, k * p),
            lower=True,
            check_finite=False,
            overwrite_b=True,
        )
        if self.constraints.shape[1]:
            Q = np.linalg.qr(_solve_lower(self.factor, self.constraints))[0]
            X = X - Q @ (Q.T @ X)
        X = X.reshape(n * k, p)
        return X.T @ X

    def leave_one_out(self) -> Array:
        """`leave_one_out` from the factor that is there; E is 1, or empty."""
        with blas_threads(len(self.A)):
            return _left_out(self.factor, self.A, bool(self.constraints.shape[1]))


def maximise(K: Array, d: Array, H: Array, E: Array, e: Array) -> QuadraticMaximum:
    """Solve the problem at the head of this file.

    Parameters
    ----------
    K : ndarray (n, n)
        Symmetric positive semidefinite.
    d : ndarray (n,)
        Not negative.
    H : ndarray (n, k)
    E : ndarray (n, q)
        Its columns are orthogonal; q = 0 means no constraint.
    e : ndarray (q, k)
    """
    n = len(K)
    # On EᵀA = e the term ½‖BEᵀA‖² is a constant, so K may be shifted by EB²Eᵀ: this
    # makes M positive definite where K annihilates E (a centred kernel) and d = 0.
    unit = np.trace(K) / n + np.max(d)

    def shifted() -> Array:
        M = K.copy()
        for column in E.T:
            for rows in spans(n, 256):  # without a second matrix
                M[rows] += (unit / (column @ column) * column[rows])[:, None] * column
        M.flat[:: n + 1] += d
        return M

    L = _factorise(shifted(), shifted)
    A = _solve(L, E, H, e)
    # One step of refinement: λ may be 1e-12 of ‖K‖ and less.
    A = A + _solve(L, E, H - K @ A - d[:, None] * A, e - E.T @ A)
    KA = K @ A
    R = H - KA - d[:, None] * A
    nu = (E.T @ R) / np.sum(E * E, axis=0)[:, None]
    R = R - E @ nu
    # F ≤ v(A) + ½⟨R, M⁻¹R⟩ for every A with EᵀA = e: v is exact to second order.
    v = np.sum(A * H) - 0.5 * np.sum(A * (KA + d[:, None] * A))
    rest = 0.5 * np.sum(np.square(_solve_lower(L, R)))
    return QuadraticMaximum(A, nu, float(v + rest), L, E)


def _solve(L: Array, E: Array, H: Array, e: Array) -> Array:
    """A of MA + Eν = H, EᵀA = e, with M = LLᵀ."""
    if E.shape[1] == 0:
        return cho_solve((L, True), H, check_finite=False)
    both = cho_solve((L, True), np.column_stack([H, E]), check_finite=False)
    A, ME = both[:, : H.shape[1]], both[:, H.shape[1] :]
    return A - ME @ np.linalg.solve(E.T @ ME, E.T @ A - e)


def leave_one_out(K: Array, d: Array, A: Array, intercept: bool) -> Array:
    """Residuals (n, k) of every sample when it is left out, at fixed weights.

    residual_i = A_i / [B⁻¹]_ii with B = [[diag(d) + K, 1], [1ᵀ, 0]] (without the
    border if there is no intercept): exact, from one factorisation.
    """
    n = len(K)
    shift = np.trace(K) / n + np.max(d) if intercept else 0.0

    def shifted() -> Array:
        M = K + shift / n
        M.flat[:: n + 1] += d
        return M

    with blas_threads(n):
        return _left_out(_factorise(shifted(), shifted), A, intercept)


def mean_shift(H: Array, v: Array) -> Array:
    """b − b_{−i}: how the mean target moves when sample i is left out, (n, k).

    The samples weigh v (n,), so b − b_{−i} = v_i(h_i − b)/(Σv − v_i). With an
    intercept a left-out prediction is an average of the other targets, of signed
    weights that add up to one. Where these weights are blind to the targets it is on
    average b_{−i}, which alone tells the class of i, the wrong way round; for a new
    sample it is b. Adding the shift makes left-out predictions comparable with those
    of new samples.
    """
    v = v[:, None]
    return v * (H - np.sum(v * H, axis=0) / np.sum(v)) / (np.sum(v) - v)


def _left_out(L: Array, A: Array, intercept: bool) -> Array:
    """A_i / [B⁻¹]_ii with M = LLᵀ, shifted along 1 or not if there is a border."""
    Linv, _ = dtrtri(L, lower=1)
    diagonal = np.einsum("ij,ij->j", Linv, Linv)
    if intercept:
        M1 = Linv.T @ Linv.sum(axis=1)
        diagonal = diagonal - M1**2 / M1.sum()
    return A / diagonal[:, None]


def _factorise(M: Array, again: Callable[[], Array]) -> Array:
    """Lower Cholesky factor of M, which may be singular to rounding.

    M is overwritten; `again` makes it anew, should it be needed once more.
    """
    n = len(M)
    # n ε tr(M) bounds the rounding error of the factorisation (Higham 2002, thm 10.3).
    unit = np.finfo(float).eps * float(np.trace(M))
    for jitter in (0.0, unit, 1e2 * unit, 1e4 * unit):
        if jitter:
            M = again()
            M.flat[:: n + 1] += jitter
        # M is symmetric: its transpose is what LAPACK calls M, without a copy.
        L, info = dpotrf(M.T, lower=1, overwrite_a=1)
        if info == 0:
            return L
    raise ValueError(
        "the combined kernel is not positive semidefinite: check the base kernels "
        "with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
    )


def _solve_lower(L: Array, B: Array) -> Array:
    return solve_triangular(L, B, lower=True, check_finite=False)
