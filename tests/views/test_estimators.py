"""Estimators, and scikit-learn's splitters and searches, on several tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import StackingClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from kernelweave import (
    MKLSVC,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.persist import load, save
from kernelweave.views import Views, aligned, kernels_for
from several_tables import CLINIC, LABEL, RNA, SOME_RNA, N

pl = pytest.importorskip("polars")

TABLES = {"rna": RNA, "clinic": CLINIC}
# The same, joined by hand.
WIDE = RNA.join(CLINIC)
BY_HAND = kernels_for(WIDE, {"rna": list("abcd"), "clinic": ["age", "sex", "size"]})


def polars(table):
    return pl.DataFrame(table.rename_axis("sample").reset_index().to_dict("list"))


def test_a_dict_of_tables_is_what_joining_by_hand_gives():
    model = MKLDiscriminantAnalysis().fit(TABLES, LABEL)
    expected = MKLDiscriminantAnalysis(BY_HAND).fit(WIDE, LABEL[WIDE.index])
    assert model.kernel_names_.tolist() == expected.kernel_names_.tolist()
    assert model.weights_ == pytest.approx(expected.weights_, abs=1e-12)
    assert model.predict(TABLES).tolist() == expected.predict(WIDE).tolist()
    assert model.feature_names_in_[0] == "rna: a"
    # Tables, their rows and columns may come in any order.
    turned = {"clinic": CLINIC[["size", "age", "sex"]], "rna": RNA.loc[CLINIC.index]}
    assert (
        model.predict(turned).tolist()
        == expected.predict(WIDE.loc[CLINIC.index]).tolist()
    )
    assert model.score(TABLES, LABEL) == expected.score(WIDE, LABEL[WIDE.index])
    assert model.score(Views(TABLES), LABEL) == model.score(TABLES, LABEL)


def test_arrays_afterwards_get_the_usual_kernels():
    model = MKLDiscriminantAnalysis().fit(TABLES, LABEL)
    model.fit(WIDE[list("abcd")], LABEL[WIDE.index])
    assert "rna: linear" not in model.kernel_names_ and "linear" in model.kernel_names_


@pytest.mark.parametrize(
    "model, y",
    [
        (MKLSVC(), LABEL),
        (MKLDiscriminantAnalysisCV(), LABEL),
        (LaplacianMKLSVC(metric="kernels"), LABEL),
        (MKLRidge(), CLINIC["age"]),
        (MKLOneClassSVM(), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_samples_and_new_samples_may_lack_a_table(model, y, tmp_path):
    views = Views(rna=SOME_RNA, clinic=CLINIC[["size", "sex"]], missing="mean")
    model = model.fit(views, y)
    assert len(model.predict(views)) == N
    new = {"rna": RNA[:4]}
    assert len(model.predict(new)) == 4
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert again.predict(new).tolist() == model.predict(new).tolist()


def test_a_table_that_samples_lack_is_refused_with_the_count():
    with pytest.raises(ValueError, match="10 of 60 samples are not in the table 'rna'"):
        MKLSVC().fit({"rna": SOME_RNA, "clinic": CLINIC}, LABEL)
    model = MKLSVC().fit(TABLES, LABEL)
    with pytest.raises(ValueError, match=r"kernel 'rna: .*60 of 60 rows have missing"):
        model.predict({"clinic": CLINIC})


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_scikit_learn_takes_rows(kind):
    tables = {"rna": SOME_RNA, "clinic": CLINIC.assign(label=LABEL)}
    on = None
    if kind == "polars":
        tables, on = {name: polars(t) for name, t in tables.items()}, "sample"
    views, y = Views(tables, on=on, missing="mean").take_target("label")
    groups = np.arange(N) // 4
    model = MKLDiscriminantAnalysis()
    scores = cross_val_score(model, views, y, groups=groups, cv=GroupKFold())
    kernels = kernels_for(views)
    wide = cross_val_score(
        MKLDiscriminantAnalysis(kernels),
        views.frame,
        y,
        groups=groups,
        cv=GroupKFold(),
    )
    assert scores.tolist() == wide.tolist() and np.mean(scores) > 0.6
    search = GridSearchCV(model, {"alpha": [0.1, 10]}, cv=GroupKFold())
    search.fit(views, y, groups=groups)
    assert search.predict(views[:3]).shape == (3,)
    stack = StackingClassifier([("a", model), ("b", MKLSVC())], cv=3).fit(views, y)
    assert stack.score(views, y) > 0.7


def test_a_target_in_another_order_fails_in_cross_validation():
    with pytest.raises(ValueError, match="one order before they are split"):
        cross_val_score(MKLSVC(), Views(TABLES), LABEL)
    views, y = aligned(TABLES, LABEL)
    assert np.mean(cross_val_score(MKLSVC(), views, y)) > 0.6


def test_one_table_and_several_are_not_mixed_up():
    one = MKLSVC().fit(RNA, LABEL[RNA.index])
    with pytest.raises(ValueError, match="fitted to one table"):
        one.predict({"rna": RNA})
    several = MKLSVC().fit({"rna": RNA}, LABEL)
    with pytest.raises(ValueError, match="feature names should match"):
        several.predict(RNA)
    frame = Views(rna=RNA).frame
    pd.testing.assert_frame_equal(frame, RNA.add_prefix("rna: "))
    assert several.predict(frame).tolist() == several.predict({"rna": RNA}).tolist()
