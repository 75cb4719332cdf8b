"""Tables of the same samples side by side, joined by index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..frames import column_kinds
from ..tables.ids import shown, transposed, written_differently
from .text_kinds import text_kind

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = ": "

# Fewer rows may have different texts by accident.
FEW = 5


def side_by_side(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One table of all columns, called "view: column", and of all samples.

    Samples come in the order of the first table, then those that only others have.
    Where a table lacks a sample, its columns are missing.
    """
    import pandas as pd

    ids = {name: list(table.index) for name, table in tables.items()}
    _check_join(ids, {name: list(table.columns) for name, table in tables.items()})
    first, *others = (table.index for table in tables.values())
    index = first
    for other in others:
        if not other.equals(index):
            index = index.append(other[~other.isin(index)])
    parts = [
        named(name, table if table.index.equals(index) else table.reindex(index))
        for name, table in tables.items()
    ]
    return pd.concat(parts, axis=1)


def named(view: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with the view in the names of its columns."""
    names = [f"{view}{SEPARATOR}{column}" for column in table.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"table {view!r}: two columns have the name "
            f"{twice.removeprefix(view + SEPARATOR)!r}: rename one"
        )
    return table.set_axis(names, axis=1)


def _check_join(ids: dict[str, list[Any]], columns: dict[str, list[Any]]) -> None:
    """Refuse tables whose samples do not match, and say why that may be."""
    if len(ids) < 2:
        return
    turned = transposed(ids, columns)
    different = written_differently(ids)
    if different is not None:
        raise ValueError(
            f"the ids of {different[0]} samples are written differently "
            f"({different[1]}): write them alike, such as by table.index = "
            "table.index.astype(str)"
        )
    filled = {name: set(members) for name, members in ids.items() if members}
    for name, members in filled.items():
        others = [other for key, other in filled.items() if key != name]
        if others and not members & set().union(*others):
            rest = "; ".join(f"{n}: {shown(i)}" for n, i in ids.items() if n != name)
            raise ValueError(
                f"no sample of {name!r} ({shown(ids[name])}) is in another table "
                f"({rest}). {turned or 'Tables are joined by their index'}"
            )


def refuse_hidden_ids(tables: Mapping[str, pd.DataFrame]) -> None:
    """Refuse a column that seems to hold ids, where tables are joined by row number."""
    by_kind = {
        name: dict(zip(table.columns, column_kinds(table), strict=True))
        for name, table in tables.items()
    }
    for name, kinds in by_kind.items():
        for column, kind in kinds.items():
            values = tables[name][column]
            if kind not in ("labels", "numbers") or not values.is_unique:
                continue
            shared = all(
                column in table and set(table[column]) & set(values)
                for table in tables.values()
            )
            if len(values) < FEW or (kind == "numbers" and not shared):
                continue
            if kind == "labels" and not shared:
                texts = list(map(str, values.dropna()))
                if text_kind(texts) != "categorical":
                    continue
            # Measurements are seldom whole numbers, of which all differ.
            if kind == "numbers" and not (values.dropna() % 1 == 0).all():
                continue
            raise ValueError(
                f"the rows of the tables have no ids but their numbers, and the column "
                f"{column!r} of {name!r} has another value in every row "
                f"({shown(list(values))}): if it holds ids, join by it, "
                f"Views(tables, on={column!r}), or make it the index, "
                f"table.set_index({column!r}); else leave it out"
            )
