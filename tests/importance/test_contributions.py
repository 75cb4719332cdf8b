"""Left-out parts of predictions are those of fits without the samples."""

import numpy as np
import pytest

from kernelweave.importance import left_out_parts

rng = np.random.default_rng(0)
N = 24
X = rng.normal(size=(3, N, 4))
K = X @ X.transpose(0, 2, 1) / 4
THETA = np.array([0.5, 0.0, 1.5])
H = rng.normal(size=(N, 2)) + 1


def refitted(train, test, lam, intercept):
    """The parts of a fit without some samples, from its normal equations."""
    M = np.tensordot(THETA, K, 1)[np.ix_(train, train)] + lam * np.eye(len(train))
    border = np.ones((len(train), 1 if intercept else 0))
    q = border.shape[1]
    B = np.block([[M, border], [border.T, np.zeros((q, q))]])
    solved = np.linalg.solve(B, np.vstack([H[train], np.zeros((q, 2))]))
    parts = THETA[:, None, None] * (K[:, test[:, None], train] @ solved[: len(train)])
    return parts, parts.sum(axis=0) + (solved[-1] if intercept else 0)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("grouped", [True, False])
def test_parts_are_those_of_refits(grouped, intercept):
    groups = np.array([0, 1, 2, 0, 3, 4] * 4)
    answer = left_out_parts(K, THETA, 0.3, H, intercept, groups if grouped else None)
    units = groups if grouped else np.arange(N)
    for unit in np.unique(units):
        test = np.flatnonzero(units == unit)
        train = np.flatnonzero(units != unit)
        parts, f = refitted(train, test, 0.3, intercept)
        np.testing.assert_allclose(answer.parts[:, test], parts, atol=1e-12)
        np.testing.assert_allclose(answer.residuals[test], H[test] - f, atol=1e-12)


def test_centring_tells_nothing_of_the_target():
    """Centred matrices with the border give the parts of matrices about any origin."""
    P = np.eye(N) - 1 / N
    far = X + 5
    one = left_out_parts(P @ (far @ far.transpose(0, 2, 1) / 4) @ P, THETA, 0.3, H)
    other = left_out_parts(P @ K @ P, THETA, 0.3, H)
    np.testing.assert_allclose(one.shares, other.shares)
    np.testing.assert_allclose(one.residuals, other.residuals)
    # As λ falls the score of noise does not rise to one.
    noise = [left_out_parts(P @ K @ P, THETA, lam, H).score for lam in (1, 1e-4)]
    assert max(noise) < 0.2


def test_shares_and_score():
    x = rng.normal(size=(40, 1))
    noise = rng.normal(size=(40, 300))
    both = np.stack([x @ x.T, noise @ noise.T / 300])
    answer = left_out_parts(both, np.array([0.3, 0.7]), 0.1, x)
    assert answer.shares[0] > 0.8
    assert abs(answer.shares[1]) < 0.02
    assert answer.score == pytest.approx(answer.shares.sum(), abs=0.1)
