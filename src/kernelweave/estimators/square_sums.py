"""How estimators with the square loss learn from rows that come in chunks."""

from __future__ import annotations

from typing import Any

from ..streamed.chunks import Chunks
from .streaming import Streaming, refuse_without_features, summed


class SquareSums(Streaming):
    """Two passes: sums over the features of the rows are all that is learned from."""

    many_passes = False

    def check(self, model: Any) -> None:
        if not model._sums_do():
            raise ValueError(
                "rows that come in chunks are learned from by the square loss: use "
                "scatter='total' and multiclass_sdp='exact'"
            )
        if getattr(model, "class_weight", None) is not None:
            raise ValueError(
                "class_weight is for rows in memory, not for rows that come in chunks: "
                "pass them to fit at once, or give the shares of the classes as priors"
            )
        refuse_without_features(model)
        cv = getattr(model, "cv", None)
        if cv is not None:
            raise ValueError(
                f"cv={cv!r} fits again for every split, for which rows that come "
                "in chunks are not there: use cv=None, whose folds are in the sums"
            )

    def fit(self, model: Any, chunks: Chunks, names: Any) -> Any:
        return model._fit_data(summed(model, chunks, names))
