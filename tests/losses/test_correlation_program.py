"""max tr(ZT) over correlation matrices, and its dual."""

import numpy as np
import pytest

import verify
from kernelweave.losses.correlation import correlation_sdp


@pytest.mark.parametrize("k", [2, 3, 6])
def test_both_points_are_feasible_and_meet(k):
    rng = np.random.default_rng(k)
    Z = rng.normal(size=(k, k - 1))
    T = Z @ Z.T
    best = correlation_sdp(T)
    # Both points are feasible, so their values enclose the optimum.
    assert np.linalg.eigvalsh(np.diag(best.t) - T)[0] >= -1e-13 * np.trace(T)
    assert np.linalg.norm(best.B, axis=1) == pytest.approx(np.ones(k), abs=1e-14)
    lower, upper = verify.correlation_bounds(T)
    assert best.t.sum() == pytest.approx(upper, rel=1e-9)
    assert np.trace(best.B.T @ T @ best.B) == pytest.approx(lower, rel=1e-9)


@pytest.mark.parametrize("k", [2, 4, 10, 20])
def test_complementary_to_rounding(k):
    # A gap of δ leaves ‖SB‖ at √δ, which the derivatives of F feel.
    rng = np.random.default_rng(k)
    Z = rng.normal(size=(k, k - 1))
    best = correlation_sdp(Z @ Z.T)
    assert np.linalg.norm(best.slack @ best.B) <= 1e-12 * best.t.sum()


def test_nothing_to_majorise():
    best = correlation_sdp(np.zeros((3, 3)))
    assert best.t == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.linalg.norm(best.B, axis=1) == pytest.approx(np.ones(3))


def test_units_do_not_matter():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(4, 3))
    T = Z @ Z.T
    one, other = correlation_sdp(T), correlation_sdp(1e-9 * T)
    assert 1e-9 * one.t == pytest.approx(other.t, rel=1e-12)


def test_diagonal_and_rank_one():
    # T diagonal: t = diag T. T = vvᵀ: Σt = (Σ|v|)².
    assert correlation_sdp(np.diag([1.0, 2.0])).t.sum() == pytest.approx(3, rel=1e-9)
    v = np.array([1.0, -2.0, 0.5])
    best = correlation_sdp(np.outer(v, v))
    assert best.t.sum() == pytest.approx(3.5**2, rel=1e-9)
