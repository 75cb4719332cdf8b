"""Very many rows: every figure of docs/scale-measured.md.

    python benchmarks/scale.py [--only NAME ...] [--quick] [--reuse] [--out DIR]

rows        a fit of a million rows against one plain pass of its products
components  accuracy against the number of components, on letter and usps
csv         letter from CSV to accuracy, by the command line

Every row is saved in DIR/NAME.json as soon as it is there. At the end the page and its
picture are written from all the parts that DIR holds; with --quick they go to DIR, as
small sizes say little. --reuse leaves finished parts as they are; --only with no name
writes the page alone. All of it takes about half an hour on two cores, and 8 GB.

Data come from the folder KERNELWEAVE_DATA; parts whose data are missing say so.
"""

import argparse
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from performance.common import cells, line, load, machine, save, state
from scaling.page import PARTS, write_page

HERE = Path(__file__).resolve().parent


def run_part(name: str, quick: bool, file: Path) -> None:
    """Run one part, print its rows and save them one by one."""
    part = PARTS[name]
    print(f"\n{name}: {part.TITLE}", flush=True)
    print(line([title for _, title, _ in part.TABLE], part.TABLE), flush=True)
    result: dict[str, Any] = {"quick": quick, "finished": False, "rows": []}
    result |= {"machine": machine(), "state": state()}
    began = time.perf_counter()
    try:
        for row in part.rows(quick):
            result["rows"].append(row)
            text = line(cells(row, part.TABLE), part.TABLE)
            print(f"{text}  {row.get('note', '')}".rstrip(), flush=True)
            save(file, result)
        result["finished"] = True
    except FileNotFoundError as error:
        result["missing"] = str(error)
        print(f"left out: {error}")
    except Exception as error:  # the other parts need not suffer
        result["missing"] = f"{type(error).__name__}: {error}"
        traceback.print_exc()
    result["seconds"] = round(time.perf_counter() - began, 1)
    if result["rows"]:
        save(file, result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=PARTS)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--reuse", action="store_true", help="leave finished parts")
    parser.add_argument("--out", type=Path, metavar="DIR")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    out = args.out or HERE / "results" / ("scale-quick" if args.quick else "scale")
    for name in PARTS if args.only is None else args.only:
        old = load(out / f"{name}.json")
        if args.reuse and old and old["finished"] and old["quick"] == args.quick:
            print(f"{name}: kept, of {old['state']['time']}")
        else:
            run_part(name, args.quick, out / f"{name}.json")
    folder = out if args.quick else HERE.parent / "docs"
    found = {name: load(out / f"{name}.json") for name in PARTS}
    results = {name: r for name, r in found.items() if r and r["quick"] == args.quick}
    if results:
        write_page(folder / "scale-measured.md", results)
        print(f"\nwritten: {folder / 'scale-measured.md'}")


if __name__ == "__main__":
    main()
