"""Ready-made Gram matrices from an .npz file."""

from __future__ import annotations

import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..persist.npz import read_arrays
from ..problem import Array
from .errors import TableError


@dataclass(frozen=True)
class KernelFile:
    """Gram matrices of the same samples.

    Attributes
    ----------
    names : list of str (p,)
    K : ndarray (p, m, n)
        n = m for training; new rows are compared with the n training rows.
    ids : list of str (m,), or None
    targets : dict of ndarray (m,)
        The other arrays with one value a row, such as labels.

    Examples
    --------
    >>> file = KernelFile(["colour"], np.ones((1, 2, 2)), None, {"label": [0, 1]})
    >>> file.names, file.K.shape
    (['colour'], (1, 2, 2))
    """

    names: list[str]
    K: Array
    ids: list[str] | None
    targets: dict[str, Array]


def read_kernels(path: str | os.PathLike[str]) -> KernelFile:
    """Read an .npz file of Gram matrices.

    Either an array K (p, m, n), with `names` (p,) if they have any, or one array
    (m, n) for each kernel, which gives it its name; `ids` (m,) if the rows have any;
    and labels: any array (m,).

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "kernels.npz"
    >>> np.savez(path, shape=np.eye(3), colour=np.ones((3, 3)), label=[0, 1, 1])
    >>> file = read_kernels(path)
    >>> file.names, file.K.shape, list(file.targets)
    (['shape', 'colour'], (2, 3, 3), ['label'])
    """
    path = Path(path)
    arrays = _arrays(path)
    for name in list(arrays):
        if arrays[name].dtype.kind not in "fiubUS":
            raise TableError(f"{path}: array {name!r} holds neither numbers nor text")
    if "K" in arrays:
        K = arrays.pop("K")
        if K.ndim != 3:
            raise TableError(
                f"{path}: K must be of shape (kernels, rows, rows), got {K.shape}"
            )
        given = arrays.pop("names", None)
        names = [f"kernel {j}" for j in range(len(K))] if given is None else list(given)
    else:
        names = [name for name, array in arrays.items() if array.ndim == 2]
        matrices = [arrays.pop(name) for name in names]
        shapes = {matrix.shape for matrix in matrices}
        if len(shapes) != 1:
            found = ", ".join(map(str, sorted(shapes))) or "none"
            raise TableError(
                f"{path} must hold kernels: an array K (p, n, n), or arrays (n, n) of "
                f"one shape; shapes of its matrices: {found}"
            )
        K = np.stack(matrices)
    if K.dtype.kind not in "fiub" or not np.all(np.isfinite(K)) or K.size == 0:
        raise TableError(f"{path}: the kernels must be finite numbers, at least one")
    if len(names) != len(K):
        raise TableError(f"{path}: {len(names)} names for {len(K)} kernels")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise TableError(f"{path}: two kernels are called {twice[0]}: rename one")
    m = K.shape[1]
    targets = {name: a for name, a in arrays.items() if a.shape == (m,)}
    ids = targets.pop("ids", None)
    if ids is not None and len(np.unique(ids)) < m:
        raise TableError(f"{path}: some ids are there more than once; keep one of each")
    rows = None if ids is None else ids.astype(str).tolist()
    return KernelFile(list(map(str, names)), K, rows, targets)


def _arrays(path: Path) -> dict[str, Array]:
    if not path.is_file():
        raise TableError(f"there is no file {path}")
    try:
        return read_arrays(path)
    except MemoryError as error:
        raise TableError(f"{path} is too large: {error}") from error
    # An array of objects is a pickle, and a ValueError here.
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise TableError(
            f"{path} is no .npz file of plain arrays, or is damaged: {error}"
        ) from error
