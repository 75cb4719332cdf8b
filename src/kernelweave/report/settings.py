"""What is needed to get the same model again."""

from __future__ import annotations

import hashlib
import platform
from typing import Any

import numpy as np
import scipy
import sklearn
from scipy.sparse import issparse

import kernelweave

from .facts import Facts

# Rows at a time, so that a sparse table need not be dense as a whole.
BLOCK = 1000


def versions() -> dict[str, str]:
    return {
        "kernelweave": kernelweave.__version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "System": f"{platform.system()} {platform.machine()}",
    }


def shape_text(facts: Facts) -> str:
    if facts.given:
        p, m, n = facts.X.shape
        return f"{p} Gram matrices of {m} × {n}"
    rows = facts.X.shape if hasattr(facts.X, "shape") else np.shape(facts.X)
    return f"{rows[0]:,} samples × {rows[1]:,} columns"


def checksum(table: Any) -> str:
    """SHA-256 of the values, row by row; names of columns do not count.

    Numbers as little-endian doubles; a table with other things in it as text, a tab
    between the cells and a newline after each row.

    Examples
    --------
    >>> checksum([[1, 2], [3, 4]]) == checksum(np.array([[1.0, 2.0], [3.0, 4.0]]))
    True
    >>> checksum(["a", "b"])[:12]
    '911169ddaaf1'
    """
    if hasattr(table, "to_numpy"):
        table = table.to_numpy()
    elif not issparse(table):
        table = np.asarray(table)
    digest = hashlib.sha256()
    for start in range(0, table.shape[0], BLOCK):
        rows = table[start : start + BLOCK]
        rows = rows.toarray() if issparse(rows) else rows
        if rows.dtype.kind in "fiub":
            digest.update(np.ascontiguousarray(rows, dtype="<f8").tobytes())
        else:
            lines = rows.reshape(len(rows), -1)
            text = "".join("\t".join(map(str, line)) + "\n" for line in lines)
            digest.update(text.encode())
    return digest.hexdigest()


def estimator_text(model: Any) -> str:
    """The call that makes the estimator, unless it is endless."""
    return model.__repr__(N_CHAR_MAX=6000)
