"""Data sets by name: from the folder KERNELWEAVE_DATA, else from scikit-learn."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_BUNDLED = {"wine": "load_wine", "wdbc": "load_breast_cancer", "iris": "load_iris"}


def load_table(name: str) -> tuple[NDArray[np.float64], NDArray]:
    """Features (n, d) and labels (n,) of a data set.

    `name.csv.gz` in the folder that the environment variable KERNELWEAVE_DATA names
    (a header row, numbers, the last column is the target), else one of the sets that
    scikit-learn ships: wine, wdbc, iris.

    Examples
    --------
    >>> X, y = load_table("iris")
    >>> X.shape
    (150, 4)
    """
    folder = os.environ.get("KERNELWEAVE_DATA")
    file = Path(folder, f"{name}.csv.gz") if folder else None
    if file is not None and file.is_file():
        with gzip.open(file, "rt") as lines:
            table = np.loadtxt(lines, delimiter=",", skiprows=1)
        return table[:, :-1], table[:, -1].astype(int)
    if name in _BUNDLED:
        import sklearn.datasets

        return getattr(sklearn.datasets, _BUNDLED[name])(return_X_y=True)
    raise FileNotFoundError(
        f"the data set {name!r} is not here: "
        + (f"there is no {file}" if file else "KERNELWEAVE_DATA is not set")
        + f"; scikit-learn ships {', '.join(sorted(_BUNDLED))}"
    )
