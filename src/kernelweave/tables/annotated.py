"""Tables of AnnData and MuData: values X of samples (obs) and variables (var)."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

ENDINGS = {".h5ad": "anndata", ".h5mu": "mudata"}


def annotated_frame(data: Any) -> pd.DataFrame:
    """X of an AnnData object, with the names of its samples and variables."""
    import pandas as pd

    if data.X is None:
        raise ValueError("the AnnData object has no X: its values are elsewhere")
    X = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)
    return pd.DataFrame(X, index=data.obs_names, columns=data.var_names)


def read_annotated(
    path: Path, part: str | None = None, also: Iterable[str] = ()
) -> pd.DataFrame:
    """X of an .h5ad file, or of one modality of an .h5mu file.

    Parameters
    ----------
    path : path
    part : str, optional
        The modality.
    also : iterable of str
        Columns of `obs`, such as the target, that are to be columns, too.
    """
    data = _open(path)
    several = getattr(data, "mod", None)
    tables = [data.obs]
    if several is not None:
        data = several[part]
        tables.insert(0, data.obs)
    frame = annotated_frame(data)
    for name in also:
        found = next((obs[name] for obs in tables if name in obs), None)
        if found is not None and name not in frame:
            frame[name] = found.reindex(frame.index).astype(object).infer_objects()
    return frame


def modalities(path: Path) -> list[str]:
    """The names of the modalities in an .h5mu file."""
    return list(_open(path).mod)


def _open(path: Path) -> Any:
    kind = path.suffix.lower()
    read = getattr(import_module(ENDINGS[kind]), f"read_{kind[1:]}")
    return read(path)
