"""New rows have the columns of the training rows, whatever the names are."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import problems
from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear, Overlap
from kernelweave.persist import load, save
from kernelweave.views import kernels_for

N = 30
X, Y = problems.blobs(N, 4, 2)
LEVELS = pd.MultiIndex.from_product([["u", "v"], ["x", "y"]])
NAMES = [list("abcd"), [3, 2, 1, 0], [0, 1, 2, 3], LEVELS]
IDS = ["text", "numbers", "range", "levels"]


@pytest.mark.parametrize("names", NAMES, ids=IDS)
def test_other_columns_are_refused(names, tmp_path):
    table = pd.DataFrame(X, columns=names)
    fitted = MKLRidge().fit(table, Y)
    save(fitted, tmp_path / "model.skops")
    for model in (fitted, load(tmp_path / "model.skops")):
        expected = MKLRidge().fit(X, Y).predict(X)
        assert_allclose(model.predict(table), expected, rtol=1e-6)
        with pytest.raises(ValueError, match="must be in the same order"):
            model.predict(table.iloc[:, ::-1])
        with pytest.raises(ValueError, match="yet now missing:\n- "):
            model.predict(table.iloc[:, 1:])
        other = table.set_axis([7, *list(names)[1:]], axis=1)
        with pytest.raises(ValueError, match="unseen at fit time:\n- 7\n"):
            model.predict(other)


def test_other_columns_in_a_later_chunk():
    table = pd.DataFrame(X, columns=[3, 2, 1, 0])
    model = MKLRidge([Linear()]).partial_fit(table, Y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.partial_fit(table.iloc[:, ::-1], Y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(table.iloc[:, ::-1])


def test_arrays_and_frames_without_text_names_go_together():
    table = pd.DataFrame(X)
    of_array, of_table = MKLRidge().fit(X, Y), MKLRidge().fit(table, Y)
    for model in (of_array, of_table):
        assert_allclose(model.predict(X), model.predict(table))


ZIPS = np.where(Y[0] == Y, "10115", "20095")


def test_text_of_digits_is_no_number():
    train = pd.DataFrame({1: ZIPS, 2: X[:, 0]})
    model = MKLDiscriminantAnalysis([Overlap([0]), RBF(columns=[1])]).fit(train, Y)
    with pytest.raises(ValueError, match="unseen at fit time:\n- 0\n"):
        model.predict(train.set_axis([0, 1], axis=1))
    assert model.score(train, Y) == 1
    of_array = MKLRidge([RBF()]).fit(X[:, :2], Y)
    with pytest.raises(ValueError, match="1 held numbers in training, and holds '"):
        of_array.predict(train)


def test_a_kernel_alone_refuses_other_columns():
    kernel = Overlap().fit(pd.DataFrame({"a": ["1", "2"]}))
    with pytest.raises(ValueError, match="unseen at fit time:\n- b"):
        kernel(pd.DataFrame({"b": ["3", "2"]}))


def test_names_of_several_levels():
    table = pd.DataFrame(X, columns=LEVELS)
    for columns, expected in [
        ([("u", "y"), ("v", "x")], [1, 2]),
        (("u", "y"), [1]),
        (slice(("u", "y"), None), [1, 2, 3]),
    ]:
        kernel = RBF(columns=columns).fit(table)
        assert kernel.columns_.tolist() == expected
        found = MKLRidge([RBF(columns=columns)]).fit(table, Y).predict(table)
        plain = MKLRidge([RBF(columns=expected)]).fit(X, Y).predict(X)
        assert_allclose(found, plain, rtol=1e-6)
    with pytest.raises(
        ValueError, match=r"no column \('u', 'z'\); it has \('u', 'x'\)"
    ):
        RBF(columns=[("u", "z")]).fit(table)
    # Still a list of columns where it is no name.
    assert RBF(columns=(1, 2)).fit(table).columns_.tolist() == [1, 2]
    views = {"u": [("u", "x"), ("u", "y")], "v": [2, 3]}
    kernels = kernels_for(table, views)
    assert_allclose(
        MKLRidge(kernels).fit(table, Y).predict(table),
        MKLRidge(kernels).fit(X, Y).predict(X),
        rtol=1e-6,
    )
