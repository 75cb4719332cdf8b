"""Data sets by name: from the folder KERNELWEAVE_DATA, scikit-learn, or OpenML."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .openml import SOURCES, as_labels, download

_BUNDLED = {"wine": "load_wine", "wdbc": "load_breast_cancer", "iris": "load_iris"}
_PLACES = ("{}.csv.gz", "views/{}.npz", "kernels/{}.npz")


def at_hand(name: str) -> bool:
    """Whether a data set can be loaded without a network.

    Examples
    --------
    >>> at_hand("iris"), at_hand("no such set")
    (True, False)
    """
    return name in _BUNDLED or any(_find(place.format(name)) for place in _PLACES)


def load_table(name: str) -> tuple[NDArray[np.float64], NDArray]:
    """Features (n, d) and labels (n,) of a data set.

    `name.csv.gz` in the folder that the environment variable KERNELWEAVE_DATA names
    (a header row, numbers, the last column is the target: whole numbers or text); else
    one of the sets that scikit-learn ships: wine, wdbc, iris; else one of
    `kernelweave.openml.SOURCES`, downloaded once and checked.

    Examples
    --------
    >>> X, y = load_table("iris")
    >>> X.shape
    (150, 4)
    """
    file = _find(f"{name}.csv.gz")
    if file is not None:
        _, features, labels = _read(file)
        return features, labels
    if name in _BUNDLED:
        import sklearn.datasets

        return getattr(sklearn.datasets, _BUNDLED[name])(return_X_y=True)
    if name in SOURCES:
        try:
            return download(name)
        except FileNotFoundError as error:
            raise _missing(name, f"{name}.csv.gz", str(error)) from error
    raise _missing(
        name,
        f"{name}.csv.gz",
        f"scikit-learn ships {', '.join(sorted(_BUNDLED))}; from OpenML there are "
        f"{', '.join(sorted(SOURCES))}",
    )


def load_views(name: str) -> tuple[dict[str, NDArray[np.float64]], NDArray]:
    """Several views of the same samples, name → (n, d), and labels (n,).

    From the folder KERNELWEAVE_DATA: `views/name.npz` with an array `X_<view>` for
    each of its `views` and `y`; else `name.csv.gz`, as in `load_table`, whose columns
    are named `<view>_<number>`.

    Examples
    --------
    >>> import tempfile
    >>> from unittest.mock import patch
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "views").mkdir()
    >>> arrays = {"X_shape": np.eye(2), "X_colour": np.ones((2, 3)), "y": [0, 1]}
    >>> np.savez(folder / "views/toy.npz", views=["shape", "colour"], **arrays)
    >>> with patch.dict(os.environ, KERNELWEAVE_DATA=str(folder)):
    ...     views, y = load_views("toy")
    >>> {name: X.shape for name, X in views.items()}
    {'shape': (2, 2), 'colour': (2, 3)}
    """
    file = _find(f"views/{name}.npz")
    if file is not None:
        with np.load(file) as data:
            views = {
                str(view): data[f"X_{view}"].astype(float) for view in data["views"]
            }
            return views, data["y"]
    file = _find(f"{name}.csv.gz")
    if file is None:
        raise _missing(name, f"views/{name}.npz")
    names, features, labels = _read(file)
    prefixes = np.array([column.rpartition("_")[0] for column in names])
    if "" in prefixes:
        raise ValueError(
            f"{file} has no views: its columns are not named <view>_<number>; use "
            "load_table"
        )
    views = {str(v): features[:, prefixes == v] for v in dict.fromkeys(prefixes)}
    return views, labels


@dataclass(frozen=True)
class Distances:
    """Distance matrices of the same samples, and how to split them.

    Attributes
    ----------
    D : ndarray (p, n, n)
    names : tuple of str (p,)
    y : ndarray (n,)
    splits : tuple of (train, validation, test)
        Row numbers.

    Examples
    --------
    k = exp(−D/mean(D)) makes kernels of them:

    >>> D = 1 - np.eye(2)[None]
    >>> flowers = Distances(D, ("colour",), np.array([0, 1]), ())
    >>> np.exp(-flowers.D / flowers.D.mean()).round(3)
    array([[[1.   , 0.135],
            [0.135, 1.   ]]])
    """

    D: NDArray[np.float64]
    names: tuple[str, ...]
    y: NDArray
    splits: tuple[tuple[NDArray, NDArray, NDArray], ...]


def load_distances(name: str) -> Distances:
    """Distance matrices, names, labels and splits of a data set such as flower17.

    `kernels/name.npz` in the folder KERNELWEAVE_DATA, with `D` (p, n(n − 1)/2), the
    upper triangles by rows, `names`, `y` (n,), and the splits `trn1`, `val1`, `tst1`,
    `trn2`, ...

    Examples
    --------
    >>> import tempfile
    >>> from unittest.mock import patch
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "kernels").mkdir()
    >>> arrays = {"D": [[1.0, 2.0, 3.0]], "names": ["colour"], "y": [0, 1, 1]}
    >>> np.savez(folder / "kernels/toy.npz", trn1=[0], val1=[1], tst1=[2], **arrays)
    >>> with patch.dict(os.environ, KERNELWEAVE_DATA=str(folder)):
    ...     load_distances("toy").D[0]
    array([[0., 1., 2.],
           [1., 0., 3.],
           [2., 3., 0.]])
    """
    file = _find(f"kernels/{name}.npz")
    if file is None:
        raise _missing(name, f"kernels/{name}.npz")
    with np.load(file) as data:
        y, triangles = data["y"], data["D"]
        D = np.zeros((len(triangles), len(y), len(y)))
        rows, columns = np.triu_indices(len(y), 1)
        D[:, rows, columns] = D[:, columns, rows] = triangles
        count = sum(key.startswith("trn") for key in data.files)
        splits = tuple(
            (data[f"trn{i}"], data[f"val{i}"], data[f"tst{i}"])
            for i in range(1, count + 1)
        )
        return Distances(D, tuple(map(str, data["names"])), y, splits)


def _find(path: str) -> Path | None:
    """The file in the folder of data, if there is one."""
    folder = os.environ.get("KERNELWEAVE_DATA")
    file = Path(folder, path) if folder else None
    return file if file is not None and file.is_file() else None


def _read(file: Path) -> tuple[list[str], NDArray[np.float64], NDArray]:
    """Names of the features, features and labels of a packed table."""
    with gzip.open(file, "rt") as lines:
        header = lines.readline().strip().split(",")
        table = np.loadtxt(lines, delimiter=",", dtype=str, ndmin=2)
    return header[:-1], table[:, :-1].astype(float), as_labels(table[:, -1])


def _missing(name: str, path: str, hint: str = "") -> FileNotFoundError:
    folder = os.environ.get("KERNELWEAVE_DATA")
    reason = (
        f"there is no {Path(folder, path)}"
        if folder
        else f"KERNELWEAVE_DATA is not set; it names the folder that holds {path}"
    )
    return FileNotFoundError(
        f"the data set {name!r} is not here: {reason}" + (f"; {hint}" if hint else "")
    )
