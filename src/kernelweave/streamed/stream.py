"""Fitting to rows that come in chunks, in two passes over them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from sklearn.base import is_classifier

from ..problem import Array
from .checkpoint import Checkpoint, CheckpointError, description
from .chunk import check_chunk, gather
from .chunks import S
from .sources import Source, as_source

Report = Callable[[int, int, str], None]


def fit_chunks(
    model: Any,
    source: Any,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Report | None = None,
) -> Any:
    """Fit an estimator to rows that are read a chunk at a time.

    Z = [Z_1 … Z_p] of all rows is never there at once: the first pass draws a sample,
    which places the landmarks, and the second adds up ZᵀZ, ZᵀT and TᵀT. The answer is
    that of `model.fit` on all rows, up to the order of the sums.

    Parameters
    ----------
    model : MKLDiscriminantAnalysis or MKLRidge, or one of their CV versions (cv=None)
        Its kernels have features: `Nystroem`, `RandomFourier`, `Linear`.
    source : FileSource, ArraySource, or a function
        Rows that can be read twice; a function returns a new iterator of chunks (X, y).
    checkpoint : path, optional
        A file that keeps the sums, every half a minute and after each pass. If it is
        there, the fit goes on from it; it is deleted when the fit is done. It
        belongs to one model and one source: of a function, only the columns and the
        first chunk are compared.
    progress : callable, optional
        progress(done, total, text), such as `kernelweave.progress.Progress()`; total is
        0 while it is not known.

    Returns
    -------
    estimator
        The model, fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import MKLRidge
    >>> from kernelweave.kernels import RBF, Linear, Nystroem
    >>> from kernelweave.streamed import fit_chunks
    >>> def chunks():
    ...     for seed in range(20):
    ...         X = np.random.default_rng(seed).normal(size=(500, 3))
    ...         yield X, np.sin(X[:, 0]) + X[:, 1]
    >>> model = MKLRidge([Nystroem(RBF(), n_components=50), Linear()], alpha=0.1)
    >>> model = fit_chunks(model, chunks)
    >>> X, y = next(chunks())
    >>> bool(model.score(X, y) > 0.95)
    True
    """
    # estimators/ imports this folder.
    from ..estimators.streaming import fit_to_chunks, learns_from_chunks, reads_again

    if not learns_from_chunks(model):
        raise ValueError(
            f"{type(model).__name__} does not learn from chunks of rows: use "
            "MKLDiscriminantAnalysis, MKLRidge, or one of their CV versions"
        )
    if checkpoint is not None and reads_again(model):
        raise CheckpointError(
            f"{type(model).__name__} reads the rows at every step, for which there is "
            "no checkpoint: leave it out, or use MKLDiscriminantAnalysis"
        )
    source = as_source(source)
    kept = None
    if checkpoint is not None:
        about = {"model": description(model), "source": source.fingerprint()}
        kept = Checkpoint(checkpoint, about)
    stream = Stream(source, is_classifier(model), kept, progress)
    fit_to_chunks(model, stream, source.width, source.names)
    if kept is not None:
        kept.remove()
    return model


class Stream:
    """The chunks of a source, passed over with progress and checkpoints.

    Parameters
    ----------
    source : Source
    classes : bool or None
        Whether y holds classes, else numbers; None: either, as it comes.
    checkpoint : Checkpoint, optional
    progress : callable, optional
    """

    def __init__(
        self,
        source: Source,
        classes: bool | None,
        checkpoint: Checkpoint | None = None,
        progress: Report | None = None,
    ):
        self.source = source
        self.classes = classes
        self.checkpoint = checkpoint
        self.progress = progress
        self._passes = 0
        self._count: int | None = None

    def accumulate(self, make: Callable[[], S]) -> S:
        """One pass; or none, if the checkpoint knows what it comes to."""
        number, kept = self._passes, self.checkpoint
        self._passes += 1
        sums: Any = make()
        if kept is not None and number < len(kept.finished):
            rows, arrays = kept.finished[number]
            sums.restore(arrays)
            self.source.lacking = kept.lacking
            self._check_count(rows)
            return sums
        start = 0
        if kept is not None and kept.current is not None:
            sums.restore(kept.current)
            start, kept.current = kept.rows, None
        self._report(start, start)
        done = start
        for X, y in gather(self._chunks(start)):
            sums.add(X, y, done)
            done += X.shape[0]
            self._report(done, start)
            if kept is not None and kept.due():
                kept.write(sums, done)
        self._check_count(done)
        if kept is not None:
            kept.finish(sums, done, self.source.lacking)
        return sums

    def _chunks(self, start: int) -> Iterator[tuple[Any, Array]]:
        """Checked chunks, without those of the rows before `start`."""
        at = 0
        for X, y in self.source:
            m = X.shape[0]
            if at + m > start:
                X, y = check_chunk(X, y, self.source, at, self.classes)
                known = max(start - at, 0)
                yield X[known:], y[known:]
            at += m
        if at < start:
            self._check_count(at)

    def _check_count(self, rows: int) -> None:
        if self._count is None and not rows:
            raise ValueError("the source has no rows")
        if self._count not in (None, rows):
            raise ValueError(
                f"a pass over the source gave {rows} rows, and the first one "
                f"{self._count}: it must give the same rows every time that it is read"
            )
        self._count = rows

    def _report(self, done: int, start: int) -> None:
        if self.progress is None:
            return
        # In the first pass the total may be an estimate, or not known.
        total = self._count or self.source.rows or 0
        total = max(total - start, done - start) if total else 0
        self.progress(done - start, total, f"pass {self._passes}, {done:,} rows")
