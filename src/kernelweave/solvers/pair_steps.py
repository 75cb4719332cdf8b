"""Steps of `SMO` in two rows of A, compiled.

Arrays: K (p, n, n), H and A (n, k), KA = K_jA (p, n, k), s = s(A) (p,). The weights are
σ(s) = ‖c∘s‖_q, or ‖c∘s‖_q²/(4μ) if μ > 0.
"""

from __future__ import annotations

import numpy as np

from ..compiled import compiled


@compiled()
def _maximiser(s, c, q, mu, theta):
    """θ = c∘(c∘s/‖c∘s‖_q)^(q−1), times ‖c∘s‖_q/(2μ) if μ > 0, into theta."""
    top = 0.0
    for l in range(len(s)):
        top = max(top, c[l] * s[l])
    if top <= 0.0:
        theta[:] = (mu == 0.0) * c
        return
    total = 0.0
    for l in range(len(s)):
        total += max(c[l] * s[l] / top, 0.0) ** q
    norm = total ** (1.0 / q)
    for l in range(len(s)):
        theta[l] = c[l] * (max(c[l] * s[l] / top, 0.0) / norm) ** (q - 1.0)
    if mu > 0.0:
        theta *= norm * top / (2.0 * mu)


@compiled()
def _slope(t, a, b, s, u, v, c, q, mu, theta):
    """d/dt of the dual at the step t: a − bt − θ(s + 2tu + t²v)ᵀ(u + tv)."""
    _maximiser(s + 2.0 * t * u + t * t * v, c, q, mu, theta)
    return a - b * t - np.sum(theta * (u + t * v))


@compiled()
def _best_step(a, b, s, u, v, c, q, mu, theta):
    """The root of the decreasing slope, by regula falsi (the Illinois rule)."""
    low, high = 0.0, 1.0
    f_low = _slope(low, a, b, s, u, v, c, q, mu, theta)
    f_high = _slope(high, a, b, s, u, v, c, q, mu, theta)
    if not f_low > 0.0:
        return 0.0
    while f_high > 0.0 and high < 1e6:
        low, f_low = high, f_high
        high *= 2.0
        f_high = _slope(high, a, b, s, u, v, c, q, mu, theta)
    side = 0
    t = high
    for _ in range(60):
        if f_high == 0.0 or high - low <= 1e-12 * high:
            break
        t = (low * f_high - high * f_low) / (f_high - f_low)
        f = _slope(t, a, b, s, u, v, c, q, mu, theta)
        if f > 0.0:
            low, f_low = t, f
            if side == 1:
                f_high *= 0.5
            side = 1
        else:
            high, f_high = t, f
            if side == -1:
                f_low *= 0.5
            side = -1
        if abs(f) <= 1e-10 * a:
            break
    return t


@compiled()
def ascend(K, H, lam, intercept, A, KA, s, c, q, mu, steps):
    """Take the steps in place of A, K_jA and s; return how many there were."""
    p, n, _ = K.shape
    k = H.shape[1]
    theta = np.empty(p)
    trial = np.empty(p)
    R = np.empty((n, k))
    u = np.empty(p)
    v = np.empty(p)
    d = np.empty(k)
    for step in range(steps):
        _maximiser(s, c, q, mu, theta)
        for i in range(n):
            for m in range(k):
                R[i, m] = H[i, m] - lam * A[i, m]
        for l in range(p):
            if theta[l] != 0.0:
                for i in range(n):
                    for m in range(k):
                        R[i, m] -= theta[l] * KA[l, i, m]
        # i: the largest residual about the mean (the bias).
        first, best = 0, -1.0
        for m in range(k):
            d[m] = np.mean(R[:, m]) if intercept else 0.0
        for i in range(n):
            size = np.sum((R[i] - d) ** 2)
            if size > best:
                first, best = i, size
        own = 0.0
        for l in range(p):
            own += theta[l] * K[l, first, first]
        # j: the largest ‖R_i − R_j‖²/(2λ + κ_ij), twice the gain at fixed θ.
        second, curvature = -1, lam + own
        if intercept:
            best = 0.0
            for j in range(n):
                eta = 2.0 * lam + own
                for l in range(p):
                    eta += theta[l] * (K[l, j, j] - 2.0 * K[l, first, j])
                if j != first and eta > 0.0:
                    gain = np.sum((R[first] - R[j]) ** 2) / eta
                    if gain > best:
                        second, best, curvature = j, gain, eta
            if second < 0:
                return step
        a = 0.0
        length = 0.0
        for m in range(k):
            d[m] = R[first, m] - (R[second, m] if intercept else 0.0)
            d[m] /= curvature
            length += d[m] * d[m]
            a += d[m] * (H[first, m] - lam * A[first, m])
            if intercept:
                a -= d[m] * (H[second, m] - lam * A[second, m])
        b = lam * length * (2.0 if intercept else 1.0)
        for l in range(p):
            u[l] = np.sum(d * KA[l, first])
            v[l] = K[l, first, first]
            if intercept:
                u[l] -= np.sum(d * KA[l, second])
                v[l] += K[l, second, second] - 2.0 * K[l, first, second]
            v[l] *= length
        t = _best_step(a, b, s, u, v, c, q, mu, trial)
        if not t > 0.0:
            return step
        for m in range(k):
            A[first, m] += t * d[m]
            if intercept:
                A[second, m] -= t * d[m]
        for l in range(p):
            s[l] += t * (2.0 * u[l] + t * v[l])
            for i in range(n):
                change = K[l, first, i] - (K[l, second, i] if intercept else 0.0)
                for m in range(k):
                    KA[l, i, m] += t * change * d[m]
    return steps
