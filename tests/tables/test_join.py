"""Joining by ids: nothing is dropped without a word."""

import pandas as pd
import pytest

from kernelweave.tables import TableError, join


def table(ids, **columns):
    return pd.DataFrame({"sample": ids, **columns})


def test_rows_are_matched_in_the_order_of_the_first():
    first = table(["c", "a", "b"], x=[3, 1, 2])
    second = table(["a", "b", "c"], y=[10, 20, 30])
    both = join({"first": first, "second": second}, id="sample")
    assert both.ids == ["c", "a", "b"]
    assert both.tables["first"]["x"].tolist() == [3, 1, 2]
    assert both.tables["second"]["y"].tolist() == [30, 10, 20]
    assert "sample" not in both.tables["first"]
    assert both.notes() == []


def test_what_does_not_match_is_reported():
    first = table(list("abcdefgh"), x=range(8))
    second = table(["h", "z"], y=[1, 2])
    both = join({"first": first, "second": second}, id="sample")
    assert both.ids == ["h"]
    assert both.unmatched == {"first": list("abcdefg"), "second": ["z"]}
    assert both.notes() == [
        "first: 7 rows not in every table, left out: a, b, c, d, e, ...",
        "second: 1 row not in every table, left out: z",
    ]
    every = join({"first": first, "second": second}, id="sample", keep=True)
    assert every.ids == [*"abcdefgh", "z"]
    assert every.tables["second"]["y"].isna().tolist() == [True] * 7 + [False] * 2
    assert every.notes()[1] == "second lacks 7 of 9 samples, kept: a, b, c, ..."


def test_one_table_needs_no_ids():
    alone = join({"first": pd.DataFrame({"x": [1, 2]})})
    assert alone.ids == ["1", "2"]
    assert alone.notes() == []


def test_refusals():
    a, b = table(["s1", "s2"], x=[1, 2]), table(["s1", "s1"], y=[1, 2])
    for tables, id, message in (
        (
            {"a": a, "b": b},
            "sample",
            "b: some ids of 'sample' .* once: s1; keep",
        ),
        ({"a": a, "b": a}, None, r"name the id column with --id \(in all .* sample"),
        ({"a": a, "b": a}, "patient", "a has no id column 'patient'; it has 'sample'"),
        (
            {"a": a, "b": table(["t1", "t2"], y=[1, 2])},
            "sample",
            r"no 'sample' is in every table \(a: s1, s2; b: t1, t2\)",
        ),
    ):
        with pytest.raises(TableError, match=message) as error:
            join(tables, id=id)
        assert "\n" not in str(error.value)
