"""`offers` says of an object what `isinstance` says of it and a protocol."""

import numpy as np
import pytest

from kernelweave.grams import DenseStack, LowRankStack
from kernelweave.grams.base import BlockStack, Sampled, Selected, Stored
from kernelweave.losses import Hinge, Square
from kernelweave.protocols import Charted, Consuming, Fit, Penalised, offers
from kernelweave.weights import GroupSimplex, LpBall, LpPenalty, Simplex

Y = np.array([[1.0], [-1.0]])
THINGS = [
    DenseStack(np.eye(2)[None]),
    LowRankStack([np.eye(2)]),
    Hinge(Y),
    Square(Y, 1.0),
    Simplex(),
    LpBall(2),
    LpPenalty(2),
    GroupSimplex([[0], [1]]),
]
KINDS = [BlockStack, Sampled, Selected, Stored, Charted, Consuming, Fit, Penalised]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: type(thing).__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_as_isinstance(thing, kind):
    for _ in range(2):
        assert offers(thing, kind) is isinstance(thing, kind)
