"""The command line, and what becomes of errors in it."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NoReturn

from .. import __version__, extras
from ..kernels.missing import MissingValuesError
from . import (
    demo,
    evaluate,
    fit,
    importance,
    methods,
    plan,
    predict,
    report,
    reproduce,
)
from .options import Help, Parser

EXAMPLES = """\
from two tables of the same samples to an answer:
  kernelweave evaluate clinic.csv rna.csv --id sample --target label
  kernelweave fit clinic.csv rna.csv --id sample --target label -o model.skops
  kernelweave report model.skops clinic.csv rna.csv -o report.html
  kernelweave predict model.skops clinic2.csv rna2.csv -o predictions.csv

`kernelweave COMMAND --help` shows the options of a command. Exit code: 0 done;
2 something to correct, which one line names; 3 `fit` did not converge, and the
weights are not proved; 130 or 143 interrupted.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    _streams()
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help()
        return 2
    command = shlex.join(["kernelweave", *arguments])
    # Files keep the command: names of bytes that are no UTF-8 are written as \udcff.
    options.command = command.encode("utf-8", "backslashreplace").decode("utf-8")
    try:
        with _interruptions_end():
            code = options.run(options)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        # The reader of a pipe, such as head, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError, ImportError, MemoryError) as error:
        # The terminal, or the file in its place, may be what is full.
        with suppress(OSError):
            print(f"kernelweave: {_words(error)}", file=sys.stderr, flush=True)
        return 2
    except _Interrupted as interrupted:
        return interrupted.code
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="kernelweave",
        description="Multiple kernel learning: combine views of the same samples.",
        epilog=EXAMPLES,
        formatter_class=Help,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    learning = (fit, predict, evaluate, importance, report)
    for command in (*learning, plan, methods, reproduce, demo):
        command.add(commands)
    return parser


def _streams() -> None:
    """Make printing safe where a stream is closed, or lacks some of the characters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.StringIO())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _words(error: Exception) -> str:
    """What went wrong, in one line."""
    text = " ".join(str(error).split())
    if isinstance(error, ModuleNotFoundError) and error.name in extras.EXTRAS:
        return f"this needs {error.name}: {extras.remedy(error.name)}"
    if isinstance(error, MemoryError):
        remedy = "learn from fewer rows, or with --components"
        return f"out of memory: {text}" if text else f"out of memory: {remedy}"
    if isinstance(error, MissingValuesError):
        return (
            f"{error.found}: leave the rows out, or fit with --missing impute (medians "
            "stand for them) or --missing mean (a view that a row lacks as a whole "
            "tells nothing about it)"
        )
    if not isinstance(error, OSError) or error.strerror is None:
        return text or type(error).__name__
    where = "the output" if error.filename is None else str(error.filename)
    return f"{where}: {error.strerror}"


class _Interrupted(BaseException):
    """Ctrl-C or `kill`. Solvers survive a KeyboardInterrupt with the best point so far.

    `code` is that of a process which the signal ends: 128 + its number.
    """

    def __init__(self, number: int):
        super().__init__(number)
        self.code = 128 + number


@contextmanager
def _interruptions_end() -> Iterator[None]:
    """Let Ctrl-C and `kill` end all work, and clean up, also within a solver."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: object) -> NoReturn:
        raise _Interrupted(number)

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        # A shell lets processes in the background ignore Ctrl-C.
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
