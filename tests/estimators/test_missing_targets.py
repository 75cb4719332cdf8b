"""Rows without a target: unlabelled where that has a meaning, else refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import problems
from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.analysis import target_alignment
from kernelweave.evaluation import evaluate
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.streamed import fit_chunks

X, Y = problems.blobs(30, 2, 2)
TEXT = np.array(["a", "b"], dtype=object)[Y]
LOST = slice(5, 20)
STR_HAS_GAPS = pd.Series([None]).astype("str").isna().all()


def texts():
    """The same labels, lost in some rows, in every way in which they come."""
    for gap in (None, np.nan, pd.NA, pd.NaT):
        series = pd.Series(TEXT, dtype=object)
        series[LOST] = gap
        yield f"{gap!r}: list", series.tolist()
        yield f"{gap!r}: array", series.to_numpy()
        # Before pandas 3 "str" wrote a gap as the text "None".
        kinds = (object, "string", "category", *(["str"] if STR_HAS_GAPS else []))
        for kind in kinds:
            yield f"{gap!r}: {kind}", series.astype(kind)
    yield "polars", pl.Series([None if 5 <= i < 20 else v for i, v in enumerate(TEXT)])


def numbers():
    series = pd.Series(Y, dtype=float)
    series[LOST] = np.nan
    for kind in (float, "Int64", "category"):
        yield f"numbers: {kind}", series.astype(kind)
    yield "numbers: array", series.to_numpy()
    yield "numbers: list", series.tolist()
    yield "numbers: -1", series.fillna(-1).astype(int)


@pytest.mark.parametrize(("name", "y"), [*texts(), *numbers()])
def test_rows_without_a_label_are_unlabelled(name, y):
    model = LaplacianMKLSVC([RBF(), Linear()]).fit(X, y)
    classes = [0, 1] if "numbers" in name else ["a", "b"]
    assert model.classes_.tolist() == classes
    plain = LaplacianMKLSVC([RBF(), Linear()])
    plain.fit(X, np.where(np.isin(np.arange(30), np.r_[LOST]), -1, Y))
    assert np.array_equal(model.weights_, plain.weights_)
    assert [classes.index(c) for c in model.transduction_] == list(plain.transduction_)


CLASSIFIERS = [
    MKLSVC(),
    MKLSVC([Nystroem(RBF(), 5)], loss="squared_hinge"),
    MKLSVCCV(vs=[1], Cs=[1], cv=2),
    MKLDiscriminantAnalysis(),
    MKLDiscriminantAnalysis([Nystroem(RBF(), 5)]),
    MKLDiscriminantAnalysisCV(alphas=[1]),
    MKLDiscriminantAnalysisCV(alphas=[1], cv=2),
    KernelDiscriminantAnalysis(),
]
MESSAGE = r"y is missing \(NaN or None\) in 15 of 30 rows, the first of them row 5"


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
def test_classifiers_refuse_them(model):
    for name, y in [*texts(), *numbers()]:
        if name == "numbers: -1":
            continue
        with pytest.raises(ValueError, match=MESSAGE):
            model.fit(X, y)


@pytest.mark.parametrize("model", [MKLRidge(), MKLRidgeCV(cv=2), MKLSVR()])
@pytest.mark.parametrize("outputs", [1, 2])
def test_regressions_refuse_them(model, outputs):
    y = np.random.default_rng(0).normal(size=(30, outputs)).astype(object)
    for gap in (None, np.nan, pd.NA):
        y[LOST, -1] = gap
        with pytest.raises(ValueError, match=MESSAGE):
            model.fit(X, y[:, 0] if outputs == 1 else y)


def test_other_places_refuse_them():
    y = pd.Series(TEXT).mask(np.isin(np.arange(30), np.r_[LOST])).tolist()
    model = MKLDiscriminantAnalysis([Linear()])
    with pytest.raises(ValueError, match=MESSAGE):
        model.partial_fit(X, y, classes=["a", "b"])
    with pytest.raises(ValueError, match=f"begins at row 0: {MESSAGE}"):
        fit_chunks(model, lambda: iter([(X, y)]))
    with pytest.raises(ValueError, match=MESSAGE):
        evaluate(MKLDiscriminantAnalysis(), X, y)
    with pytest.raises(ValueError, match=MESSAGE):
        target_alignment(np.stack([X @ X.T]), y)


def test_text_that_looks_like_a_gap_is_a_class():
    names = np.array(["None", "nan"])[Y]
    for y in (names, names.tolist(), pd.Series(names)):
        assert MKLSVC().fit(X, y).classes_.tolist() == ["None", "nan"]
