"""Run a table of a paper, and say how our numbers compare with the printed ones."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelweave.persist.atomic import written_whole

from .comparison import Compared, compare, read_toml
from .data import missing
from .splits import Report, read_splits, run_splits
from .table import Table

# So many of them give a standard error already.
QUICK_SPLITS = 2


@dataclass(frozen=True)
class Result:
    """What is known of a table.

    Attributes
    ----------
    paper, name : str
    table : Table
    caption, note : str
        As in printed.toml.
    splits : int
        How many are finished.
    quick : bool
    missing : list of str
        Data sets that are not available.
    reason : str
        Why the table was not run, else empty.
    cells : list of Compared
    labels : mapping
        x and y of a figure, where printed.toml names them.
    """

    paper: str
    name: str
    table: Table
    caption: str
    note: str
    splits: int
    quick: bool
    missing: list[str]
    reason: str
    cells: list[Compared]
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """What runs the table again, as it was."""
        words = ["kernelweave reproduce", self.paper, self.name]
        if self.quick:
            words.append("--quick")
        usual = QUICK_SPLITS if self.quick else self.table.splits
        if self.splits and self.splits != min(usual, self.table.splits):
            words.append(f"--splits {self.splits}")
        return " ".join(words)


def all_tables() -> dict[str, dict[str, Table]]:
    """Paper → table → what runs it, for every folder here that exports TABLES."""
    out = {}
    here = [str(Path(__file__).parent)]
    for module in pkgutil.iter_modules(here):
        if module.ispkg:
            paper = importlib.import_module(f"{__package__}.{module.name}")
            tables = getattr(paper, "TABLES", None)
            if tables:
                out[module.name] = dict(tables)
    return out


def find(paper: str, name: str | None = None) -> list[tuple[str, str, Table]]:
    """The tables that a paper's name, or "all", and a table's name stand for."""
    known = all_tables()
    if paper == "all" and name is None:
        return [(p, n, t) for p, tables in known.items() for n, t in tables.items()]
    if paper not in known:
        raise ValueError(f"there is no paper {paper!r}; there are {', '.join(known)}")
    tables = known[paper]
    if name is None:
        return [(paper, n, t) for n, t in tables.items()]
    if name not in tables:
        raise ValueError(f"{paper} has no {name!r} here; it has {', '.join(tables)}")
    return [(paper, name, tables[name])]


def reproduce(
    paper: str,
    name: str,
    out: str | Path,
    splits: int | None = None,
    quick: bool = False,
    jobs: int = 1,
    progress: Report | None = None,
) -> Result:
    """Run a table, as far as it has not been run, and compare it.

    Parameters
    ----------
    paper, name : str
        Such as "ye2008" and "table2".
    out : path
        Finished splits are kept in a folder there, and not run again.
    splits : int, optional
        As many as printed; two if quick.
    quick : bool
        The smaller form of the table. It has a folder of its own.
    jobs : int
        How many splits at a time.
    progress : callable, optional
        Called with the number of finished splits, that of all, and a text.
    """
    ((_, _, table),) = find(paper, name)
    if splits is None:
        splits = min(QUICK_SPLITS, table.splits) if quick else table.splits
    if splits < 1 or jobs < 1:
        raise ValueError("--splits and --jobs need at least 1")
    folder = folder_of(out, paper, name, quick)
    folder.mkdir(parents=True, exist_ok=True)
    known = _known(table)
    absent, reason = known["missing"], known["reason"]
    _same_data(folder, absent)
    if not reason:
        _remember(folder, absent, "")
        try:
            run_splits(table, folder, splits, quick, jobs, progress)
        except FileNotFoundError as error:
            if not absent:
                raise
            reason = str(error)
    _remember(folder, absent, reason)
    return read_result(paper, name, table, folder, quick, splits)


def folder_of(out: str | Path, paper: str, name: str, quick: bool) -> Path:
    return Path(out) / f"{paper}-{name}{'-quick' if quick else ''}"


def read_result(
    paper: str,
    name: str,
    table: Table,
    folder: Path,
    quick: bool = False,
    splits: int | None = None,
) -> Result:
    """What the folder of a table knows, of the first so many splits."""
    printed = read_toml(paper, "printed.toml").get(name, {})
    finished = read_splits(folder, splits)
    facts = _facts(folder) or _known(table, download=False)
    return Result(
        paper,
        name,
        table,
        str(printed.get("caption", "")),
        str(printed.get("note", "")),
        len(finished),
        quick,
        list(facts.get("missing", [])),
        str(facts.get("reason", "")),
        compare(table, finished, printed),
        {key: str(printed[key]) for key in ("x", "y") if key in printed},
    )


def _known(table: Table, download: bool = True) -> dict[str, Any]:
    """What can be said of a table before it is run."""
    absent = missing(table.data, download)
    none = absent and len(absent) == len(table.data)
    reason = f"not available: {', '.join(absent)}" if none else ""
    return {"missing": absent, "reason": reason}


def _facts(folder: Path) -> dict[str, Any]:
    file = folder / "run.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _remember(folder: Path, absent: list[str], reason: str) -> None:
    with written_whole(folder / "run.json") as part:
        facts = {"missing": absent, "reason": reason}
        part.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")


def _same_data(folder: Path, absent: list[str]) -> None:
    """Splits of the same data sets only: a mean over others would be of nothing."""
    before = _facts(folder).get("missing", [])
    if before == absent or not read_splits(folder):
        return
    then, now = (", ".join(names) or "nothing" for names in (before, absent))
    raise ValueError(
        f"the splits in {folder} were run when {then} was missing, and now {now} is: "
        "delete the folder, or choose another one with --out"
    )
