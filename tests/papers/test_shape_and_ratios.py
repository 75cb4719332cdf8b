"""Shapes of weights and ratios of seconds, against numbers worked out by hand."""

import numpy as np
import pytest

from kernelweave_papers.comparison import compare
from kernelweave_papers.ratios import MEAN, ratios
from kernelweave_papers.shape import shapes
from kernelweave_papers.table import Cell, Table


def _compared(kind, ours, printed):
    table = Table("t", kind, 1, (), lambda _: [])
    cells = [Cell(r, c, v) for r, row in ours.items() for c, v in row.items()]
    theirs = {r: {c: {"mean": v} for c, v in row.items()} for r, row in printed.items()}
    return compare(table, [cells], {"cells": theirs})


def test_shapes():
    ours = {
        "same": {"θ1": 2.0, "θ2": 4.0, "λ": 9.0},
        "apart": {"θ1": 1.0, "θ2": 0.0},
        "half": {"θ1": 0.5, "θ2": 0.5},
        "none": {"θ1": 0.0, "θ2": 0.0},
        "new": {"θ1": 1.0, "θ2": 1.0},
    }
    printed = {
        "same": {"θ1": 0.1, "θ2": 0.2, "λ": 0.0},
        "apart": {"θ1": 0.0, "θ2": 1.0},
        "half": {"θ1": 1.0, "θ2": 0.0},
        "none": {"θ1": 1.0, "θ2": 0.0},
    }
    same, apart, half = shapes(_compared("weights", ours, printed))
    assert (same.row, same.largest, same.printed_largest) == ("same", "θ2", "θ2")
    assert np.allclose([same.cosine, same.overlap], 1)
    assert apart.cosine == apart.overlap == 0
    assert (apart.largest, apart.printed_largest) == ("θ1", "θ2")
    assert np.allclose([half.cosine, half.overlap], [np.sqrt(0.5), 0.5])


def test_ratios():
    ours = {
        "slow": {"a": 8.0, "b": 27.0, "c": 5.0},
        "unit": {"a": 2.0, "b": 3.0},
        "new": {"a": 0.5, "b": 3.0},
    }
    printed = {"slow": {"a": 30.0}, "unit": {"a": 10.0, "b": 1.0}}
    cells = _compared("seconds", ours, printed)
    found = {(r.row, r.column): (r.ours, r.printed) for r in ratios(cells, "unit")}
    # c has no unit, and the mean of "slow" is of a, which alone has a printed ratio.
    assert ("slow", "c") not in found
    assert found["slow", "a"] == (4, 3) and found["slow", "b"] == (9, None)
    assert found["slow", MEAN] == pytest.approx((4, 3))
    assert found["unit", MEAN] == pytest.approx((1, 1))
    assert found["new", MEAN] == (pytest.approx(0.5), None)
    assert ratios(cells, "") == []


def test_smallest_and_largest_of_the_splits():
    table = Table("t", "count", 3, (), lambda _: [])
    splits = [[Cell("r", "c", float(v))] for v in (4, 1, 7)]
    (cell,) = compare(table, splits, {})
    assert (cell.low, cell.mean, cell.high) == (1, 4, 7)
    (cell,) = compare(table, [], {"cells": {"r": {"c": {"mean": 1.0}}}})
    assert cell.low is None and cell.high is None
