"""The cost model, against what the code it speaks of really does."""

import time
import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.estimators.streaming import feature_work
from kernelweave.kernels import RBF, Nystroem
from kernelweave.streamed.chunks import ArrayChunks
from kernelweave.streamed.measure import measure
from kernelweave.streamed.plan import Node, Plan, Work


@pytest.fixture(scope="module")
def fitted():
    """A model, its sums, and the most bytes that making and solving them took."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = (X[:, 0] + rng.normal(size=6000) > 0).astype(int)
    kernels = [Nystroem(RBF(factor=f, name=str(f)), 60) for f in (0.3, 0.6, 1)]
    model = MKLDiscriminantAnalysis(kernels)
    tracemalloc.start()
    try:
        data, _ = model._begin(X, y)
        summing = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        model._fit_data(data)
        solving = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return data.sums, summing, solving


def test_sums_are_as_large_as_planned(fitted):
    sums, *_ = fitted
    work = Work(rows=6000, columns=4, kernels=3, components=60, targets=2)
    assert work.features == sums.map.width
    assert work.sum_bytes == sum(part.second.nbytes for part in sums.folds.parts)


def test_memory_is_as_planned(fitted):
    _, summing, solving = fitted
    work = Work(rows=6000, columns=4, kernels=3, components=60, targets=2, block=6000)
    assert 0.5 < summing / work.task_bytes < 1.3
    assert 0.5 < solving / work.solve_bytes < 1.5


def test_operations_of_a_row():
    """d = 3, p = 2, m = 5 and one output: counted by hand."""
    work = Work(rows=1, columns=3, kernels=2, components=5, targets=1)
    assert work.values == 10
    # 10 scalar products of length 3, and 2 products of a row with a 5 × 5 matrix.
    assert work.map_operations == 10 * 2 * 3 + 2 * 2 * 5 * 5
    # The lower half of an outer product of length 11, by multiply and add.
    assert work.product_operations == 11 * 11


def test_rows_and_nodes():
    one = Plan(Work(rows=1e7), nodes=1)
    ten = Plan(Work(rows=1e7), nodes=10)
    more = Plan(Work(rows=1e8), nodes=10)
    for part in ("reading", "mapping", "products"):
        slow, fast, long = (getattr(plan, part) for plan in (one, ten, more))
        assert slow >= 6 * fast
        assert long >= 6 * fast
    assert one.sent == 0
    assert more.sent == 10 * ten.sent
    assert one.solving == ten.solving == more.solving
    parts = ten.reading + ten.mapping + ten.products + ten.adding + ten.solving
    assert ten.seconds == pytest.approx(parts)


def test_a_block_is_the_least_that_a_core_can_do():
    few = Plan(Work(rows=300_000, block=100_000), nodes=1)
    assert few.workers == 3
    assert few.products == Plan(Work(rows=100_000), nodes=1).products
    uneven = Plan(Work(rows=300_000, block=100_000), 1, Node(cores=2))
    assert uneven.products == 2 * few.products


@pytest.mark.parametrize("wrong", [{"rows": 0}, {"rows": np.inf}, {"kernels": 0}])
def test_work_that_is_none(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be a number"):
        Work(**{"rows": 10} | wrong)


def test_nodes_that_are_none():
    with pytest.raises(ValueError, match="flops must be a positive number"):
        Node(flops=0)
    with pytest.raises(ValueError, match="nodes must be at least 1"):
        Plan(Work(rows=10), nodes=0)


def test_measured_speeds_predict_the_time_of_a_core():
    """Of the processor's time, which other work on the machine hardly changes."""
    flops, values = measure(columns=6, components=100)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(6000, 6)), rng.integers(2, size=6000)
    kernels = [Nystroem(RBF(factor=f, name=str(f)), 100) for f in (0.4, 0.5, 0.6, 1)]
    model = MKLDiscriminantAnalysis(kernels)
    with threadpool_limits(1):
        began = time.process_time()
        feature_work(model).sums(ArrayChunks(X, y))
        took = time.process_time() - began
    work = Work(6000, 6, 4, 100, 2, block=6000)
    plan = Plan(work, 1, Node(1, flops, values))
    assert 0.3 < took / (plan.mapping + plan.products) < 5
