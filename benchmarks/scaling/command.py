"""From a CSV file to the accuracy on new rows, by the command line alone."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from performance.common import Columns, Row, timed
from sklearn.model_selection import train_test_split

from kernelweave.datasets import load_table

COMPONENTS = 200
HERE = Path(__file__).resolve().parents[1]
# The command line, in a process that writes down the most memory it held.
COMMAND = """
import sys
from pathlib import Path
from kernelweave.cli import main
from scaling.memory import peak

code = main(sys.argv[1:])
Path("peak").write_text(str(peak()))
sys.exit(code)
"""

TITLE = "From CSV to accuracy"
TEXT = f"""letter, 16,000 rows in one CSV file and 4000 in another, 26 classes:
`kernelweave fit train.csv --target letter --components {COMPONENTS} -o model.skops`,
then `kernelweave predict model.skops test.csv -o predictions.csv`. **memory** is the
peak of the process."""
TABLE: Columns = [
    ("command", "command", ""),
    ("seconds", "seconds", ".1f"),
    ("memory", "memory, MB", ".0f"),
    ("accuracy", "accuracy", ".2f"),
]


def rows(quick: bool) -> Iterator[Row]:
    X, y = load_table("letter")
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    table["letter"] = y
    train, test = train_test_split(table, test_size=0.2, random_state=0, stratify=y)
    if quick:
        train = train[:4000]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        train.to_csv(folder / "train.csv", index=False)
        test.drop(columns="letter").to_csv(folder / "test.csv", index=False)
        size = str(20 if quick else COMPONENTS)
        fit = ["fit", "train.csv", "--target", "letter", "--components", size]
        yield _run(folder, *fit, "-o", "model.skops")
        predict = ["predict", "model.skops", "test.csv", "-o", "predictions.csv"]
        row = _run(folder, *predict)
        found = pd.read_csv(folder / "predictions.csv")["letter"]
        right = found.astype(str).to_numpy() == test["letter"].astype(str).to_numpy()
        yield row | {"accuracy": 100 * float(right.mean())}


def _run(folder: Path, *arguments: str) -> Row:
    """Time and peak memory of one command."""
    command = [sys.executable, "-c", COMMAND, *arguments]
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    seconds, process = timed(
        lambda: subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    )
    if process.returncode:
        raise RuntimeError(f"kernelweave {arguments[0]}: {process.stderr.strip()}")
    memory = float((folder / "peak").read_text()) / 1e6
    return {"command": arguments[0], "seconds": seconds, "memory": memory}
