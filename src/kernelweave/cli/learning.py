"""Fitting, with progress on the terminal and warnings as notes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

from ..progress import Progress
from .output import warnings_as_notes


def learn(model: Any, X: Any, y: Any) -> Any:
    """Fit; what the estimator prints with verbose=1 moves the bar."""
    return learn_by(model, lambda _: model.fit(X, y))


def learn_by(model: Any, fit: Callable[[Progress], Any]) -> Any:
    """Fit by a function that may move the bar itself, before the solver does."""
    norms, alphas = getattr(model, "norms", ()), getattr(model, "alphas", ())
    total = len(norms) * len(alphas)
    with warnings_as_notes(), Progress() as progress:
        model.set_params(verbose=1)
        with redirect_stderr(_Lines(progress, total)):
            fit(progress)
        model.set_params(verbose=0)
    return model


class _Lines(io.TextIOBase):
    """Lines about points of a grid, and about iterations."""

    def __init__(self, progress: Progress, total: int):
        self._progress = progress
        self._total = total
        self._done = 0

    def write(self, text: str) -> int:
        if text.startswith("norm "):
            self._done += 1
            self._progress(self._done, self._total, "choosing norm and alpha")
        elif match := re.match(r" *(\d+) .* (\S+) +\S+$", text):
            iteration, gap = match.groups()
            self._progress(0, 0, f"iteration {iteration}, gap {gap}")
        return len(text)
