"""The model that a command is given."""

from __future__ import annotations

from typing import Any

from ..persist import ModelFileError, load, metadata
from .output import print_notes


def read_model(path: str) -> tuple[Any, dict[str, Any]]:
    """The model and what `fit` remembered with it."""
    remembered = metadata(path)
    if "task" not in remembered:
        raise ModelFileError(
            f"{path} was kept from Python, without the columns that it needs: only "
            "models of `kernelweave fit -o` can be used here"
        )
    if not remembered.get("converged", True):
        print_notes(
            [f"{path} did not converge when it was fitted: its weights are not proved"]
        )
    return load(path), remembered
