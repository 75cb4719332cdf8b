"""Samples that are missing from some of the views."""

from __future__ import annotations

from collections.abc import Mapping

from .facts import Facts
from .markup import Markup, plural, tag
from .tables import Column, table


def absent_table(facts: Facts, absent: Mapping[str, int]) -> list[Markup]:
    """The counts in words, and as a table if there are any."""
    if not absent:
        return [tag("p", "Ready-made Gram matrices do not tell.", class_="quiet")]
    if not any(absent.values()):
        return [tag("p", f"None: every view has all {plural(facts.n, 'sample')}.")]
    rows = [
        [view, facts.n - count, count, f"{100 * count / facts.n:.1f} %"]
        for view, count in absent.items()
    ]
    columns = [
        Column("View"),
        Column("Present", numeric=True),
        Column("Absent", numeric=True),
        Column("Share absent", numeric=True),
    ]
    note = "A view adds nothing to the similarities of a sample that is absent from it."
    return [tag("p", note), table("Samples absent from views", columns, rows)]
