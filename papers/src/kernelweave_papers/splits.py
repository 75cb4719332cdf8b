"""The splits of a table: run, kept one file each, and not run again."""

from __future__ import annotations

import json
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn, cast

from kernelweave.persist.atomic import written_whole

from .table import Cell, Table

Report = Callable[[int, int, str], object]


def run_splits(
    table: Table,
    folder: Path,
    splits: int,
    quick: bool = False,
    jobs: int = 1,
    progress: Report | None = None,
) -> None:
    """Run those of the splits 0, ..., splits − 1 that have no file in the folder.

    Each is written when it is finished, whole or not at all, so that an interruption
    loses the running ones only. Seconds are measured one split at a time.
    """
    todo = [i for i in range(splits) if not split_file(folder, i).exists()]
    done = splits - len(todo)
    messages: dict[str, None] = {}
    if table.timed or table.kind == "seconds":
        jobs = 1
    for caught in _results(table, folder, todo, quick, jobs):
        done += 1
        messages |= dict.fromkeys(caught)
        if progress is not None:
            progress(done, splits, f"{done} of {splits} splits")
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=2)


def _results(
    table: Table, folder: Path, todo: list[int], quick: bool, jobs: int
) -> Iterator[list[str]]:
    if jobs == 1 or len(todo) < 2:
        for split in todo:
            with _interruptions_end():
                caught = _run_split(table, folder, split, quick)
            yield caught
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    tasks = (delayed(_in_worker)(table, folder, split, quick) for split in todo)
    yield from cast(Iterator[list[str]], parallel(tasks))


def _in_worker(table: Table, folder: Path, split: int, quick: bool) -> list[str]:
    # Ctrl-C is for the parent, which ends the workers; a solver would take it as the
    # wish for its best point so far, and that must not be kept.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _run_split(table, folder, split, quick)


def _run_split(table: Table, folder: Path, split: int, quick: bool) -> list[str]:
    """Run a split and write its file; returns the warnings."""
    run = table.quick if quick and table.quick is not None else table.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            cells = run(split)
        except ValueError as error:
            raise ValueError(f"{table.title}, split {split}: {error}") from error
    if not cells:
        raise ValueError(f"{table.title}: split {split} gave no numbers")
    lines = [json.dumps(asdict(cell), ensure_ascii=False) + "\n" for cell in cells]
    with written_whole(split_file(folder, split)) as part:
        part.write_text("".join(lines), encoding="utf-8")
    return [" ".join(str(warning.message).split()) for warning in caught]


def split_file(folder: Path, split: int) -> Path:
    return folder / f"split-{split}.json"


def read_splits(folder: Path, splits: int | None = None) -> list[list[Cell]]:
    """The cells of all finished splits, or of the first so many, in their order."""
    numbers = sorted(int(f.stem.partition("-")[2]) for f in folder.glob("split-*.json"))
    if splits is not None:
        numbers = [i for i in numbers if i < splits]
    return [_read(split_file(folder, i)) for i in numbers]


def _read(file: Path) -> list[Cell]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return [Cell(**json.loads(line)) for line in lines]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file} cannot be read ({error}): delete it") from error


class _Stop(BaseException):
    """Ctrl-C, where a solver would take it for the wish to end early."""


@contextmanager
def _interruptions_end() -> Iterator[None]:
    """Let Ctrl-C end the split, so that no unfinished solution is kept."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise _Stop

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    except _Stop:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
