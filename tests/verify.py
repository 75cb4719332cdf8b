"""Independent certificates: what a solution claims, recomputed from raw matrices.

This file imports nothing of kernelweave and shares no formula's code with it. From
Gram matrices (p, n, n), targets and λ it computes F(θ) and D(A) again, in extended
precision, so that the rounding found is that of the code under test.

    F(θ) = max_A g(A) − ½ Σ_j θ_j s_j(A)     D(A) = g(A) − ½ max_j s_j(A)/r_j
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lu_factor, lu_solve

LONG = np.longdouble


@dataclass(frozen=True)
class _Oracle:
    """Gram matrices K (p, n, n) and what the losses below share."""

    K: np.ndarray

    def combine(self, theta):
        """K(θ) = Σ_j θ_j K_j, rounded once."""
        out = np.zeros(self.K.shape[1:], LONG)
        for j in np.flatnonzero(theta):
            out += LONG(theta[j]) * self.K[j]
        return out

    def quadratic(self, A):
        """s_j(A) = tr(AᵀK_jA), (p,)."""
        A = np.asarray(A, LONG)
        return np.array([np.sum(A * (K.astype(LONG) @ A)) for K in self.K])

    def dual(self, A, r):
        """D at the point of the domain nearest to A: a lower bound, whatever A is."""
        A = self.into_domain(A)
        return self.g(A) - np.max(self.quadratic(A) / r) / 2

    def value_at(self, theta, A):
        """g(A) − ½ θᵀs(A) ≤ F(θ), with equality at the inner maximiser only."""
        A = self.into_domain(A)
        return self.g(A) - np.sum(A * (self.combine(theta) @ A)) / 2

    # Without a constraint the domain is everything.
    def into_domain(self, A):
        return np.asarray(A, LONG)


@dataclass(frozen=True)
class Square(_Oracle):
    """g(A) = ⟨A, H⟩ − (λ/2)‖A‖², 1ᵀA = 0 with an intercept.

    λ learned: put the identity among the kernels (`with_identity`) and λ = 0.
    """

    H: np.ndarray
    lam: float
    intercept: bool

    def into_domain(self, A):
        A = np.asarray(A, LONG)
        return A - A.mean(axis=0) if self.intercept else A

    def g(self, A):
        return np.sum(A * self.H) - LONG(self.lam) * np.sum(A * A) / 2

    def coefficients(self, theta, H=None):
        """A and b of MA + 1bᵀ = H, 1ᵀA = 0 (b = 0 and no border: no intercept)."""
        H = self.H if H is None else H
        M = self.combine(theta)
        M[np.diag_indices_from(M)] += LONG(self.lam)
        E = np.ones((len(M), 1 if self.intercept else 0))
        A, b = solve_bordered(M, E, H, np.zeros((E.shape[1], H.shape[1])))
        return A, b[0] if self.intercept else np.zeros(H.shape[1])

    def primal(self, theta):
        return self.value_at(theta, self.coefficients(theta)[0])

    def residual(self, theta, A, b):
        """H − K(θ)A − λA − 1bᵀ in the unit of H: zero at the maximiser."""
        A = np.asarray(A, LONG)
        R = self.H - self.combine(theta) @ A - LONG(self.lam) * A - b
        return float(np.max(np.abs(R)) / np.max(np.abs(self.H)))


@dataclass(frozen=True)
class Majorized(Square):
    """Ye et al. (32): F = ½ min{Σt : diag(t) ⪰ T}, T = HᵀM⁻¹H (on 1ᵀA = 0)."""

    def g(self, A):
        rows = np.sqrt(np.sum((self.H.T.astype(LONG) @ A) ** 2, axis=1))
        return np.sum(rows) - LONG(self.lam) * np.sum(A * A) / 2

    def primal(self, theta):
        A, _ = self.coefficients(theta)
        T = np.asarray(self.H.T @ A, float)
        lower, upper = correlation_bounds((T + T.T) / 2)
        assert upper - lower <= 1e-10 * upper, "the k×k program is not solved"
        return upper / 2


@dataclass(frozen=True)
class Fisher(_Oracle):
    """Kim et al.: F = −(λ/2) FDR*, with g on ΣA₊ = 1, ΣA₋ = −1."""

    y: np.ndarray
    lam: float

    def _split(self):
        plus = self.y > 0
        return plus, LONG(plus.sum()), LONG((~plus).sum())

    def into_domain(self, A):
        A = np.array(A, LONG)
        plus, m1, m2 = self._split()
        A[plus] += (1 - A[plus].sum()) / m1
        A[~plus] += (-1 - A[~plus].sum()) / m2
        return A

    def g(self, A):
        plus, m1, m2 = self._split()
        within = m1 * np.sum((A[plus] - 1 / m1) ** 2)
        within += m2 * np.sum((A[~plus] + 1 / m2) ** 2)
        return -LONG(self.lam) / 2 * within

    def ratio(self, theta):
        """Equation (7): (1/λ)[aᵀGa − aᵀGJ(λI + JGJ)⁻¹JGa]."""
        plus, m1, m2 = self._split()
        G = self.combine(theta)
        a = np.where(plus, 1 / m1, -1 / m2)
        J = np.zeros_like(G)
        for mask, m in ((plus, m1), (~plus, m2)):
            block = (np.eye(int(m), dtype=LONG) - 1 / m) / np.sqrt(m)
            J[np.ix_(mask, mask)] = block
        JG = J @ G
        M = JG @ J
        M[np.diag_indices_from(M)] += LONG(self.lam)
        rhs = (JG @ a)[:, None]
        u, _ = solve_bordered(M, np.zeros((len(M), 0)), rhs, np.zeros((0, 1)))
        # bᵀM⁻¹b to second order in the error of u.
        quadratic = 2 * np.sum(rhs * u) - np.sum(u * (M @ u))
        return (a @ (G @ a) - quadratic) / LONG(self.lam)

    def ratio_in_feature_space(self, theta):
        """Equations (2) and (3), with features Φ such that ΦΦᵀ = K(θ)."""
        values, vectors = np.linalg.eigh(np.asarray(self.combine(theta), float))
        features = vectors * np.sqrt(np.maximum(values, 0))
        plus, _, _ = self._split()
        difference = features[plus].mean(axis=0) - features[~plus].mean(axis=0)
        scatter = np.cov(features[plus].T, bias=True)
        scatter += np.cov(features[~plus].T, bias=True)
        scatter += self.lam * np.eye(len(scatter))
        return difference @ np.linalg.solve(scatter, difference)

    def primal(self, theta):
        return -LONG(self.lam) / 2 * self.ratio(theta)


def with_identity(K, scale):
    """(scale·I, K_1, ..., K_p), whose first weight is the learned λ / scale."""
    return np.concatenate([scale * np.eye(K.shape[1])[None], K])


def solve_bordered(M, E, H, e):
    """[[M, E], [Eᵀ, 0]] [A; ν] = [H; e]: LU in double, residuals in long double."""
    n, q = E.shape
    system = np.zeros((n + q, n + q))
    system[:n, :n] = M
    system[:n, n:] = E
    system[n:, :n] = E.T
    factor = lu_factor(system)
    A, nu = np.zeros(H.shape, LONG), np.zeros(e.shape, LONG)
    # Each step gains −log10(cond·ε) digits: some four of them at cond = 1e12.
    for _ in range(5):
        R = np.vstack([H - M @ A - E @ nu, e - E.T @ A])
        step = lu_solve(factor, np.asarray(R, float))
        A, nu = A + step[:n], nu + step[n:]
    return A, nu


def correlation_bounds(T):
    """Bounds of max tr(ZT) over Z ⪰ 0, Z_jj = 1, which meet at the optimum.

    Z = BBᵀ with unit rows; each row in turn is set to its best value, the direction of
    Σ_{j≠i} T_ij b_j. At a fixed point t_i = (TZ)_ii is the dual point, made feasible by
    the smallest eigenvalue of diag(t) − T.
    """
    k = len(T)
    off = T - np.diag(np.diag(T))
    B = np.linalg.qr(np.random.default_rng(0).normal(size=(k, k)))[0]
    lower = upper = np.nan
    for sweep in range(200_000):
        for i in range(k):
            v = off[i] @ B
            size = np.linalg.norm(v)
            B[i] = v / size if size > 0 else B[i]
        if sweep % 20 == 0:
            t = np.sum((T @ B) * B, axis=1)
            lower = t.sum()
            slack = np.linalg.eigvalsh(np.diag(t) - T)[0]
            upper = lower + k * max(0.0, -slack)
            if upper - lower <= 1e-13 * upper:
                break
    return lower, upper


def check(oracle, solution, r=None, *, tol=1e-6, rounding=1e-10):
    """Assert every claim of a solution, and that it is optimal to `tol`.

    Parameters
    ----------
    oracle : Square, Majorized or Fisher of this file
    solution
        With weights, A, bias, dual_A and certificate.(primal, dual, relative_gap).
    r : array (p,), optional
        The weights are feasible if θ ≥ 0 and rᵀθ = 1.
    tol : float
        The relative duality gap that the solution must have.
    rounding : float
        How far a reported value may be from the true one, relatively. Values are
        exact to second order in the error of A, so 1e-10 is generous.

    Returns
    -------
    primal, dual, gap : float
        The independent values.
    """
    theta, c = np.asarray(solution.weights), solution.certificate
    r = np.ones(len(theta)) if r is None else np.asarray(r)
    assert np.all(np.isfinite(theta)), "weights are not finite"
    assert np.all(theta >= 0), "a weight is negative"
    # A sum of p products, each rounded.
    assert abs(r @ theta - 1) <= 4 * len(theta) * np.finfo(float).eps, "rᵀθ ≠ 1"
    for name in ("A", "dual_A"):
        A = np.asarray(getattr(solution, name), LONG)
        outside = np.max(np.abs(A - oracle.into_domain(A)))
        assert outside <= 1e-12 * np.max(np.abs(A)), f"{name} is outside the domain"

    primal, dual = oracle.primal(theta), oracle.dual(solution.dual_A, r)
    scale = max(abs(primal), abs(dual))
    gap = float((primal - dual) / scale)
    assert gap >= -rounding, "weak duality is violated: the verifier is wrong"
    assert abs(c.primal - primal) <= rounding * scale, "the primal value is not F(θ)"
    assert abs(c.dual - dual) <= rounding * scale, "the dual value is not D(A)"
    assert abs(c.relative_gap - gap) <= 2 * rounding, "the gap is misreported"
    attained = oracle.value_at(theta, solution.A)
    assert abs(attained - primal) <= rounding * scale, "A is no inner maximiser"
    if type(oracle) is Square:
        # A is exact to first order only: the residual is that of a backward stable
        # solution, ε‖K‖‖A‖ with ‖A‖ up to ‖H‖/λ.
        residual = oracle.residual(theta, solution.A, solution.bias)
        fits = residual <= max(1e-8, rounding)
        assert fits, "A and the bias do not fit the targets"
    assert gap <= tol, f"the relative gap is {gap:.2e}"
    return float(primal), float(dual), gap
