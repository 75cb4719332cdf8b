"""Independent certificates for the losses of likelihoods, as in verify.py.

Nothing of kernelweave is imported, and no formula's code is shared with it. Each L is
written as in a textbook, in long double, with its gradient and its Hessian. The inner
minimum is found in feature space, in (w, b) with f = Φw, ΦΦᵀ = K(θ); that A = −∇L then
attains F(θ) is proved by the two sides of weak duality:

    g(A) − ½⟨A, KA⟩ ≤ F(θ) ≤ ½⟨A, KA⟩ + L(KA + 1bᵀ).

g(A) = min_u L(u) + ⟨A, u⟩ is taken at the u with −∇L(u) = A, which is asserted.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

import verify
from verify import LONG


@dataclass(frozen=True)
class Likelihood(verify._Oracle):
    """A convex L(u) of u (n, k); g on {EA = 0, a set of inequalities}."""

    Y: np.ndarray
    C: np.ndarray
    intercept: bool

    def loss(self, u):
        """(L, ∇L) at u (n, k)."""
        raise NotImplementedError

    def hessian(self, u):
        """(n, k, n, k), in double."""
        raise NotImplementedError

    def inside(self):
        """A point inside the domain."""
        raise NotImplementedError

    def slacks(self, A):
        """Affine functions of A that are not negative in the domain."""
        raise NotImplementedError

    def project(self, A):
        """A on the equations of the domain."""
        used = (self.C > 0).astype(LONG)
        A = A * used
        return A - used * (A.sum(axis=0) / used.sum(axis=0)) if self.intercept else A

    def into_domain(self, A):
        A, inside = self.project(np.asarray(A, LONG)), self.inside()
        here, there = self.slacks(A), self.slacks(inside)
        bad = here < 0
        if not bad.any():
            return A
        # On the way to a point inside, as far as it takes.
        s = np.max(here[bad] / (here[bad] - there[bad]))
        s = min(s * (1 + LONG(1e-6)) + LONG(1e-18), LONG(1))
        return (1 - s) * A + s * inside

    def fitted(self, theta, A, bias):
        A = np.asarray(A, LONG)
        f = self.combine(theta) @ A
        return np.sum(A * f) / 2 + self.loss(f + bias)[0]

    def solve(self, theta):
        """A and b near the inner optimum."""
        K = np.asarray(self.combine(theta), float)
        values, V = np.linalg.eigh(K)
        keep = values > 1e-15 * max(values[-1], 1e-300)
        Phi = V[:, keep] * np.sqrt(values[keep])
        n, k = self.Y.shape
        r = Phi.shape[1]
        unit = np.sqrt(np.trace(K) / n)
        X = np.hstack([Phi, np.full((n, 1), unit)]) if self.intercept else Phi
        penalty = np.append(np.ones(r), np.zeros(X.shape[1] - r))[:, None]
        exact, w = X.astype(LONG), np.zeros((X.shape[1], k), LONG)
        w[r:] = self.bias_at_zero() / unit

        def objective(w):
            L, gradient = self.loss(exact @ w)
            return L + np.sum(penalty * w**2) / 2, gradient

        value, gradient = objective(w)
        for _ in range(300):
            slope = np.asarray(exact.T @ gradient + penalty * w, float)
            bend = self.hessian(X @ np.asarray(w, float))
            H = np.einsum("ia,icjd,jb->acbd", X, bend, X, optimize=True)
            H = H.reshape(w.size, w.size) + np.diag(np.tile(penalty, k).ravel())
            values, V = np.linalg.eigh(H)
            # Flat directions: b where all is saturated, or all classes at once.
            some = values > 1e-15 * values[-1]
            step = V[:, some] @ ((V[:, some].T @ slope.ravel()) / values[some])
            step, t = step.reshape(w.shape), 1.0
            promise = float(np.sum(step * slope))
            new, up = objective(w - step)
            while not new <= value - 0.1 * t * promise and t > 1e-12:
                t *= 0.5
                new, up = objective(w - t * step)
            if not new < value:
                if promise <= 1e-9 * abs(value):
                    # Below the rounding of the value a step still mends the gradient.
                    w = w - step
                    value, gradient = objective(w)
                break
            w, value, gradient = w - t * step, new, up
            if promise <= 1e-24 * abs(value):
                break
        bias = unit * w[r:].sum(axis=0)
        return self.into_domain(-gradient), bias

    def bias_at_zero(self):
        return np.zeros(self.Y.shape[1])

    def primal(self, theta):
        A, bias = self.solve(theta)
        lower, upper = self.value_at(theta, A), self.fitted(theta, A, bias)
        assert upper - lower <= 1e-11 * abs(upper), "the inner problem is not solved"
        return upper


@dataclass(frozen=True)
class Logistic(Likelihood):
    """ΣC log(1 + exp(−Yu)); Y is ±1."""

    def loss(self, u):
        z = self.Y * u
        L = np.maximum(-z, 0) + np.log1p(np.exp(-np.abs(z)))
        p = np.exp(np.minimum(-z, 0)) / (1 + np.exp(-np.abs(z)))
        return np.sum(self.C * L), -self.C * self.Y * p

    def hessian(self, u):
        n, k = u.shape
        w = self.C * np.exp(-np.abs(u)) / (1 + np.exp(-np.abs(u))) ** 2
        H = np.zeros((n, k, n, k))
        i, c = np.indices((n, k))
        H[i, c, i, c] = w
        return H

    def bias_at_zero(self):
        plus = np.sum(self.C * (self.Y > 0), axis=0)
        return np.log(plus / np.sum(self.C * (self.Y < 0), axis=0))

    def inside(self):
        b = self.bias_at_zero() if self.intercept else np.zeros(self.Y.shape[1])
        return self.project(-self.loss(np.zeros(self.Y.shape, LONG) + b)[1])

    def slacks(self, A):
        z = self.Y * A
        return np.stack([z, self.C - z])

    def g(self, A):
        # The odds of the sample's own class, exp(−z) = α/(1 − α).
        total = LONG(0)
        for a, y, C in zip(A.ravel(), self.Y.ravel(), self.C.ravel(), strict=True):
            q = y * a
            if 0 < q < C:
                z = np.log(C - q) - np.log(q)
                total += C * (np.maximum(-z, 0) + np.log1p(np.exp(-abs(z)))) + q * z
        return total


@dataclass(frozen=True)
class Multinomial(Likelihood):
    """Σ_i C_i(log Σ_c exp(u_ic) − u of the class of i); Y is 0 and 1, C (n, 1)."""

    def loss(self, u):
        top = u.max(axis=1, keepdims=True)
        e = np.exp(u - top)
        total = e.sum(axis=1, keepdims=True)
        L = np.log(total) + top - np.sum(self.Y * u, axis=1, keepdims=True)
        own = self.Y > 0
        others = np.where(own, 0, e)
        # p − 1 of the own class is minus the sum of the others.
        gradient = np.where(own, -others.sum(axis=1, keepdims=True), others) / total
        return np.sum(self.C * L), self.C * gradient

    def hessian(self, u):
        n, k = u.shape
        p = np.exp(u - u.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        H = np.zeros((n, k, n, k))
        for i in range(n):
            H[i, :, i, :] = self.C[i] * (np.diag(p[i]) - np.outer(p[i], p[i]))
        return H

    def project(self, A):
        used = (self.C > 0).astype(LONG)
        A = A * used
        A = A - A.mean(axis=1, keepdims=True)
        return A - used * (A.sum(axis=0) / used.sum()) if self.intercept else A

    def bias_at_zero(self):
        return np.log(np.sum(self.C * self.Y, axis=0)) if self.intercept else 0.0

    def inside(self):
        b = np.zeros(self.Y.shape, LONG) + self.bias_at_zero()
        return self.project(-self.loss(b)[1])

    def slacks(self, A):
        return self.C * self.Y - A

    def g(self, A):
        p = np.where(self.C > 0, self.Y - A / np.where(self.C > 0, self.C, 1), 0)
        logs = np.log(np.where(p > 0, p, 1))
        return -np.sum(self.C * p * logs)


@dataclass(frozen=True)
class Poisson(Likelihood):
    """ΣC(exp(u) − y − y(u − log y))."""

    def loss(self, u):
        y = self.Y.astype(LONG)
        own = y * np.log(np.where(y > 0, y, 1)) - y
        with np.errstate(over="ignore"):
            mu = np.exp(u)
        L = np.where(self.C > 0, self.C * (mu - y * u + own), 0)
        return np.sum(L), np.where(self.C > 0, self.C * (mu - y), 0)

    def hessian(self, u):
        n, k = u.shape
        H = np.zeros((n, k, n, k))
        i, c = np.indices((n, k))
        H[i, c, i, c] = self.C * np.exp(u)
        return H

    def bias_at_zero(self):
        return np.log(np.sum(self.C * self.Y, axis=0) / np.sum(self.C, axis=0))

    def inside(self):
        b = self.bias_at_zero() if self.intercept else np.zeros(self.Y.shape[1])
        return self.project(-self.loss(np.zeros(self.Y.shape, LONG) + b)[1])

    def slacks(self, A):
        return self.C * self.Y - A

    def g(self, A):
        y = self.Y.astype(LONG)
        mu = np.where(self.C > 0, y - A / np.where(self.C > 0, self.C, 1), y)

        def h(x):
            return x * np.log(np.where(x > 0, x, 1)) - x

        return np.sum(self.C * (h(y) - h(mu)))


@dataclass(frozen=True)
class Cox(Likelihood):
    """C Σ_events v(log Σ_{at risk} v exp(u) − u) − C Σ_t d log d, stratum by stratum.

    Y (n, 4): time, event, weight, stratum. C is one number, in an array (1, 1).
    """

    def _sets(self):
        """For every stratum and time of an event: those at risk, and those who die."""
        time, event, v, stratum = self.Y.T
        found = []
        for s in np.unique(stratum):
            mine = (stratum == s) & (v > 0)
            for t in np.unique(time[mine & (event > 0)]):
                dead = mine & (time == t) & (event > 0)
                found.append((s, mine & (time >= t), dead))
        return found

    def loss(self, u):
        u, v = np.asarray(u, LONG)[:, 0], self.Y[:, 2].astype(LONG)
        L, gradient = LONG(0), np.zeros(len(u), LONG)
        for _, risk, dead in self._sets():
            d = v[dead].sum()
            top = u[risk].max()
            e = v[risk] * np.exp(u[risk] - top)
            L += d * (np.log(e.sum()) + top) - v[dead] @ u[dead] - d * np.log(d)
            gradient[risk] += d * e / e.sum()
            gradient[dead] -= v[dead]
        return self.C[0, 0] * L, self.C[0, 0] * gradient[:, None]

    def hessian(self, u):
        u, v, n = u[:, 0], self.Y[:, 2], len(u)
        H = np.zeros((n, n))
        for _, risk, dead in self._sets():
            p = np.where(risk, v * np.exp(np.where(risk, u - u[risk].max(), 0)), 0)
            p /= p.sum()
            H += v[dead].sum() * (np.diag(p) - np.outer(p, p))
        return self.C[0, 0] * H[:, None, :, None]

    def solve(self, theta):
        one = Likelihood.solve
        return one(_OneColumn(self), theta)

    def project(self, A):
        A = np.array(A, LONG)
        at_risk = np.zeros(len(A), bool)
        for s in np.unique(self.Y[:, 3]):
            mine = np.zeros(len(A), bool)
            for stratum, risk, _ in self._sets():
                mine |= risk if stratum == s else False
            if mine.any():
                A[mine] -= A[mine].mean()
            at_risk |= mine
        A[~at_risk] = 0
        return A

    def inside(self):
        return self.project(-self.loss(np.zeros((len(self.Y), 1)))[1])

    def _expected(self, A):
        """m, Q − d and Q by set, of A = C(e − m)."""
        v = self.Y[:, 2].astype(LONG)
        e = np.where(self.Y[:, 1] > 0, v, 0)
        m, sets = e - A[:, 0] / self.C[0, 0], self._sets()
        rest = []
        for s, risk, dead in sets:
            late = [d for s2, r2, d in sets if s2 == s and not r2[dead].any()]
            later = sum((v[d].sum() for d in late), LONG(0))
            rest.append(m[risk].sum() - later - v[dead].sum())
        return m, np.array(rest)

    def slacks(self, A):
        m, rest = self._expected(A)
        first = [
            i
            for i, (s, _, _) in enumerate(self._sets())
            if i == 0 or self._sets()[i - 1][0] != s
        ]
        rest[first] = 0  # there all events are those to come
        return np.append(m, rest)

    def g(self, A):
        """L(u) + ⟨A, u⟩ where v exp(u) = m/H, H the cumulative hazard, backwards."""
        v = self.Y[:, 2].astype(LONG)
        m, rest = self._expected(A)
        u, seen = np.zeros(len(m), LONG), np.zeros(len(m), bool)
        sets, stratum, log_hazard = self._sets(), None, LONG(0)
        for (s, risk, dead), excess in zip(sets[::-1], rest[::-1], strict=True):
            if s != stratum:
                stratum, log_hazard = s, LONG(0)
            new = risk & ~seen
            with np.errstate(divide="ignore"):
                u[new] = np.log(m[new] / v[new]) - log_hazard
            seen |= risk
            Q = excess + v[dead].sum()
            if excess > 0:
                log_hazard += np.log(excess / Q)
        # Who is expected to have no event at all has u = −∞, and adds nothing.
        some = seen & (m > 0)
        u[~some] = -1e4
        value, gradient = self.loss(u[:, None])
        off = np.max(np.abs(gradient + A)[some]) / self.C[0, 0]
        assert off <= 1e-9 * np.max(v), f"u is no minimiser of L(u) + ⟨A, u⟩: {off}"
        e = np.where(self.Y[:, 1] > 0, v, 0)
        return (
            value
            + self.C[0, 0] * np.sum((e - m)[some] * u[some])
            + (self.C[0, 0] * np.sum(e[~some] * u[~some]))
        )


class _OneColumn:
    """A Cox oracle whose Y looks as if it had one column, for `Likelihood.solve`."""

    def __init__(self, cox):
        self._cox = cox
        self.Y, self.intercept = cox.Y[:, :1], False

    def __getattr__(self, name):
        return getattr(self._cox, name)

    def bias_at_zero(self):
        return np.zeros(1)


def logistic(K, Y, C, intercept=True):
    return Logistic(K, Y, C * np.ones(Y.shape), intercept)


def multinomial(K, Y, C, intercept=True):
    return Multinomial(K, Y, np.reshape(C * np.ones(len(Y)), (-1, 1)), intercept)


def poisson(K, Y, C, intercept=True):
    return Poisson(K, Y, C * np.ones(Y.shape), intercept)


def cox(K, time, event, C, weight=None, strata=None):
    n = len(time)
    v = np.ones(n) if weight is None else weight
    s = np.zeros(n) if strata is None else np.unique(strata, return_inverse=True)[1]
    Y = np.column_stack([time, event, v, s]).astype(float)
    return Cox(K, Y, np.array([[C]], dtype=float), False)


class TwoSided(verify.Box):
    """A box without a kink at zero; the quadratic program goes to Clarabel first."""

    def _column(self):
        (M,), t = self.K, self.T[:, 0]
        M = M + np.diag(self.d[:, 0]).astype(LONG)
        a, b = _quadratic_program(
            np.asarray(M, float), t, self.lower[:, 0], self.upper[:, 0], self.intercept
        )
        best, gap = np.zeros((len(M), 1), LONG), np.inf
        for _ in range(12):
            trial = self.into_domain(a[:, None])
            found = self.fitted([1], trial) - self.value_at([1], trial)
            if found < gap:
                best, gap = trial, found
            if gap <= 1e-17 * abs(self.value_at([1], best)):
                break
            a, b = self._newton(M, a, b)
        return best


def _quadratic_program(M, t, low, high, intercept):
    """a near the maximum of tᵀa − ½aᵀMa on low ≤ a ≤ high (Σa = 0), and its b."""
    n, unit = len(t), np.max(high - low)
    size = np.max(np.abs(t)) or 1.0
    eye = sparse.identity(n)
    rows = [eye, -eye]
    right = [high / unit, -low / unit]
    cones = [clarabel.NonnegativeConeT(2 * n)]
    if intercept:
        rows.append(sparse.csc_matrix(np.ones((1, n))))
        right.append(np.zeros(1))
        cones.append(clarabel.ZeroConeT(1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.triu(sparse.csc_matrix(M * unit / size)).tocsc(),
        -t / size,
        sparse.vstack(rows).tocsc(),
        np.concatenate(right),
        cones,
        settings,
    )
    found = solver.solve()
    b = float(found.z[-1]) * size if intercept else 0.0
    return unit * np.array(found.x, LONG), LONG(b)


def quantile(K, H, C, q, intercept=True):
    """−(1 − q)C ≤ A ≤ qC."""
    C = C * np.ones(H.shape)
    zero = np.zeros(H.shape)
    return TwoSided(K, H, 0.0, -(1 - q) * C, q * C, zero, intercept)


def huber(K, H, C, delta, intercept=True):
    """d = 1/C, |A| ≤ Cδ."""
    C = C * np.ones(H.shape)
    d = 1 / np.where(C > 0, C, 1)
    return TwoSided(K, H, 0.0, -delta * C, delta * C, d, intercept)
