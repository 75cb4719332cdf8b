"""What benchmarks in parts share: the run, timing, memory, tables, files, machine."""

import argparse
import contextlib
import io
import json
import os
import platform
import signal
import subprocess
import time
import traceback
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

Row = dict[str, Any]
# (key of the row, heading, format)
Columns = Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Part:
    """`rows(quick)` makes the table; `text` stands above it on the page."""

    rows: Callable[[bool], Iterator[Row]]
    columns: Columns
    title: str
    text: str


PACKAGES = ("kernelweave", "numpy", "scipy", "scikit-learn", "numba", "torch")
PACKAGES += ("MKLpy", "himalaya", "cvxpy", "clarabel", "scs")


def run_parts(
    about: str,
    parts: dict[str, Part],
    write_page: Callable[[Path, dict[str, Any]], None],
    out: Path,
    page: Path,
) -> None:
    """The command line of a benchmark: run its parts, save their rows, write the page.

    `out` is where rows are kept; those of quick runs have a folder and a page in it.
    """
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=parts)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--reuse", action="store_true", help="leave finished parts")
    parser.add_argument("--out", type=Path, metavar="DIR")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    out = args.out or (out / "quick" if args.quick else out)
    for name in parts if args.only is None else args.only:
        old = load(out / f"{name}.json")
        if args.reuse and old and old["finished"] and old["quick"] == args.quick:
            print(f"{name}: kept, of {old['state']['time']}")
        else:
            _run_part(name, parts[name], args.quick, out / f"{name}.json")
    found = {name: load(out / f"{name}.json") for name in parts}
    results = {name: r for name, r in found.items() if r and r["quick"] == args.quick}
    if results:
        page = out / page.name if args.quick else page
        write_page(page, results)
        print(f"\nwritten: {page}")


def _run_part(name: str, part: Part, quick: bool, file: Path) -> None:
    """Run one part, print its rows and save them one by one."""
    print(f"\n{name}: {part.title}", flush=True)
    print(line([title for _, title, _ in part.columns], part.columns), flush=True)
    result: dict[str, Any] = {"quick": quick, "finished": False, "rows": []}
    result |= {"machine": machine(), "state": state()}
    began = time.perf_counter()
    try:
        for row in part.rows(quick):
            result["rows"].append(row)
            text = line(cells(row, part.columns), part.columns)
            print(f"{text}  {row.get('note', '')}".rstrip(), flush=True)
            _keep(file, result)
        result["finished"] = True
    except FileNotFoundError as error:
        result["missing"] = str(error)
        print(f"left out: {error}")
    except Exception as error:  # the other parts need not suffer
        result["missing"] = f"{type(error).__name__}: {error}"
        traceback.print_exc()
    result["seconds"] = round(time.perf_counter() - began, 1)
    # The libraries that were loaded in the meantime have their own BLAS.
    result["machine"] = machine()
    _keep(file, result)


def _keep(file: Path, result: dict[str, Any]) -> None:
    """Save a result in which something was timed; else an older one is better."""
    if any("seconds" in row for row in result["rows"]):
        save(file, result)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    answer = run()
    return time.perf_counter() - began, answer


def median_time(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    times, answer = [], None
    for _ in range(repeats):
        answer = None  # only one answer is kept, also in memory
        seconds, answer = timed(run)
        times.append(seconds)
    return float(np.median(times)), answer


def against(
    reference: Callable[[], Any],
    run: Callable[[], Any],
    repeats: int = 3,
    once_over: float = np.inf,
) -> tuple[list[float], list[float], Any]:
    """Times of `run` and of `reference`, which is timed before and after each run.

    What else the machine does hits both. A run that takes longer than `once_over`
    seconds is not repeated.
    """
    references = [timed(reference)[0]]
    times: list[float] = []
    answer = None
    for _ in range(repeats):
        answer = None
        seconds, answer = timed(run)
        times.append(seconds)
        references.append(timed(reference)[0])
        if seconds > once_over:
            break
    return times, references, answer


def peak(run: Callable[[], Any]) -> int:
    """Bytes that numpy and Python hold at most while it runs, beyond those before."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def busy() -> str:
    """A note if others want the cores: the times are then not to be trusted."""
    load = os.getloadavg()[0]
    over = load > (os.cpu_count() or 1) + 0.5
    return f"busy machine (load {load:.1f})" if over else ""


class OverTime(BaseException):
    """Raised in a run that takes longer than it may; `except Exception` lets it by."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what runs here after so many seconds, between two steps of Python."""

    def stop(*_: Any) -> None:
        raise OverTime(f"over {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    # Again and again: some code swallows the first exception.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def exponent(x: Sequence[float], y: Sequence[float]) -> float | None:
    """b of y ≈ a·x^b by least squares of the logarithms, or None for one point."""
    if len(x) < 2:
        return None
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def cells(row: Row, columns: Columns) -> list[str]:
    """The row as text; '-' for what it does not have."""
    return [
        format(row[key], form) if row.get(key) is not None else "-"
        for key, _, form in columns
    ]


def line(texts: Sequence[str], columns: Columns) -> str:
    """One line of a table on the screen."""
    parts = [
        f"{text:<36}" if form == "" else f"{text:>{max(9, len(title) + 1)}}"
        for text, (_, title, form) in zip(texts, columns, strict=True)
    ]
    return " ".join(parts).rstrip()


def markdown(rows: Sequence[Row], columns: Columns) -> str:
    """A table; a note stands in a last column, if any row has one."""
    noted = any(row.get("note") for row in rows)
    titles = [title for _, title, _ in columns] + ([""] if noted else [])
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    for row in rows:
        texts = cells(row, columns) + ([row.get("note") or ""] if noted else [])
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join(lines)


def save(file: Path, content: Any) -> None:
    """Write JSON; a half-written file never takes the place of a whole one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".part")
    new.write_text(json.dumps(content, indent=1) + "\n")
    new.replace(file)


def load(file: Path) -> Any:
    return json.loads(file.read_text()) if file.is_file() else None


def machine() -> dict[str, str]:
    """The computer and the libraries, in words."""
    found = {"CPU": _cpu(), "cores": str(os.cpu_count()), "memory": _memory()}
    found["Python"] = platform.python_version()
    for package in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    pools = {
        f"{pool.get('internal_api')} {pool.get('version') or ''} "
        f"{pool.get('architecture') or ''}".strip()
        + f", {pool['num_threads']} threads"
        for pool in threadpool_info()
        if pool.get("user_api") == "blas"
    }
    return found | {"BLAS": "; ".join(sorted(pools))}


def state() -> dict[str, Any]:
    """When, at which commit, and how busy the machine was."""
    command = ["git", "describe", "--always", "--dirty"]
    here = Path(__file__).parent
    run = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    return {
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "commit": run.stdout.strip() or "unknown",
        "load": round(os.getloadavg()[0], 2),
    }


def _cpu() -> str:
    with contextlib.suppress(OSError):
        for text in Path("/proc/cpuinfo").read_text().splitlines():
            if text.startswith("model name"):
                return text.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{size / 2**30:.0f} GiB"
