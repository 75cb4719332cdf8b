"""Targets are joined by index, or refused: never silently by position."""

import pandas as pd
import pytest

from kernelweave.views import Views, aligned
from several_tables import ALL_RNA, CLINIC, IDS, LABEL, RNA, N

TABLES = {"rna": RNA, "clinic": CLINIC}


def test_a_series_is_joined_by_its_index():
    for X in (TABLES, Views(TABLES)):
        for y in (LABEL, LABEL.sample(N, random_state=3), LABEL.to_frame()):
            views, targets = aligned(X, y)
            assert views.index.tolist() == RNA.index.tolist()
            assert targets.index.equals(views.index)
            assert targets.squeeze().tolist() == LABEL[RNA.index].tolist()


def test_samples_without_a_target_are_left_out_and_counted():
    with pytest.warns(UserWarning, match="20 of 60 samples have no target in y"):
        views, y = aligned(TABLES, LABEL[:40])
    assert y.index.equals(views.index)
    assert sorted(views.index) == IDS[:40]


@pytest.mark.parametrize(
    "y, message",
    [
        (LABEL.reset_index(drop=True), "60 of 60 samples of y are in no table"),
        (LABEL.rename({"p001": "q"}), r"1 of 60 samples of y are in no table \(q;"),
        (pd.concat([LABEL, LABEL[:2]]), "2 samples more than once"),
        (LABEL.to_numpy(), "same order, and y has no index"),
        (LABEL.tolist()[1:], "y has 59 targets, and the tables have 60 samples"),
    ],
    ids=["other index", "one stranger", "twice", "array", "too few"],
)
def test_what_is_refused(y, message):
    for X in (TABLES, Views(TABLES)):
        with pytest.raises(ValueError, match=message):
            aligned(X, y)


def test_rows_that_were_taken_are_not_joined():
    """A splitter takes rows of X and y by number, and scores them by number."""
    views = Views(TABLES)
    with pytest.raises(ValueError, match="one order before they are split"):
        aligned(views[:30], LABEL[:30])
    with pytest.raises(ValueError, match="one order before they are split"):
        aligned(views[:30], LABEL[views.index[:30]].iloc[::-1])
    part, y = aligned(views[:30], LABEL[views.index[:30]])
    assert len(part) == len(y) == 30


def test_an_array_goes_with_tables_in_one_order():
    same = {"rna": ALL_RNA, "clinic": CLINIC}
    views, y = aligned(same, LABEL.to_numpy())
    assert views.index.tolist() == IDS and y is not LABEL
    # After the join the order is known.
    views, _ = aligned(TABLES, LABEL)
    assert aligned(views[3:9], list("aabbcc"))[0].index.equals(views.index[3:9])
    one = aligned(CLINIC, LABEL)
    assert one[0] is CLINIC and one[1] is LABEL


def test_ids_in_a_column_are_seen():
    loose = {name: table.reset_index() for name, table in TABLES.items()}
    with pytest.raises(ValueError, match=r"'index' of 'rna'.*on='index'"):
        aligned(loose, LABEL.to_numpy())
    numbered = {
        "rna": ALL_RNA.reset_index(drop=True).assign(nr=range(N)),
        "clinic": CLINIC.reset_index(drop=True).assign(nr=range(N)[::-1]),
    }
    with pytest.raises(ValueError, match="'nr' of 'rna'"):
        aligned(numbered, LABEL.to_numpy())
    # Measurements differ from row to row, and ages may: neither is an id.
    plain = {name: table.drop(columns="nr") for name, table in numbered.items()}
    plain["clinic"]["years"] = range(N)
    assert len(aligned(plain, LABEL.to_numpy())[0]) == N
