"""Speed and memory on one computer: every part of docs/performance.md.

    python benchmarks/performance/run.py [--only NAME ...] [--quick] [--out DIR]

Every row is saved in DIR/NAME.json as soon as it is there. At the end the page
docs/performance.md and its pictures are written from all the parts that DIR holds;
with --quick they go to DIR, as small sizes say little. An interrupted run is taken up
again with --reuse, which leaves finished parts as they are; --only with no name
writes the page alone.

Data come from the folder KERNELWEAVE_DATA; parts whose data are missing say so.
"""

import argparse
import time
import traceback
import warnings
from pathlib import Path

from common import cells, line, load, machine, save, state
from parts import PARTS, Part

from report import write_page

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"


def run_part(name: str, part: Part, quick: bool, out: Path) -> None:
    """Run one part, print its rows and save them one by one."""
    print(f"\n{name}: {part.title}", flush=True)
    print(line([title for _, title, _ in part.columns], part.columns))
    result = {"quick": quick, "finished": False, "rows": [], "machine": machine()}
    result["state"] = state()
    began = time.perf_counter()
    try:
        for row in part.rows(quick):
            result["rows"].append(row)
            text = line(cells(row, part.columns), part.columns)
            print(f"{text}  {row.get('note', '')}".rstrip(), flush=True)
            keep(out / f"{name}.json", result)
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
    keep(out / f"{name}.json", result)


def keep(file: Path, result: dict) -> None:
    """Save a result in which something was timed; else an older one is better."""
    if any("seconds" in row for row in result["rows"]):
        save(file, result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=PARTS)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--reuse", action="store_true", help="leave finished parts")
    parser.add_argument("--out", type=Path, metavar="DIR")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    out = args.out or HERE / ("results/quick" if args.quick else "results")
    for name in PARTS if args.only is None else args.only:
        old = load(out / f"{name}.json")
        if args.reuse and old and old["finished"] and old["quick"] == args.quick:
            print(f"{name}: kept, of {old['state']['time']}")
        else:
            run_part(name, PARTS[name], args.quick, out)
    page = (out if args.quick else DOCS) / "performance.md"
    found = {name: load(out / f"{name}.json") for name in PARTS}
    results = {name: r for name, r in found.items() if r and r["quick"] == args.quick}
    if results:
        write_page(page, results)
        print(f"\nwritten: {page}")


if __name__ == "__main__":
    main()
