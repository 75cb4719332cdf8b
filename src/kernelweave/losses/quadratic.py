"""The algebra that the quadratic losses share: one factorisation, everything else.

    max_A  ⟨A, H⟩ − ½⟨A, (diag(d) + K)A⟩   subject to   EᵀA = e

With M = diag(d) + K the maximiser solves  MA + Eν = H,  EᵀA = e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrs, dtrtrs

from ..arrays import filled, host, is_foreign, like, namespace
from ..grams.normalise import is_centred
from ..grams.tiles import spans
from ..problem import Array
from ..threads import blas_threads
from .cholesky import factorise_lower
from .estimated_diagonal import estimated_diagonal
from .inverse_diagonal import inverse_diagonal, single_factor
from .left_groups import group_shift, leave_groups_out
from .separate_factor import SeparateFactor
from .triangle import Triangle


@dataclass(frozen=True)
class QuadraticMaximum:
    """A (n, k), ν (q, k) and the maximum, with the factor that gave them.

    `slack` is the part of the value that A may have missed. What stands above the
    diagonal of the factor is none of it.
    """

    A: Array
    nu: Array
    value: float
    slack: float
    factor: Array | Triangle
    constraints: Array

    def solve(self, H: Array, e: Array) -> Array:
        """A of MA + Eν = H, EᵀA = e."""
        return _solve(self.factor, self.constraints, H, e)

    def respond(self, change: Array) -> Array:
        """How A answers to a small change of K(θ), to first order: −W·change·A.

        `change` is that change times A, (n, k).
        """
        return self.solve(-change, filled((self.constraints.shape[1], 1), change))

    def hessian(self, applied: Array) -> Array:
        """∇²_ij = ⟨K_iA, W K_jA⟩ with W = M⁻¹ − M⁻¹E(EᵀM⁻¹E)⁻¹EᵀM⁻¹.

        `applied` holds K_jA, (p, n, k). With M = LLᵀ and X_j = L⁻¹K_jA this is
        XᵀX less the part of X in the range of L⁻¹E.
        """
        xp = namespace(applied)
        p, n, k = applied.shape
        X = xp.reshape(xp.permute_dims(applied, (1, 2, 0)), (n, k * p))
        X = _solve_lower(self.factor, X)
        if self.constraints.shape[1]:
            Q = _solve_lower(self.factor, self.constraints)
            one = self.constraints.shape[1] == 1
            Q = Q / xp.sqrt(xp.sum(Q * Q)) if one else xp.linalg.qr(Q)[0]
            X = X - Q @ (Q.T @ X)
        X = xp.reshape(X, (n * k, p))
        return host(X.T @ X)

    def leave_one_out(self) -> Array:
        """`leave_one_out` from the factor that is there; E is 1, or K1 ≠ 0."""
        with blas_threads(self.A.shape[0]):
            intercept = bool(self.constraints.shape[1])
            return _left_out(self.factor, self.A, intercept, overwrite=False)


def maximise(K: Array, d: Array, H: Array, E: Array, e: Array) -> QuadraticMaximum:
    """Solve the problem at the head of this file.

    Parameters
    ----------
    K : ndarray (n, n)
        Symmetric positive semidefinite. It is overwritten.
    d : ndarray (n,)
        Not negative.
    H : ndarray (n, k)
    E : ndarray (n, q)
        Its columns are orthogonal; q = 0 means no constraint.
    e : ndarray (q, k)
    """
    xp = namespace(K)
    M = _factorised(K, d, E)
    L = M.factorise()
    A = _solve(L, E, H, e)
    for last in (False, True):
        MA = M @ A
        R = H - MA
        nu = (E.T @ R) / xp.sum(E * E, axis=0)[:, None]
        R = R - E @ nu
        # F ≤ v(A) + ½⟨R, M⁻¹R⟩ for every A with EᵀA = e: v is exact to second order.
        v = float(xp.sum(A * H) - 0.5 * xp.sum(A * MA))
        rest = 0.5 * float(xp.sum(_solve_lower(L, R) ** 2))
        # One step of refinement, if there is need: λ may be 1e-12 of ‖K‖ and less.
        if last or rest <= 1e-24 * abs(v):
            break
        A = A + _solve(L, E, R, e - E.T @ A)
    return QuadraticMaximum(A, nu, v + rest, rest, L, E)


def _factorised(K: Array, d: Array, E: Array) -> _Shared | SeparateFactor:
    return SeparateFactor(K, d, E) if is_foreign(K) else _Shared(K, d, E)


class _Shared:
    """M = diag(d) + K and the factor of M + ESEᵀ, in the memory of K.

    The factor takes the upper triangle of the array, which is the lower one of its
    transpose, as LAPACK sees it. Below the diagonal K stays as it was, and its diagonal
    is kept. On EᵀA = e the term ⟨A, ESEᵀA⟩ is a constant: it makes the matrix positive
    definite where K annihilates E (a centred kernel) and d is small.
    """

    def __init__(self, K: Array, d: Array, E: Array):
        self._K, self._d, self._E = K, d, E
        self._diagonal = np.diag(K).copy()
        unit = np.trace(K) / len(K) + np.max(d)
        self._S = unit / np.sum(E * E, axis=0)

    def factorise(self) -> Array:
        """L with LLᵀ = M + ESEᵀ, which may be singular to rounding.

        Above the diagonal of L the array holds K.
        """
        K, n = self._K, len(self._K)
        diagonal = self._diagonal + self._d + self._E**2 @ self._S
        # n ε tr(M) bounds the rounding error of the factorisation (Higham 2002, 10.3).
        unit = np.finfo(float).eps * float(diagonal.sum())
        for jitter in (0.0, unit, 1e2 * unit, 1e4 * unit):
            self._fill_upper(again=bool(jitter))
            K.flat[:: n + 1] = diagonal + jitter
            # Symmetric: its transpose is what LAPACK calls it, without a copy.
            if factorise_lower(K.T) == 0:
                return K.T
        raise ValueError(
            "the combined kernel is not positive semidefinite: check the base kernels "
            "with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
        )

    def _fill_upper(self, again: bool) -> None:
        """K + ESEᵀ above the diagonal; `again` from what stands below it."""
        K = self._K
        SE = self._S * self._E
        for rows in spans(len(K), 256):
            rest = slice(rows.stop, None)
            if again:
                K[rows, rest] = K[rest, rows].T
                corner = np.tril(K[rows, rows], -1)
                K[rows, rows] = corner + corner.T
            if len(self._S):
                K[rows, rest] += SE[rows] @ self._E[rest].T
                K[rows, rows] += np.triu(SE[rows] @ self._E[rows].T, 1)

    def __matmul__(self, A: Array) -> Array:
        """MA."""
        K, product = self._K, np.empty_like(A)
        for rows in spans(len(K), 256):
            before, rest = slice(0, rows.start), slice(rows.stop, None)
            corner = np.tril(K[rows, rows], -1)
            corner += corner.T
            corner.flat[:: len(corner) + 1] = self._diagonal[rows]
            product[rows] = corner @ A[rows]
            product[rows] += K[rows, before] @ A[before]
            product[rows] += K[rest, rows].T @ A[rest]
        return product + self._d[:, None] * A


def _solve(L: Array | Triangle, E: Array, H: Array, e: Array) -> Array:
    """A of MA + Eν = H, EᵀA = e, with M = LLᵀ."""
    xp = namespace(H)
    both = xp.concat([H, E], axis=1) if E.shape[1] else H
    if isinstance(L, Triangle):
        both = L.solve_both(both)
    else:
        # LAPACK itself: for a hundred rows SciPy's checks take as long.
        both = dpotrs(L, both, lower=1)[0]
    if E.shape[1] == 0:
        return both
    A, ME = both[:, : H.shape[1]], both[:, H.shape[1] :]
    nu = np.linalg.solve(host(E.T @ ME), host(E.T @ A - e))
    return A - ME @ like(nu, A)


def leave_one_out(
    K: Array, d: Array, A: Array, intercept: bool, estimate: bool = False
) -> Array:
    """Residuals (n, k) of every sample when it is left out, at fixed weights.

    residual_i = A_i / [B⁻¹]_ii with B = [[diag(d) + K, 1], [1ᵀ, 0]] (without the
    border if there is no intercept): exact, from one factorisation, which takes the
    place of K. Of more than 2000 rows it is in single precision where that leaves at
    least two digits for certain, and about six in practice: see `single_factor`.
    `estimate`: of so many rows half may have an `estimated_diagonal`.

    Without an intercept, K with K1 = 0 (see `is_centred`) is centred again without
    sample i; d is then the same number for all. With 1ᵀA = 0 the origin of the features
    is irrelevant, so the border centres again: the residual is that of the border plus
    b_{−i}, the mean of the other targets, which a model without intercept lacks.
    """
    xp, n = namespace(K), K.shape[0]
    trace = xp.sum(xp.linalg.diagonal(K))
    again = not intercept and bool(is_centred(xp.sum(K), trace))
    b = 0.0
    if again:
        H = K @ A + d[:, None] * A
        b = xp.mean(H, axis=0) - mean_shift(H, filled(n, H, 1.0))
        A = A - xp.mean(A, axis=0)
    border = intercept or again
    E = filled((n, int(border)), K, 1.0)
    with blas_threads(n):
        if estimate and not is_foreign(K) and np.ptp(d) == 0:
            diagonal = estimated_diagonal(K, float(d[0]), border)
            if diagonal is not None:
                return A / diagonal[:, None] + b
        L = None if is_foreign(K) else single_factor(K, d, border)
        L = _factorised(K, d, E).factorise() if L is None else L
        return _left_out(L, A, border, overwrite=True) + b


def left_out_rows(
    K: Array,
    lam: float,
    A: Array,
    bias: Array,
    v: Array,
    intercept: bool,
    groups: Array | None = None,
) -> tuple[Array, Array]:
    """Predictions (n, k) for samples, or whole groups, left out, and the targets.

    Of a ridge regression λ in which the samples weigh v (n,): A and bias are its
    solution for K, which is overwritten. With an intercept `mean_shift` is added. From
    2000 rows on some predictions are estimates: see `leave_one_out`.
    """
    ridge = lam / v
    targets = K @ A + bias + ridge[:, None] * A
    if groups is None:
        residuals = leave_one_out(K, ridge, A, intercept, estimate=True)
        shift = mean_shift(targets, v) if intercept else 0.0
    else:
        residuals = leave_groups_out(K, ridge, A, intercept, groups)
        shift = group_shift(targets, v, groups) if intercept else 0.0
    return targets - residuals + shift, targets


def mean_shift(H: Array, v: Array) -> Array:
    """b − b_{−i}: how the mean target moves when sample i is left out, (n, k).

    The samples weigh v (n,), so b − b_{−i} = v_i(h_i − b)/(Σv − v_i). With an
    intercept a left-out prediction is an average of the other targets, of signed
    weights that add up to one. Where these weights are blind to the targets it is on
    average b_{−i}, which alone tells the class of i, the wrong way round; for a new
    sample it is b. Adding the shift makes left-out predictions comparable with those
    of new samples.
    """
    xp = namespace(H)
    v = v[:, None]
    return v * (H - xp.sum(v * H, axis=0) / xp.sum(v)) / (xp.sum(v) - v)


def _left_out(L: Array | Triangle, A: Array, intercept: bool, overwrite: bool) -> Array:
    """A_i / [B⁻¹]_ii with M = LLᵀ, shifted along 1 or not if there is a border."""
    if isinstance(L, Triangle):
        diagonal = L.inverse_diagonal()
        if intercept:
            M1 = L.solve_both(filled((A.shape[0], 1), A, 1.0))[:, 0]
            diagonal = diagonal - M1**2 / namespace(M1).sum(M1)
        return A / diagonal[:, None]
    return A / inverse_diagonal(L, intercept, overwrite)[:, None]


def _solve_lower(L: Array | Triangle, B: Array) -> Array:
    if isinstance(L, Triangle):
        return L.solve(B)
    return dtrtrs(L, B, lower=1)[0]
