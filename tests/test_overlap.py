"""The share of columns that agree, and text in the place of numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.preprocessing import OneHotEncoder

from kernelweave.frames import column_kinds
from kernelweave.inputs.columns import TableColumns
from kernelweave.kernels import Linear, Overlap

TABLE = pd.DataFrame(
    {
        "sex": ["f", "m", "f", "m", "f"],
        "stage": pd.Categorical(["I", "II", "II", "I", "III"]),
        "smokes": [True, False, True, True, False],
        "clinic": [3, 1, 3, 3, 2],
    }
)


def share(a, b):
    """By the definition, entry by entry."""
    return [
        [np.mean([x == z for x, z in zip(r, s, strict=True)]) for s in b] for r in a
    ]


def test_is_the_share_of_equal_columns():
    K = Overlap().fit(TABLE)(TABLE)
    rows = TABLE.to_numpy(dtype=object)
    assert pytest.approx(np.array(share(rows, rows)), abs=1e-15) == K
    assert np.array_equal(Overlap().fit(TABLE).diagonal(TABLE), np.ones(5))


def test_is_linear_on_the_one_hot_code():
    hot = OneHotEncoder(sparse_output=False).fit_transform(TABLE)
    expected = Linear().fit(hot)(hot) / TABLE.shape[1]
    assert Overlap().fit(TABLE)(TABLE) == pytest.approx(expected, abs=1e-15)


def test_chosen_columns():
    K = clone(Overlap(columns=["stage", "sex"])).fit(TABLE)(TABLE)
    rows = TABLE[["sex", "stage"]].to_numpy(dtype=object)
    assert pytest.approx(np.array(share(rows, rows)), abs=1e-15) == K


def test_a_new_category_equals_none():
    kernel = Overlap(columns=["sex", "stage"]).fit(TABLE)
    new = TABLE[:2].assign(sex=["x", "m"])
    rows = new[["sex", "stage"]].to_numpy(dtype=object)
    expected = share(rows, TABLE[["sex", "stage"]].to_numpy(dtype=object))
    assert kernel(new, TABLE) == pytest.approx(np.array(expected))


def test_codes_of_an_array():
    codes = np.array([[0, 1], [0, 2], [3, 2]])
    expected = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert Overlap().fit(codes)(codes) == pytest.approx(np.array(expected))


def test_sparse_tables_are_refused():
    with pytest.raises(ValueError, match=r"'mine' needs a dense table"):
        Overlap(name="mine").fit(scipy.sparse.csr_array(np.eye(3)))


def test_the_most_frequent_value_is_imputed():
    table = TABLE.assign(sex=["f", None, "f", "m", None])
    with pytest.raises(ValueError, match=r"'mine': 2 of 5 rows .* columns sex\."):
        Overlap(name="mine").fit(table)
    filled = table.fillna({"sex": "f"})
    K = Overlap(missing="impute").fit(table)(table)
    assert np.array_equal(K, Overlap().fit(filled)(filled))


@pytest.mark.parametrize(
    "values, found",
    [
        (["a", "b", None], "labels"),
        (pd.Series(["a", "b", None], dtype="string"), "labels"),
        (pd.Series(["a", "b", None], dtype="category"), "labels"),
        (pd.Series([None, None, None], dtype="string"), "labels"),
        (pd.Series([1, "a", None], dtype=object), "labels"),
        (pd.cut(pd.Series([1.0, 2.0, 9.0]), 2), "labels"),
        (pd.Series([1, 2, 3], dtype="category"), "levels"),
        ([True, False, True], "flags"),
        (pd.Series([True, None, False], dtype=object), "flags"),
        (pd.Series([True, None, False], dtype="boolean"), "flags"),
        (pd.Series([1, None, 3], dtype="Int64"), "numbers"),
        (pd.Series([1, 2.5, None], dtype=object), "numbers"),
        (pd.to_datetime(["2020-01-01"] * 3), "times"),
    ],
)
def test_what_columns_hold(values, found):
    assert column_kinds(pd.DataFrame({"x": values})) == [found]


@pytest.mark.parametrize(
    "values, what",
    [(["a", "b"], r"text or categories \(such as 'a'\)"), ([None] * 2, "text or cat")],
)
def test_kernels_of_numbers_refuse_text(values, what):
    table = pd.DataFrame({"age": [1.0, 2.0], "sex": pd.Series(values, dtype="str")})
    message = rf"'mine' computes with numbers.*'sex' holds {what}.*Overlap"
    with pytest.raises(ValueError, match=message):
        Linear(name="mine").fit(table)
    assert Linear(columns=["age"]).fit(np.zeros((2, 2)), table).n_present_ == 2


def test_kernels_of_numbers_refuse_dates():
    table = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    with pytest.raises(ValueError, match=r"'day' holds dates or times"):
        Linear().fit(table)


def test_codes_keep_missing_and_unknown_apart():
    kernel = Overlap(columns="sex", missing="mean").fit(TABLE)
    new = TABLE[:3].assign(sex=["m", None, "x"])
    sex = kernel.select(new)[:, 0]
    assert sex[0] == kernel.select(TABLE)[1, 0]
    assert np.isnan(sex[1]) and sex[2] == -1
    assert new["sex"][0] == "m"  # the user's table is as it was


def test_text_where_numbers_were():
    columns = TableColumns.of(TABLE)
    with pytest.raises(ValueError, match=r"'clinic' held numbers.*'north' now"):
        columns.read(TABLE.assign(clinic="north"))
    empty = columns.read(TABLE.assign(clinic=pd.Series([None] * 5, dtype=object)))[0]
    assert np.isnan(empty["clinic"]).all()


def test_numbers_where_text_was():
    columns = TableColumns.of(TABLE)
    with pytest.raises(ValueError, match=r"'sex' held text.*'f'.* holds int"):
        columns.read(TABLE.assign(sex=1))
    assert columns.read(TABLE.assign(sex=np.nan))[1][0].tolist() == [None] * 5
    with pytest.raises(ValueError, match=r"'sex', 'stage'.*pass a DataFrame"):
        columns.read(np.zeros((2, 4)))
