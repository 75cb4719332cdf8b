"""Speed and memory on one computer: every part of docs/performance.md.

    python benchmarks/performance/run.py [--only NAME ...] [--quick] [--out DIR]

Every row is saved in DIR/NAME.json as soon as it is there. At the end the page
docs/performance.md and its pictures are written from all the parts that DIR holds;
with --quick they go to DIR, as small sizes say little. An interrupted run is taken up
again with --reuse, which leaves finished parts as they are; --only with no name
writes the page alone.

Data come from the folder KERNELWEAVE_DATA; parts whose data are missing say so.
"""

from pathlib import Path

from common import run_parts
from parts import PARTS

from report import write_page

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    page = HERE.parents[1] / "docs" / "performance.md"
    run_parts(__doc__, PARTS, write_page, HERE / "results", page)
