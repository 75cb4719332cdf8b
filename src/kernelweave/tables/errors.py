"""What is wrong with a file."""

from __future__ import annotations


class TableError(ValueError):
    """A file, or a combination of files, that is no table to learn from.

    Examples
    --------
    >>> from kernelweave.tables import read_table
    >>> read_table("nowhere.csv")
    Traceback (most recent call last):
        ...
    kernelweave.tables.errors.TableError: there is no file nowhere.csv
    """
