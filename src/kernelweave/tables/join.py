"""Several tables of the same samples, joined by the ids of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import TableError
from .exact import EXACT
from .ids import meaning, shown, transposed, written_differently

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Join:
    """Tables with the same rows in the same order.

    Attributes
    ----------
    tables : dict of DataFrame
        Without their id columns.
    ids : list of str
    unmatched : dict of list of str
        For each table, the ids of its rows that not all the others have.
    kept : bool
        Whether these rows were kept.
    alike : str
        A note about ids that the tables write differently, if they do.

    Examples
    --------
    >>> import pandas as pd
    >>> rna = pd.DataFrame({"TP53": [0.1]})
    >>> Join({"rna": rna}, ["a"], {"rna": ["b", "c"]}).notes()
    ['rna: 2 rows not in every table, left out: b, c']
    """

    tables: dict[str, pd.DataFrame]
    ids: list[str]
    unmatched: dict[str, list[str]]
    kept: bool = False
    alike: str = ""

    def notes(self) -> list[str]:
        """Lines about ids, and about samples that some tables lack."""
        alike = [self.alike] if self.alike else []
        if self.kept:
            return alike + self._lacking()
        return alike + [
            f"{name}: {_count(len(ids))} not in every table, left out: {shown(ids)}"
            for name, ids in self.unmatched.items()
            if ids
        ]

    def _lacking(self) -> list[str]:
        """A line about each table that lacks samples, which were kept."""
        somewhere = {i for ids in self.unmatched.values() for i in ids}
        strange = [i for i in self.ids if i in somewhere]
        lines = []
        for name, ids in self.unmatched.items():
            own = set(ids)
            absent = [i for i in strange if i not in own]
            if absent:
                count = f"{len(absent)} of {len(self.ids)} samples"
                lines.append(f"{name} lacks {count}, kept: {shown(absent, 3)}")
        return lines


def join(
    tables: Mapping[str, pd.DataFrame], id: str | None = None, *, keep: bool = False
) -> Join:
    """Bring the rows of several tables into one order, that of the first.

    Ids that mean the same are the same, with a note: 1, 1.0, 001 and " 1".

    Parameters
    ----------
    tables : mapping from name to DataFrame
    id : str, optional
        The column with the ids. It may be left out for a single table.
    keep : bool
        Keep the samples that some tables lack, with missing values there; else they are
        left out.

    Examples
    --------
    >>> import pandas as pd
    >>> clinic = pd.DataFrame({"sample": ["a", "b", "c"], "age": [41, 67, 58]})
    >>> rna = pd.DataFrame({"sample": ["c", "b"], "TP53": [0.1, 0.7]})
    >>> both = join({"clinic": clinic, "rna": rna}, id="sample")
    >>> both.ids, both.tables["rna"]["TP53"].tolist()
    (['b', 'c'], [0.7, 0.1])
    >>> both.notes()
    ['clinic: 1 row not in every table, left out: a']
    """
    names = list(tables)
    if id is None:
        if len(names) > 1:
            raise TableError(
                "several tables are joined by the ids of their rows: name the id "
                f"column with --id{_candidates(tables)}"
            )
        table = tables[names[0]]
        return Join({names[0]: table}, list(map(str, range(1, len(table) + 1))), {})
    _check_id_column(tables, id)
    indexed = {name: _by_id(name, table, id) for name, table in tables.items()}
    indexed, alike = _written_alike(indexed, id)
    common = set.intersection(*(set(table.index) for table in indexed.values()))
    if not common:
        lists = "; ".join(f"{n}: {shown(list(t.index))}" for n, t in indexed.items())
        raise TableError(f"no {id!r} is in every table ({lists}){_turned(tables, id)}")
    unmatched = {
        name: [i for i in table.index if i not in common]
        for name, table in indexed.items()
    }
    ids = list(dict.fromkeys(i for table in indexed.values() for i in table.index))
    if not keep:
        ids = [i for i in ids if i in common]
    rows = {name: _reindexed(table, ids) for name, table in indexed.items()}
    return Join(rows, ids, unmatched, keep, alike)


def _check_id_column(tables: Mapping[str, pd.DataFrame], id: str) -> None:
    for name, table in tables.items():
        if id not in table:
            known = shown([repr(c) for c in table.columns])
            raise TableError(
                f"{name} has no id column {id!r}; it has {known}{_turned(tables, id)}"
            )


def _turned(tables: Mapping[str, pd.DataFrame], id: str) -> str:
    """What to say of a table that seems to have samples for columns, if one does."""
    ids = {name: list(table[id]) for name, table in tables.items() if id in table}
    columns = {name: list(table.columns) for name, table in tables.items()}
    turned = transposed(ids, columns)
    return f": {turned}" if turned else ""


def _written_alike(
    tables: dict[str, pd.DataFrame], id: str
) -> tuple[dict[str, pd.DataFrame], str]:
    """The tables with one way of writing for every id, that of the first of them."""
    found = written_differently({name: list(t.index) for name, t in tables.items()})
    if found is None:
        return tables, ""
    count, example = found
    written: dict[str, str] = {}
    for table in tables.values():
        for text in table.index:
            written.setdefault(meaning(text), text)
    for name, table in tables.items():
        if len({meaning(text) for text in table.index}) < len(table):
            twice = [text for text in table.index if written[meaning(text)] != text]
            raise TableError(
                f"the tables write {count} ids of {id!r} differently ({example}), and "
                f"{name} has ids that mean the same ({shown(twice)}): write each in "
                "one way"
            )
    same = {
        name: table.set_axis([written[meaning(i)] for i in table.index])
        for name, table in tables.items()
    }
    rows = _count(count).replace("row", "id")
    what = f"{rows} of {id!r} are written differently, and taken for the same"
    return same, f"{what}: {example}"


def _by_id(name: str, table: pd.DataFrame, id: str) -> pd.DataFrame:
    ids = table[id].astype(str)
    twice = list(dict.fromkeys(ids[ids.duplicated()]))
    if twice:
        raise TableError(
            f"{name}: some ids of {id!r} are there more than once: {shown(twice)}; "
            "keep one row of each"
        )
    return table.drop(columns=id).set_index(ids.rename(None))


def _reindexed(table: pd.DataFrame, ids: list[str]) -> pd.DataFrame:
    """The rows of these ids; integers that doubles would round stay integers."""
    whole = table.select_dtypes(["int64", "uint64"])
    large = ((whole >= EXACT) | (whole <= -EXACT)).any()
    types = {c: whole[c].dtype.name.replace("i", "I") for c in whole.columns[large]}
    types = {c: type.replace("uI", "UI") for c, type in types.items()}
    return table.astype(types).reindex(ids)


def _candidates(tables: Mapping[str, pd.DataFrame]) -> str:
    """Columns that all tables have and that could hold ids, to be suggested."""
    first, *others = tables.values()
    common = [
        str(c)
        for c in first.columns
        if all(c in other for other in others) and first[c].is_unique
    ]
    return f" (in all of them: {', '.join(common[:5])})" if common else ""


def _count(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"
