"""Features give what the matrices that they are products of give."""

import numpy as np
import pytest

from kernelweave.grams import BlockStack, DenseStack, LowRankStack
from kernelweave.grams.base import Sampled, Selected


@pytest.fixture
def both():
    rng = np.random.default_rng(0)
    blocks = [rng.normal(size=(30, d)) for d in (2, 5, 1)]
    K = np.stack([Z @ Z.T for Z in blocks])
    return blocks, LowRankStack(blocks), DenseStack(K)


@pytest.mark.parametrize("store", [0, 2**20])
def test_same_answers(both, store):
    blocks, _, dense = both
    stack = LowRankStack(blocks, store)
    rng = np.random.default_rng(1)
    A, theta = rng.normal(size=(30, 2)), np.array([0.3, 0.0, 1.2])
    index = np.array([4, 7, 20])
    assert isinstance(stack, BlockStack)
    # Of a reduced problem the rows are no samples, of which some stand for all.
    assert not isinstance(stack, Sampled)
    assert isinstance(stack, Selected)
    assert (stack.n, stack.p) == (30, 3)
    for name, arguments in {
        "combine": (theta,),
        "apply": (A,),
        "quadratic": (A,),
        "rows": (index,),
        "block": (theta, index),
        "apply_rows": (index, A[:3]),
        "apply_some": (A, np.array([2, 0])),
    }.items():
        ours, theirs = getattr(stack, name), getattr(dense, name)
        for _ in range(2):
            np.testing.assert_allclose(
                ours(*arguments), theirs(*arguments), atol=1e-12, err_msg=name
            )
    np.testing.assert_allclose(stack.traces, dense.traces)
    np.testing.assert_allclose(stack[1], dense[1])
    keep = np.array([True, False, True])
    np.testing.assert_allclose(
        stack.subset(keep).combine(theta[keep]), dense.combine(theta)
    )


def test_no_weight_at_all(both):
    _, stack, _ = both
    assert not stack.combine(np.zeros(3)).any()


def test_a_fresh_matrix(both):
    """Losses write over K(θ)."""
    blocks, _, dense = both
    stack, theta = LowRankStack(blocks, 2**20), np.array([1.0, 0.0, 0.0])
    stack.combine(theta)[:] = np.nan
    np.testing.assert_allclose(stack.combine(theta), dense.combine(theta))


def test_what_is_refused():
    with pytest.raises(ValueError, match="at least one array"):
        LowRankStack([])
    with pytest.raises(ValueError, match="of the same samples"):
        LowRankStack([np.ones((3, 1)), np.ones((4, 1))])
