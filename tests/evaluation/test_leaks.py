"""Columns of a table that are the target."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_wine

from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import evaluate
from kernelweave.evaluation.leaks import copies_of_target
from kernelweave.kernels import Linear

WINE, CLASSES = load_wine(return_X_y=True, as_frame=True)
BODIES, PROGRESS = load_diabetes(return_X_y=True, as_frame=True)
KINDS = {
    "pandas": lambda X: X,
    "polars": lambda X: pl.DataFrame(X.to_dict("list")),
    "array": lambda X: X.to_numpy(),
    "objects": lambda X: X.to_numpy(dtype=object),
}


def as_kind(kind, X, name):
    """The table, and what its last column, `name`, is called there."""
    named = kind in ("pandas", "polars")
    return KINDS[kind](X), repr(name if named else X.shape[1] - 1)


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_a_copy_of_the_classes_draws_a_warning(kind):
    X, name = as_kind(kind, WINE.assign(outcome=2.5 * CLASSES), "outcome")
    with pytest.warns(UserWarning, match=f"{name} has one value for each class"):
        evaluate(MKLDiscriminantAnalysis([Linear(scale=True)]), X, CLASSES)


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_a_copy_of_numbers_draws_a_warning(kind):
    X, name = as_kind(kind, BODIES.assign(same=PROGRESS), "same")
    with pytest.warns(UserWarning, match=f"{name} equals the target"):
        evaluate(MKLRidge([Linear(scale=True)]), X, PROGRESS)


def test_one_of_several_tables_draws_a_warning():
    tables = {"wine": WINE, "after": pd.DataFrame({"outcome": 1 - CLASSES})}
    with pytest.warns(UserWarning, match="'after: outcome' has one value for each"):
        evaluate(MKLDiscriminantAnalysis(), tables, CLASSES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [0, 1, 177])
def test_copies_with_gaps_are_copies(kind, missing):
    y = CLASSES.to_numpy()
    part = np.where(np.arange(len(y)) == missing, np.nan, 3.0 - y)
    X, name = as_kind(kind, WINE.assign(outcome=part), "outcome")
    assert list(map(repr, copies_of_target(X, y, False))) == [name]
    y = PROGRESS.to_numpy()
    part = np.where(np.arange(len(y)) == missing, np.nan, y)
    X, name = as_kind(kind, BODIES.assign(same=part), "same")
    assert list(map(repr, copies_of_target(X, y, True))) == [name]


def test_classes_that_are_text_have_copies_that_are_text():
    y = np.array(["a", "b", "b", "a", "c", "c"])
    X = np.column_stack(
        [y, np.char.upper(y), ["x"] * 6, ["a", "b", "c", "a", "c", "c"]]
    )
    assert copies_of_target(X.astype(object), y, False) == [0, 1]
    assert copies_of_target(X, y, False) == [0, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_other_tables_draw_none(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X = KINDS[kind](WINE)
        evaluate(MKLDiscriminantAnalysis([Linear(scale=True)]), X, CLASSES)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_gaps_of_arrays_of_objects_are_gaps(gap):
    y = CLASSES.to_numpy()
    X = WINE.assign(outcome=3.0 - y).to_numpy().astype(object)
    X[5, -1] = X[6, 0] = gap
    assert copies_of_target(X, y, False) == [X.shape[1] - 1]
    X[:, -1] = PROGRESS.to_numpy()[: len(y)]
    target = X[:, -1].astype(float)
    X[5, -1] = gap
    assert copies_of_target(X, target, True) == [X.shape[1] - 1]


def test_columns_of_lists_are_no_copies():
    y = np.array([0, 0, 1, 1, 1])
    X = pl.DataFrame({"lists": [[v] for v in y.tolist()], "copy": (1 - y).tolist()})
    assert copies_of_target(X, y, False) == ["copy"]
    assert copies_of_target(X, y.astype(float), True) == []
