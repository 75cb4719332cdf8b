"""Several tables as one thing."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.views import Views, as_trained, as_views, kernels_for
from several_tables import ALL_RNA, CLINIC, IDS, LABEL, RNA, SOME_RNA, N

pl = pytest.importorskip("polars")


def polars(table):
    return pl.DataFrame(table.rename_axis("sample").reset_index().to_dict("list"))


def test_tables_are_joined_by_index():
    views = Views(rna=RNA, clinic=CLINIC)
    assert views.index.tolist() == RNA.index.tolist()
    assert views.shape == (N, 7) and len(views) == N
    assert views.names == ["rna", "clinic"]
    pd.testing.assert_frame_equal(views["rna"], RNA)
    pd.testing.assert_frame_equal(views["clinic"], CLINIC.loc[RNA.index])
    assert views.frame.columns.tolist()[3:5] == ["rna: d", "clinic: age"]
    assert views.lacking() == {"rna": 0, "clinic": 0}


def test_samples_that_a_table_lacks_have_no_values_there():
    views = Views({"rna": SOME_RNA, "clinic": CLINIC})
    absent = [i for i in IDS if i not in SOME_RNA.index]
    assert views.index.tolist() == [*SOME_RNA.index, *absent]
    assert views.lacking() == {"rna": 10, "clinic": 0}
    assert views["rna"].loc[absent].isna().all(axis=None)
    pd.testing.assert_frame_equal(views["rna"].loc[SOME_RNA.index], SOME_RNA)


def test_the_tables_given_are_not_changed():
    rna = RNA.copy()
    views = Views(rna=rna)
    views.frame.iloc[0, 0] = 1e9
    pd.testing.assert_frame_equal(rna, RNA)


@pytest.mark.parametrize("missing", ["error", "mean"])
@pytest.mark.parametrize(
    "rows",
    [[3, 1], np.array([5, 0, 2]), np.arange(N) % 4 == 0, slice(2, 9), slice(None)],
    ids=str,
)
def test_rows_are_taken_as_scikit_learn_does(rows, missing):
    views = Views(rna=RNA, clinic=CLINIC, missing=missing)
    expected = views.frame.iloc[rows]
    for part in (views[rows], views.iloc[rows], _safe_indexing(views, rows)):
        assert isinstance(part, Views) and part.missing == missing
        pd.testing.assert_frame_equal(part.frame, expected)
    assert indexable(views)[0] is views
    assert _num_samples(views) == N
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(views)).frame, views.frame)


def test_rows_by_id_and_by_mask():
    views = Views(clinic=CLINIC, rna=RNA)
    assert views.loc[["p003", "p001"]].index.tolist() == ["p003", "p001"]
    old = views["clinic"]["age"] > 60
    assert views[old].index.tolist() == CLINIC.index[CLINIC["age"] > 60].tolist()
    with pytest.raises(IndexError, match="another index"):
        views[RNA["a"] > 0]
    with pytest.raises(KeyError, match="no view 'age'; there are clinic, rna"):
        views["age"]
    with pytest.raises(IndexError, match="rows are taken"):
        views.iloc[:, [0]]
    with pytest.raises(TypeError, match=r"views\.frame is one table"):
        np.asarray(views)


def test_polars_by_a_column_of_ids():
    views = Views(rna=polars(SOME_RNA), clinic=polars(CLINIC), on="sample")
    same = Views(rna=SOME_RNA, clinic=CLINIC)
    assert views.index.tolist() == same.index.tolist()
    for name in same.names:
        pd.testing.assert_frame_equal(
            views[name], same[name], check_names=False, check_dtype=False
        )
    assert [k.label for k in kernels_for(views, missing="mean")] == [
        k.label for k in kernels_for(same, missing="mean")
    ]


def test_polars_by_row_number():
    bare = polars(ALL := CLINIC).drop("sample")
    rna = polars(RNA.loc[ALL.index]).drop("sample")
    assert Views(clinic=bare, rna=rna).index.tolist() == list(range(N))
    with pytest.raises(ValueError, match=r"have clinic: 60, rna: 50.*on="):
        Views(clinic=bare, rna=rna[:50])
    with pytest.raises(ValueError, match=r"'clinic' has no index, and 'rna' has one"):
        Views(clinic=bare, rna=RNA)


def test_kinds_of_polars_columns_stay():
    table = pl.DataFrame(
        {
            "id": [1, 2, 3],
            "whole": [1, None, 3],
            "flag": [True, None, False],
            "text": ["a", None, "b"],
            "category": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        }
    )
    frame = Views(a=table, on="id").frame
    assert frame["a: whole"].isna().tolist() == [False, True, False]
    assert frame["a: flag"].tolist() == [True, None, False]
    assert frame["a: text"].tolist()[::2] == ["a", "b"] and frame["a: text"].isna()[2]
    assert frame["a: category"].tolist() == ["x", "y", "x"]


class Annotated:
    """What is asked of an AnnData object."""

    def __init__(self, table, sparse=False):
        X = table.to_numpy()
        self.X = csr_matrix(X) if sparse else X
        self.obs_names, self.var_names = table.index, table.columns


class Multimodal:
    """What is asked of a MuData object."""

    def __init__(self, **tables):
        self.mod = {name: Annotated(table) for name, table in tables.items()}
        self.obs_names = CLINIC.index


@pytest.mark.parametrize("sparse", [False, True])
def test_annotated_data(sparse):
    views = as_views({"rna": Annotated(RNA, sparse), "clinic": CLINIC})
    pd.testing.assert_frame_equal(views["rna"], RNA)
    alone = as_views(Annotated(RNA, sparse))
    assert alone.names == ["X"]
    both = as_views(Multimodal(rna=RNA, more=SOME_RNA))
    assert both.names == ["rna", "more"] and both.lacking()["more"] == 10


def test_kernels_for_several_tables():
    tables = {"rna": RNA, "clinic": CLINIC}
    kernels = kernels_for(tables)
    names = [kernel.label for kernel in kernels]
    assert {"rna: linear", "clinic: linear", "clinic: overlap"} <= {*names}
    assert "rna: overlap" not in names
    assert [n for n in names if n.startswith("rna: ")] == [
        n.replace("all: ", "rna: ") for n in (k.label for k in kernels_for(RNA))
    ]
    assert kernels[-1].columns == ["clinic: sex"]
    views = Views(rna=SOME_RNA, clinic=CLINIC, missing="mean")
    assert {kernel.missing for kernel in kernels_for(views)} == {"mean"}
    assert {kernel.missing for kernel in kernels_for(views, missing="impute")} == {
        "impute"
    }
    message = r"10 of 60 samples are not in the table 'rna'.*Views\(tables, missing"
    with pytest.raises(ValueError, match=message):
        kernels_for({"rna": SOME_RNA, "clinic": CLINIC})
    with pytest.raises(ValueError, match="several tables are views already"):
        kernels_for(tables, {"all": slice(None)})


def test_new_samples_get_the_columns_of_the_training():
    columns = Views(rna=RNA, clinic=CLINIC).frame.columns
    new = as_trained({"clinic": CLINIC[["size", "sex", "age"]]}, columns)
    assert new.columns.tolist() == columns.tolist()
    assert new["rna: a"].isna().all()
    assert new["clinic: age"].tolist() == CLINIC["age"].tolist()
    with pytest.raises(ValueError, match="no view 'rn': it was fitted to rna, clinic"):
        as_trained({"rn": RNA}, columns)
    with pytest.raises(ValueError, match=r"'rna' lacks 1 of the 4 columns.*: 'rna: b'"):
        as_trained({"rna": RNA.rename(columns={"b": "z"})}, columns)
    more = as_trained({"rna": RNA.assign(label=1)}, columns)
    assert more.columns.tolist() == columns.tolist()
    with pytest.raises(ValueError, match="fitted to one table, with the columns 'a'"):
        as_trained({"rna": RNA}, ["a", "b"])


@pytest.mark.parametrize(
    "tables, message",
    [
        ({}, "there is no table"),
        ({"a: b": RNA}, "without ': ', got 'a: b'"),
        ({"": RNA}, "is a text"),
        ({1: RNA}, "is a text"),
        ({"a": 3}, "'a' must be a DataFrame .* got int"),
        ({"a": RNA[[]]}, "'a' has no columns"),
        ({"a": pd.concat([RNA, RNA])}, "60 samples are there more than once"),
        ({"a": RNA.rename({"p001": None})}, "1 rows have no id"),
        ({"a": RNA.rename(columns={"b": "a"})}, "two columns have the name 'a'"),
        ({"a": RNA, "b": CLINIC.rename(lambda i: "q" + i)}, "no sample of 'a'.*index"),
        ({"a": RNA, "b": CLINIC.T}, "b seems to be transposed: 60 of its columns"),
        (
            {
                "a": RNA.rename(lambda i: int(i[1:])),
                "b": CLINIC.rename(lambda i: i[1:]),
            },
            r"ids of 60 samples are written differently .*alike",
        ),
    ],
)
def test_what_is_refused(tables, message):
    with pytest.raises(ValueError, match=message):
        Views(tables)
    with pytest.raises(ValueError, match="two tables are called 'rna'"):
        Views({"rna": RNA}, rna=RNA)
    with pytest.raises(ValueError, match="missing must be one of"):
        Views(rna=RNA, missing="drop")
    with pytest.raises(ValueError, match=r"'rna' has no column 'sample'.*'a', 'b'"):
        Views(rna=RNA, on="sample")
    with pytest.raises(ValueError, match="must be a dict"):
        Views(RNA)


def test_the_target_is_a_column():
    tables = {"rna": SOME_RNA, "clinic": CLINIC.assign(label=LABEL)}
    views, y = Views(tables, missing="mean").take_target("label")
    pd.testing.assert_series_equal(y, LABEL[views.index], check_names=False)
    assert views["clinic"].columns.tolist() == ["age", "sex", "size"]
    # A column of the same name in another table tells the target, too.
    tables["rna"] = SOME_RNA.assign(label=0)
    with pytest.raises(ValueError, match="name one of 'rna: label', 'clinic: label'"):
        Views(tables).take_target("label")
    views, _ = Views(tables).take_target("clinic: label")
    assert views.names == ["rna", "clinic"] and "rna: label" not in views.frame
    with pytest.raises(ValueError, match="no table has a column 'x'"):
        views.take_target("x")


def test_samples_without_a_target_are_counted():
    tables = {"rna": RNA, "clinic": SOME_RNA[["a"]].assign(grade=1)}
    with pytest.warns(UserWarning, match="10 of 60 samples have no grade"):
        views, y = Views(tables).take_target("grade")
    assert len(views) == len(y) == 50
    assert y.dtype == int
    # A table that held nothing else is no view.
    with pytest.warns(UserWarning, match="10 of 60"):
        views, _ = Views(rna=RNA, labels=tables["clinic"][["grade"]]).take_target(
            "grade"
        )
    assert views.names == ["rna"]


def test_ids_of_several_levels():
    """Such as a patient and a side."""
    ids = pd.MultiIndex.from_product([range(30), ["left", "right"]])
    tables = {
        "rna": ALL_RNA.set_axis(ids).sample(N, random_state=0),
        "clinic": CLINIC.set_axis(ids),
    }
    plain = {"rna": RNA, "clinic": CLINIC}
    y = LABEL.set_axis(ids).sample(N, random_state=1)
    model = MKLDiscriminantAnalysis().fit(tables, y)
    expected = MKLDiscriminantAnalysis().fit(plain, LABEL)
    assert model.score(tables, y) == expected.score(plain, LABEL)
    assert model.weights_ == pytest.approx(expected.weights_, abs=1e-9)
    some = Views(rna=tables["rna"][:50], clinic=tables["clinic"], missing="mean")
    assert len(some) == N and some.lacking() == {"rna": 10, "clinic": 0}
    nameless = CLINIC.set_axis(ids.set_levels([*range(29), np.nan], level=0))
    with pytest.raises(ValueError, match="'clinic': 2 rows have no id in the index"):
        Views(rna=tables["rna"], clinic=nameless)
    with pytest.raises(ValueError, match="'rna': 2 samples are there more than once"):
        Views(rna=pd.concat([tables["rna"], tables["rna"][:2]]))
