"""Slow and obvious references, one loop or one matrix for each definition."""

from __future__ import annotations

import numpy as np


def gram(k, X, Y):
    """k(x, z) for every pair, by two loops."""
    return np.array([[k(x, z) for z in Y] for x in X])


def pairs(x, z):
    return zip(x, z, strict=True)


def rbf(gamma):
    return lambda x, z: np.exp(-gamma * sum((a - b) ** 2 for a, b in pairs(x, z)))


def laplacian(gamma):
    return lambda x, z: np.exp(-gamma * sum(abs(a - b) for a, b in pairs(x, z)))


def chi_squared(gamma):
    def k(x, z):
        terms = [(a - b) ** 2 / (a + b) for a, b in pairs(x, z) if a + b > 0]
        return np.exp(-gamma * sum(terms))

    return k


def linear():
    return lambda x, z: sum(a * b for a, b in pairs(x, z))


def polynomial(degree, gamma, coef0):
    return lambda x, z: (gamma * sum(a * b for a, b in pairs(x, z)) + coef0) ** degree


def median_distance(X, distance):
    """The median of the positive distances between different rows."""
    all_pairs = [distance(X[i], X[j]) for i in range(len(X)) for j in range(i)]
    return np.median([d for d in all_pairs if d > 0])


def centring(n):
    """P = I − 11ᵀ/n."""
    return np.eye(n) - np.ones((n, n)) / n


def centre(K):
    P = centring(len(K))
    return P @ K @ P


def ridge(K, d, H, intercept):
    """A and b: the bordered system [[diag(d) + K, 1], [1ᵀ, 0]], solved densely."""
    n, k = H.shape
    M = K + np.diag(d)
    if not intercept:
        return np.linalg.solve(M, H), np.zeros(k)
    one = np.ones((n, 1))
    B = np.block([[M, one], [one.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(B, np.vstack([H, np.zeros((1, k))]))
    return solution[:n], solution[n]


def leave_one_out(K, d, H, intercept):
    """Residuals h_i − f_{−i}(x_i), refitting without each sample in turn."""
    residuals = np.empty_like(H)
    for i in range(len(K)):
        rest = np.arange(len(K)) != i
        A, b = ridge(K[np.ix_(rest, rest)], d[rest], H[rest], intercept)
        residuals[i] = H[i] - (K[i, rest] @ A + b)
    return residuals


def leave_one_out_of_centred(K, d, H):
    """The same without intercept, the features centred without the sample as well."""
    residuals = np.empty_like(H)
    for i in range(len(K)):
        rest = np.arange(len(K)) != i
        inside, cross = K[np.ix_(rest, rest)], K[i, rest]
        A, _ = ridge(centre(inside), d[rest], H[rest], False)
        cross = cross - cross.mean() - inside.mean(axis=0) + inside.mean()
        residuals[i] = H[i] - cross @ A
    return residuals


def gradient(f, x, h):
    """Central differences."""
    steps = h * np.eye(len(x))
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in steps])


def hessian(gradient_of, x, h):
    """Central differences of a gradient, one column a variable."""
    steps = h * np.eye(len(x))
    columns = [(gradient_of(x + e) - gradient_of(x - e)) / (2 * h) for e in steps]
    return np.stack(columns, axis=1)


def on_simplex(rng, p, sparse=False):
    """A random point of the unit simplex, some entries zero if sparse."""
    x = rng.exponential(size=p)
    if sparse and p > 1:
        x[rng.permutation(p)[: rng.integers(0, p)]] = 0.0
    return x / x.sum()
