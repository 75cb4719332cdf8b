"""Sums over rows, and over chunks and folds of them."""

from itertools import pairwise

import numpy as np
import pytest

from kernelweave.streamed.folds import Folds
from kernelweave.streamed.moments import Moments
from kernelweave.streamed.sample import RowSample


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(103, 4)) + 1e6


def test_mean_and_scatter(rows):
    moments = Moments.empty(rows[0])
    for part in np.array_split(rows, 7):
        moments.add(part)
    centred = rows - rows.mean(axis=0)
    np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-14)
    # A million off zero, a unit of spread: the origin saves the digits.
    np.testing.assert_allclose(moments.scatter(), centred.T @ centred, rtol=1e-9)
    about = rows[5] + 1
    away = rows - about
    np.testing.assert_allclose(moments.scatter(about), away.T @ away, rtol=1e-9)


def test_merge_and_less(rows):
    whole, a, b = (Moments.empty(rows[0]) for _ in range(3))
    whole.add(rows)
    a.add(rows[:40])
    b.add(rows[40:])
    rest = whole.less(a)
    np.testing.assert_allclose(rest.scatter(), b.scatter(), rtol=1e-9)
    a.merge(b)
    assert a.count == 103
    np.testing.assert_allclose(a.scatter(), whole.scatter(), rtol=1e-12)
    with pytest.raises(ValueError, match="different origins"):
        a.merge(Moments.empty(rows[1]))


def test_no_rows(rows):
    moments = Moments.empty(rows[0])
    moments.add(rows[:0])
    assert moments.count == 0
    np.testing.assert_array_equal(moments.mean, rows[0])


def test_folds_go_by_the_number_of_the_row(rows):
    one, many = Folds.empty(rows[0]), Folds.empty(rows[0])
    one.add(rows, 0)
    for first, last in [(0, 1), (1, 1), (1, 50), (50, 52), (52, 103)]:
        many.add(rows[first:last], first)
    for f, (a, b) in enumerate(zip(one.parts, many.parts, strict=True)):
        fold = rows[f::5]
        assert a.count == b.count == len(fold)
        np.testing.assert_allclose(b.mean, fold.mean(axis=0), rtol=1e-14)
        np.testing.assert_allclose(a.scatter(), b.scatter(), rtol=1e-9)
    for f, rest, part in one.splits():
        others = np.delete(rows, np.s_[f::5], axis=0)
        assert part.count == len(rows[f::5])
        np.testing.assert_allclose(rest.mean, others.mean(axis=0), rtol=1e-14)


def test_an_empty_fold_is_no_split(rows):
    folds = Folds.empty(rows[0])
    folds.add(rows[:3], 0)
    assert len(list(folds.splits())) == 3


def test_many_features_have_fewer_folds():
    assert len(Folds.empty(np.zeros(10)).parts) == 5
    # A gigabyte holds less than five matrices of 6000 × 6000.
    assert len(Folds.empty(np.zeros(6000)).parts) == 3


@pytest.mark.parametrize("cuts", [[], [1, 2, 500], [100, 700, 701, 999]])
def test_the_sample_does_not_depend_on_chunks(cuts):
    X = np.arange(1000.0)[:, None]
    y = np.arange(1000) % 3
    whole = RowSample(50, labels=True)
    whole.add(X, y, 0)
    a, b = RowSample(50, labels=True), RowSample(50, labels=True)
    edges = [0, *cuts, 1000]
    for i, (first, last) in enumerate(pairwise(edges)):
        (a, b)[i % 2].add(X[first:last], y[first:last], first)
    b.merge(a)
    assert b.count == 1000
    np.testing.assert_array_equal(b.classes, [0, 1, 2])
    np.testing.assert_array_equal(b.X, whole.X)
    np.testing.assert_array_equal(b.y, b.X[:, 0] % 3)
    assert len(b.X) == 50
    # In order, and spread over all rows.
    assert np.all(np.diff(b.X[:, 0]) > 0)
    assert 300 < b.X.mean() < 700
