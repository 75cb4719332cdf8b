"""Ids of samples as people mean them: 1, 1.0, "001" and " 1" are one sample."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

SHOWN = 5

_WHOLE = re.compile(r"([+-]?)0*(\d+)(?:\.0*)?")


def meaning(id: Any) -> str:
    """What an id says: whole numbers without zeros around them, text without spaces.

    Examples
    --------
    >>> [meaning(id) for id in (1, 1.0, "001", " 1", "p01 ")]
    ['1', '1', '1', '1', 'p01']
    """
    text = str(id).strip()
    number = _WHOLE.fullmatch(text)
    return number[1].replace("+", "") + number[2] if number else text


def written_differently(
    ids: Mapping[str, Iterable[Hashable]],
) -> tuple[int, str] | None:
    """How many samples have ids that the tables write differently, and an example.

    Examples
    --------
    >>> written_differently({"rna": ["001", "002"], "clinic": [2, 1, 3]})
    (2, "'001' in rna, 1 in clinic")
    >>> written_differently({"rna": ["a", "b"], "clinic": ["b", "c"]}) is None
    True
    """
    spelled: dict[str, dict[str, set[Hashable]]] = {}
    for table, members in ids.items():
        for id in members:
            spelled.setdefault(meaning(id), {}).setdefault(table, set()).add(id)
    several = [
        tables
        for tables in spelled.values()
        if len({frozenset(ways) for ways in tables.values()}) > 1
    ]
    if not several:
        return None
    first, *others = several[0].items()
    other = next(pair for pair in others if pair[1] != first[1])
    example = ", ".join(f"{min(w, key=str)!r} in {t}" for t, w in (first, other))
    return len(several), example


def transposed(
    ids: Mapping[str, Sequence[Hashable]], columns: Mapping[str, Sequence[Hashable]]
) -> str | None:
    """The table, if any, whose columns are called like the samples of another.

    Half of the samples of the other, or more, and two at least.

    Examples
    --------
    >>> ids = {"clinic": ["p1", "p2"], "rna": ["TP53", "ESR1"]}
    >>> transposed(ids, {"clinic": ["age"], "rna": ["p1", "p2", "p3"]})
    'rna seems to be transposed: 2 of its columns are called like samples of clinic \
(p1, p2). Samples must be rows: turn it round, such as by rna.T in pandas'
    """
    for name, names in columns.items():
        meant = {meaning(column) for column in names}
        for other, samples in ids.items():
            common = [id for id in samples if other != name and meaning(id) in meant]
            if len(common) >= max(2, len(samples) / 2):
                return (
                    f"{name} seems to be transposed: {len(common)} of its columns are "
                    f"called like samples of {other} ({shown(common)}). Samples must "
                    f"be rows: turn it round, such as by {name}.T in pandas"
                )
    return None


def shown(ids: Sequence[Any], most: int = SHOWN) -> str:
    """The first few, for a message."""
    return ", ".join(map(str, ids[:most])) + (", ..." if len(ids) > most else "")
