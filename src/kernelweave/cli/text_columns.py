"""Which columns hold text: remembered of the training, and read so again."""

from __future__ import annotations

from typing import Any

from ..frames import column_kinds
from .samples import Samples


def text_columns(samples: Samples, X: Any) -> dict[str, list[str]]:
    """For each table, the names in its file of the columns that hold text."""
    kinds = dict(zip(X.columns, column_kinds(X), strict=True))
    several = len(samples.tables) > 1
    return {
        table: [
            c.removeprefix(f"{table}.") if several else c
            for c in columns
            if kinds.get(c) == "labels"
        ]
        for table, columns in samples.tables.items()
    }


def read_as_text(metadata: dict[str, Any]) -> dict[str, list[str]]:
    """For each table, the columns that hold text, and a target whose classes are."""
    labels = metadata["classes"] or []
    target = [metadata["target"]] if any(isinstance(c, str) for c in labels) else []
    return {
        name: [*columns, *(c.removeprefix(f"{name}.") for c in target)]
        for name, columns in metadata["text"].items()
    }


def texts_of(metadata: dict[str, Any]) -> list[str]:
    """The columns of X that hold text, of all tables."""
    several = len(metadata["tables"]) > 1
    return [
        f"{table}.{c}" if several else c
        for table, columns in metadata["text"].items()
        for c in columns
    ]
