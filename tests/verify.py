"""Independent certificates: what a solution claims, recomputed from raw matrices.

This file imports nothing of kernelweave and shares no formula's code with it. From
Gram matrices (p, n, n), targets and λ it computes F(θ) and D(A) again, in extended
precision, so that the rounding found is that of the code under test.

    F(θ) = max_A g(A) − ½ Σ_j θ_j s_j(A)     D(A) = g(A) − ½σ(s(A))

The sets of weights, with σ(s) = max_θ θᵀs, are written down again here too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lu_factor, lu_solve

LONG = np.longdouble


@dataclass(frozen=True)
class Simplex:
    """θ ≥ 0, rᵀθ = 1."""

    r: np.ndarray

    def cost(self, theta):
        """At most 1 in the set, and 1 where its constraint is tight."""
        return self.r @ theta

    def support(self, s):
        return np.max(s / self.r)


@dataclass(frozen=True)
class LpBall:
    """θ ≥ 0, Σθ^p ≤ 1."""

    p: float

    def cost(self, theta):
        return np.sum(theta**self.p)

    def support(self, s):
        s = np.maximum(np.asarray(s, LONG), 0)
        top, q = np.max(s), LONG(self.p) / (LONG(self.p) - 1)
        if top == 0:
            return top
        return top * np.sum((s / top) ** q) ** (1 / q)


@dataclass(frozen=True)
class ElasticNet:
    """θ ≥ 0, Σ c(θ) ≤ 1 with c(θ) = vθ + (1−v)θ^p, 0 ≤ v < 1."""

    v: float
    p: float = 2.0

    def cost(self, theta):
        return np.sum(self.v * theta + (1 - LONG(self.v)) * theta**self.p)

    def support(self, s):
        """min_η η + Σ max_θ (sθ − ηc(θ)): at least σ(s) for every η, so D is a bound.

        The inner maximum is η(1−v)(p−1)θ^p at θ = ((s/η − v)₊/(p(1−v)))^(1/(p−1));
        the sum is convex in η.
        """
        s, p, w = np.maximum(np.asarray(s, LONG), 0), LONG(self.p), 1 - LONG(self.v)

        def upper(eta):
            with np.errstate(over="ignore"):
                power = (np.maximum(s / eta - self.v, 0) / (p * w)) ** (p / (p - 1))
            return eta * (1 + w * (p - 1) * np.sum(power))

        low, high = LONG(0), 4 * np.sum(s) + LONG(1e-300)
        for _ in range(200):
            third = (high - low) / 3
            if upper(low + third) < upper(high - third):
                high = high - third
            else:
                low = low + third
        return upper((low + high) / 2)


@dataclass(frozen=True)
class GroupSimplex:
    """θ ≥ 0, Σ_g ‖θ_g‖₂ ≤ 1, for one label a kernel."""

    groups: tuple

    def _norms(self, x):
        labels = np.array(self.groups)
        return np.array(
            [np.sqrt(np.sum(x[labels == g] ** 2)) for g in set(self.groups)]
        )

    def cost(self, theta):
        return np.sum(self._norms(theta))

    def support(self, s):
        return np.max(self._norms(np.maximum(s, 0)))


@dataclass(frozen=True)
class _Oracle:
    """Gram matrices K (p, n, n) and what the losses below share."""

    K: np.ndarray

    def combine(self, theta):
        """K(θ) = Σ_j θ_j K_j, rounded once."""
        out = np.zeros(self.K.shape[1:], LONG)
        for j in np.flatnonzero(theta):
            out += LONG(theta[j]) * self.K[j].astype(LONG)
        return out

    def quadratic(self, A):
        """s_j(A) = tr(AᵀK_jA), (p,)."""
        A = np.asarray(A, LONG)
        return np.array([np.sum(A * (K.astype(LONG) @ A)) for K in self.K])

    def dual(self, A, r):
        """D on the simplex rᵀθ = 1."""
        return self.bound(A, Simplex(r))

    def bound(self, A, weights):
        """D at a point of the domain near A: a lower bound, whatever A is."""
        A = self.into_domain(A)
        return self.g(A) - weights.support(self.quadratic(A)) / 2

    def value_at(self, theta, A):
        """g(A) − ½ θᵀs(A) ≤ F(θ), with equality at the inner maximiser only."""
        A = self.into_domain(A)
        return self.g(A) - np.sum(A * (self.combine(theta) @ A)) / 2

    def g(self, A):
        raise NotImplementedError

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


@dataclass(frozen=True)
class Box(_Oracle):
    """g(A) = ⟨A, T⟩ − ε‖A‖₁ − ½Σ d∘A² on lower ≤ A ≤ upper, 1ᵀA = 0 with an intercept.

    F(θ) lies between the two sides of weak duality at any A of the domain,

        g(A) − ½⟨A, KA⟩ ≤ F(θ) ≤ ½⟨A, KA⟩ + Σφ(T − KA − b),
        φ(r) = max {ra − ε|a| − ½da² : lower ≤ a ≤ upper},

    and `primal` asserts that they meet, so it does not matter how A was found.
    """

    T: np.ndarray
    epsilon: float
    lower: np.ndarray
    upper: np.ndarray
    d: np.ndarray
    intercept: bool

    def into_domain(self, A):
        A = np.clip(np.asarray(A, LONG), self.lower, self.upper)
        if self.intercept:
            for a in A.T:
                # The heavier side is made lighter.
                plus, minus = a[a > 0].sum(), -a[a < 0].sum()
                if plus > minus:
                    a[a > 0] *= minus / plus
                elif minus > plus:
                    a[a < 0] *= plus / minus
        return A

    def g(self, A):
        linear = np.sum(A * self.T) - LONG(self.epsilon) * np.sum(np.abs(A))
        return linear - np.sum(self.d * A * A) / 2

    def answers(self, r):
        """The a of the box that attain φ(r)."""
        soft = np.sign(r) * np.maximum(np.abs(r) - self.epsilon, 0)
        far = np.where(soft > 0, self.upper, np.where(soft < 0, self.lower, 0))
        near = soft / np.where(self.d > 0, self.d, 1)
        return np.where(self.d > 0, np.clip(near, self.lower, self.upper), far)

    def best_bias(self, f):
        # Σφ falls with b as long as the sum of the answers is positive.
        reach = np.max(np.abs(self.T - f), axis=0) + LONG(self.epsilon)
        low, high = -reach, reach
        for _ in range(75):
            b = (low + high) / 2
            falling = self.answers(self.T - f - b).sum(axis=0) > 0
            low, high = np.where(falling, b, low), np.where(falling, high, b)
        return (low + high) / 2

    def fitted(self, theta, A, bias=None):
        """½⟨A, KA⟩ + Σφ(T − KA − b) ≥ F(θ), at the best b unless it is given."""
        A = np.asarray(A, LONG)
        f = self.combine(theta) @ A
        if bias is None:
            bias = self.best_bias(f) if self.intercept else LONG(0)
        r = self.T - f - bias
        a = self.answers(r)
        phi = a * r - LONG(self.epsilon) * np.abs(a) - self.d * a * a / 2
        return np.sum(A * f) / 2 + np.sum(phi)

    def coefficients(self, theta):
        """A near the inner maximiser, column by column."""
        M = self.combine(theta)
        columns = []
        for c in range(self.T.shape[1]):
            parts = {k: getattr(self, k)[:, [c]] for k in ("T", "lower", "upper", "d")}
            columns.append(replace(self, K=M[None], **parts)._column())
        return np.column_stack(columns)

    def _column(self):
        (M,), t, low, high = self.K, self.T[:, 0], self.lower[:, 0], self.upper[:, 0]
        # a = Σσx with one x ≥ 0 for every sign σ that an entry may have.
        rows = np.concatenate([np.flatnonzero(high > 0), np.flatnonzero(low < 0)])
        sign = np.repeat([1.0, -1.0], [np.sum(high > 0), np.sum(low < 0)])
        best = np.zeros((len(M), 1), LONG)
        q = sign * t[rows] - LONG(self.epsilon)
        # Zero if nothing rises there, and if entries of one sign add up to zero.
        if np.all(q <= 0) or (self.intercept and abs(sign.sum()) == len(sign)):
            return best
        M = M + np.diag(self.d[:, 0])
        E = sign[:, None] if self.intercept else np.zeros((len(sign), 0))
        x, nu = interior_point(
            M[np.ix_(rows, rows)] * np.outer(sign, sign),
            q,
            E,
            np.append(high[high > 0], -low[low < 0]),
        )
        a, b = np.zeros(len(M), LONG), nu.sum()
        np.add.at(a, rows, sign * x)
        gap = np.inf
        for _ in range(8):
            trial = self.into_domain(a[:, None])
            found = self.fitted([1], trial) - self.value_at([1], trial)
            if found < gap:
                best, gap = trial, found
            if gap <= 1e-17 * abs(self.value_at([1], best)):
                break
            a, b = self._newton(M, a, b)
        return best

    def _newton(self, M, a, b):
        """The entries that go to a bound or to the kink put there, the others solved.

        a = π(a + κ(t − Ma − b)), π the soft threshold κε and the box, at the optimum.
        """
        t, low, high = self.T[:, 0], self.lower[:, 0], self.upper[:, 0]
        kappa = 1 / np.maximum(np.diag(M), 1e-12 * np.max(np.diag(M)) + LONG(1e-300))
        p = a + kappa * (t - M @ a - b)
        side = np.sign(p) if self.epsilon > 0 else np.zeros(len(p))
        p = p - np.clip(p, -kappa * self.epsilon, kappa * self.epsilon)
        at = np.clip(p, low, high)
        free = (at == p) & ((p != 0) | (self.epsilon == 0)) & (high > low)
        a = np.where(free, a, at)
        k = int(free.sum())
        E = np.ones((k, 1 if self.intercept else 0))
        system = np.block(
            [[M[np.ix_(free, free)], E], [E.T, np.zeros((E.shape[1],) * 2)]]
        )
        # Singular for kernels of low rank: refinement takes the ridge out again.
        system[np.diag_indices(k)] += 1e-14 * np.trace(M) + LONG(1e-300)
        if k == 0:
            return a, b
        factor = lu_factor(np.asarray(system, float))
        for _ in range(10):
            rest = (t - self.epsilon * side - M @ a - b)[free]
            if self.intercept:
                rest = np.append(rest, -a.sum())
            step = lu_solve(factor, np.asarray(rest, float))
            a[free] += step[:k]
            b = b + step[k:].sum()
        return a, b

    def primal(self, theta):
        A = self.coefficients(theta)
        lower, upper = self.value_at(theta, A), self.fitted(theta, A)
        assert upper - lower <= 1e-11 * abs(upper), "the inner problem is not solved"
        return upper


def hinge(K, Y, C, intercept=True):
    """0 ≤ Y∘A ≤ C."""
    C = C * np.ones(Y.shape)
    low, high = np.where(Y > 0, 0, -C), np.where(Y > 0, C, 0)
    return Box(K, Y, 0.0, low, high, np.zeros(Y.shape), intercept)


def squared_hinge(K, Y, C, intercept=True):
    """Y∘A ≥ 0, d = 1/C, and A = 0 where C = 0."""
    d, bound = _squared(C, Y.shape)
    return replace(hinge(K, Y, bound, intercept), d=d)


def epsilon_insensitive(K, H, C, epsilon, intercept=True):
    """|A| ≤ C."""
    C = C * np.ones(H.shape)
    return Box(K, H, epsilon, -C, C, np.zeros(H.shape), intercept)


def squared_epsilon_insensitive(K, H, C, epsilon, intercept=True):
    """d = 1/C, and A = 0 where C = 0."""
    d, bound = _squared(C, H.shape)
    return replace(epsilon_insensitive(K, H, bound, epsilon, intercept), d=d)


def _squared(C, shape):
    C = C * np.ones(shape)
    used = C > 0
    return 1 / np.where(used, C, 1), np.where(used, np.inf, 0)


@dataclass(frozen=True)
class LearnedC(Box):
    """The squared hinge without an error allowed, on `with_identity(K, scale)`.

    scale·θ_0 stands in the place of d, so F(θ) is that of the squared hinge.
    """

    def primal(self, theta):
        d = self.K[0, 0, 0] * theta[0] * np.ones(self.T.shape)
        rest = Box(self.K[1:], self.T, 0.0, self.lower, self.upper, d, self.intercept)
        return rest.primal(theta[1:])


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


def interior_point(Q, q, E, cap):
    """x near the minimum of ½xᵀQx − qᵀx on 0 ≤ x ≤ cap, Eᵀx = 0, and ν of Eᵀx = 0.

    Predictor and corrector along the central path; caps may be infinite.
    """
    n, m = len(q), np.flatnonzero(np.isfinite(cap))
    # Units of x: how far one entry alone would go; and of the objective.
    diagonal = np.maximum(np.diag(Q), 1e-12 * np.max(np.diag(Q)) + LONG(1e-300))
    u = np.minimum(cap, np.max(np.abs(q)) / diagonal).astype(float)
    unit = np.max(np.abs(q * u))
    P = np.asarray(Q * np.outer(u, u) / unit, float)
    c, S, nu = np.asarray(q * u / unit, float), E * u[:, None], np.zeros(E.shape[1])
    # v > 0 and its multiplier y > 0: the entries x, then the room below the caps.
    v = 0.5 * np.append(np.ones(n), cap[m] / u[m])
    v[:n][m] = v[n:]
    y = np.ones(len(v))
    for _ in range(80):
        x, mu = v[:n], v @ y / len(v)
        if mu <= 1e-15:
            break
        over = cap[m] / u[m] - x[m] - v[n:]
        slope = c - P @ x - S @ nu + y[:n]
        slope[m] -= y[n:]
        ratio = y / v
        bend = ratio[:n] + 1e-14
        bend[m] += ratio[n:]
        factor = cho_factor(P + np.diag(bend))
        W = cho_solve(factor, S)

        dv, dy, dnu, goal, t = np.zeros(len(v)), np.zeros(len(v)), nu, 0.0, 1.0
        for _ in ("predictor", "corrector"):
            # (v + dv)∘(y + dy) = goal, to second order the second time.
            rest = (goal - dv * dy) / v - y
            push = slope + rest[:n]
            push[m] -= rest[n:] - ratio[n:] * over
            dx = cho_solve(factor, push)
            dnu = np.linalg.solve(S.T @ W, S.T @ (x + dx))
            dx = dx - W @ dnu
            dv = np.append(dx, over - dx[m])
            dy = rest - ratio * dv
            # The longest step that keeps v and y positive.
            both, change = np.append(v, y), np.append(dv, dy)
            down = change < 0
            t = 0.99 * np.min(-both[down] / change[down], initial=1 / 0.99)
            goal = mu * ((v + t * dv) @ (y + t * dy) / (v @ y)) ** 3
        v, y, nu = v + t * dv, y + t * dy, nu + t * dnu
    return u * v[:n].astype(LONG), nu * unit


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


def check(
    oracle, solution, r=None, *, weights=None, tol=1e-6, rounding=1e-10, slack=0.0
):
    """Assert every claim of a solution, and that it is optimal to `tol`.

    Parameters
    ----------
    oracle : Square, Majorized, Fisher or Box of this file
    solution
        With weights, A, bias, dual_A and certificate.(primal, dual, relative_gap).
    r : array (p,), optional
        The weights are feasible if θ ≥ 0 and rᵀθ = 1.
    weights : Simplex, LpBall, ElasticNet or GroupSimplex of this file, optional
        In place of r. The constraint must be tight, as it is at every optimum.
    tol : float
        The relative duality gap that the solution must have.
    rounding : float
        How far a reported value may be from the true one, relatively. Values are
        exact to second order in the error of A, so 1e-10 is generous.
    slack : float
        How far from tight the constraint on the weights may be.

    Returns
    -------
    primal, dual, gap : float
        The independent values.
    """
    theta, c = np.asarray(solution.weights), solution.certificate
    if weights is None:
        weights = Simplex(np.ones(len(theta)) if r is None else np.asarray(r))
    assert np.all(np.isfinite(theta)), "weights are not finite"
    assert np.all(theta >= 0), "a weight is negative"
    # A sum of p products, each rounded.
    cost, few = weights.cost(theta), 4 * len(theta) * np.finfo(float).eps
    assert cost <= 1 + few, "the weights are outside the set"
    assert cost >= 1 - few - slack, "the constraint on the weights is not tight"
    for name in ("A", "dual_A"):
        A = np.asarray(getattr(solution, name), LONG)
        outside = np.max(np.abs(A - oracle.into_domain(A)))
        assert outside <= 1e-12 * np.max(np.abs(A)), f"{name} is outside the domain"

    primal, dual = oracle.primal(theta), oracle.bound(solution.dual_A, weights)
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
    if type(oracle) is Box:
        fitted = oracle.fitted(theta, solution.A, solution.bias)
        fits = fitted - primal <= rounding * scale
        assert fits, "A and the bias do not fit the targets"
    assert gap <= tol, f"the relative gap is {gap:.2e}"
    return float(primal), float(dual), gap
