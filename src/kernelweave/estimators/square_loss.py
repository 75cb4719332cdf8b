"""What the estimators with the square loss share: alpha, and sums over rows."""

from __future__ import annotations

from typing import Any

from ..fitted.features import FeatureWork
from ..inputs.rows import Rows
from ..problem import Array
from ..streamed.chunks import Chunks
from ..streamed.sample import RowSample
from ..streamed.targets import Targets
from .base import KernelEstimator
from .streaming import refuse_without_features, summed
from .weighing import weigh_rows


class SquareLossEstimator(KernelEstimator):
    """λ as `alpha`, and rows by their Gram matrices or by sums of their features."""

    alpha: Any
    row_weights_: Array

    _anywhere = True
    _softer = "increase alpha"
    _many_passes = False

    def _weighed(self, rows: Rows, sample_weight: Any, class_weight: Any) -> Rows:
        """The training rows with what they weigh, if not all weigh one."""
        rows = weigh_rows(rows, sample_weight, class_weight)
        if rows.weights is not None:
            learned = isinstance(vars(self).get("alpha"), str)
            if learned or not self._sums_do():
                raise ValueError(
                    "sample_weight and class_weight are for the square loss with a "
                    "given alpha: not for alpha='learn', scatter='within' or "
                    "multiclass_sdp='approximate'"
                )
            self.row_weights_ = rows.weights
        return rows

    def _sums_do(self) -> bool:
        """Whether the parameters ask for the square loss."""
        return True

    def _check_streamed(self) -> None:
        """Refuse kernels and losses that have no sums over chunks."""
        if not self._sums_do():
            raise ValueError(
                "rows that come in chunks are learned from by the square loss: use "
                "scatter='total' and multiclass_sdp='exact'"
            )
        if getattr(self, "class_weight", None) is not None:
            raise ValueError(
                "class_weight is for rows in memory, not for rows that come in chunks: "
                "pass them to fit at once, or give the shares of the classes as priors"
            )
        refuse_without_features(self)

    def _sum_targets(self, sample: RowSample) -> Targets:
        """How y becomes the columns T whose sums are kept."""
        raise NotImplementedError

    def _feature_work(self) -> FeatureWork:
        return FeatureWork(
            self.kernels,
            self.normalize,
            self.center,
            self._origin_free(),
            self._sum_targets,
            labels=bool(self._classes),
        )

    def _fit_chunks(self, chunks: Chunks, names: Any) -> Any:
        model: Any = self
        return model._fit_data(summed(self, chunks, names))
