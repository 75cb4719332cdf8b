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

from pathlib import Path

from performance.common import run_parts
from scaling.page import PARTS, write_page

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    page = HERE.parent / "docs" / "scale-measured.md"
    run_parts(__doc__, PARTS, write_page, HERE / "results" / "scale", page)
