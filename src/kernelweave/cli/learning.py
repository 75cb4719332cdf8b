"""Fitting, with progress on the terminal and warnings as notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..estimators.access import fit_knowing_groups
from ..progress import Progress
from ..reporting import reporting
from .output import warnings_as_notes


def learn(model: Any, X: Any, y: Any, groups: Any = None) -> Any:
    """Fit; iterations, and points of a grid, move the bar."""
    return learn_by(model, lambda _: fit_knowing_groups(model, X, y, groups))


def learn_by(model: Any, fit: Callable[[Progress], Any]) -> Any:
    """Fit by a function that may move the bar itself, before the solver does."""
    with warnings_as_notes(), Progress() as progress, reporting(progress):
        fit(progress)
    return model
