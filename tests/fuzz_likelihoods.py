"""tests/fuzz.py with the losses of likelihoods, of outliers and of quantiles.

python tests/fuzz_likelihoods.py --minutes 10
python tests/fuzz_likelihoods.py --draw 123
"""

from __future__ import annotations

import numpy as np

import fuzz
import problems
import verify_likelihood as judge
from kernelweave import losses


def _weights(rng, C, n):
    """C, or one a sample: some zero, some large."""
    if rng.random() < 0.6:
        return C
    c = C * 10.0 ** rng.uniform(-2, 1, n)
    c[rng.random(n) < 0.1] = 0.0
    return c


def _logistic(rng, K, lam, scale):
    n, k = K.shape[1], int(rng.integers(1, 3))
    Y = np.column_stack([2.0 * problems.labels(rng, n, 2) - 1 for _ in range(k)])
    C, intercept = _weights(rng, fuzz._penalty(K, lam), n), bool(rng.random() < 0.5)
    if np.ndim(C):
        # Both classes keep a weight in every column.
        C = np.where(C > 0, C, np.max(C))
    per = C[:, None] * np.ones(Y.shape) if np.ndim(C) else C
    return losses.Logistic(Y, C, intercept), judge.logistic(K, Y, per, intercept)


def _multinomial(rng, K, lam, scale):
    n = K.shape[1]
    k = int(rng.integers(2, min(4, n) + 1))
    Y = np.eye(k)[problems.labels(rng, n, k)]
    C, intercept = _weights(rng, fuzz._penalty(K, lam), n), bool(rng.random() < 0.5)
    if np.ndim(C):
        C[[int(np.argmax(column)) for column in Y.T]] = np.max(C)
    return losses.Multinomial(Y, C, intercept), judge.multinomial(K, Y, C, intercept)


def _cox(rng, K, lam, scale):
    n = K.shape[1]
    time = scale * np.ceil(rng.exponential(size=n) * 10.0 ** rng.uniform(0, 3))
    event = rng.random(n) < rng.uniform(0.1, 1)
    weight = None if rng.random() < 0.6 else 10.0 ** rng.uniform(-2, 1, n)
    strata = None if rng.random() < 0.6 else rng.integers(0, 3, n)
    event[np.argmin(time)] = True
    C = fuzz._penalty(K, lam)
    loss = losses.Cox(time, event, C, weight, strata)
    return loss, judge.cox(K, time, event, C, weight, strata)


def _poisson(rng, K, lam, scale):
    n, k = K.shape[1], int(rng.integers(1, 3))
    rate = min(scale, 1e6) * 10.0 ** rng.uniform(-1, 1) * rng.exponential(size=(n, k))
    H = rng.poisson(rate).astype(float) if scale >= 1 else rate
    H[0] = np.maximum(H[0], 1e-3 * scale)
    C, intercept = fuzz._penalty(K, lam), bool(rng.random() < 0.5)
    # w = Cμ is the curvature; without an intercept and with centred kernels μ is 1.
    C = C / max(float(np.max(H)), 1e-8 if intercept else 1.0)
    return losses.Poisson(H, C, intercept), judge.poisson(K, H, C, intercept)


def _quantile(rng, K, lam, scale):
    H = scale * rng.normal(size=(K.shape[1], int(rng.integers(1, 3))))
    C, intercept = scale * fuzz._penalty(K, lam), bool(rng.random() < 0.5)
    q = float(rng.uniform(0.02, 0.98))
    return losses.Quantile(H, C, q, intercept), judge.quantile(K, H, C, q, intercept)


def _huber(rng, K, lam, scale):
    H = scale * rng.standard_t(2, size=(K.shape[1], int(rng.integers(1, 3))))
    C, intercept = fuzz._penalty(K, lam), bool(rng.random() < 0.5)
    delta = scale * 10.0 ** rng.uniform(-2, 1)
    loss = losses.Huber(H, C, delta, intercept)
    return loss, judge.huber(K, H, C, delta, intercept)


MAKERS = {
    "logistic": _logistic,
    "multinomial": _multinomial,
    "cox": _cox,
    "poisson": _poisson,
    "quantile": _quantile,
    "huber": _huber,
}

if __name__ == "__main__":
    fuzz._LOSSES = MAKERS
    raise SystemExit(fuzz.main())
