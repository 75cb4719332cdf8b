"""What the estimators with the square loss share: alpha, and sums over rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..arrays import host
from ..fitted.features import FeatureWork
from ..inputs.rows import Rows
from ..kernels.learned_widths import refuse_widths
from ..losses import WeightedSquare
from ..problem import Array, Loss
from ..solve import Solution
from ..stacklevel import outside
from ..streamed.chunks import Chunks
from ..streamed.sample import RowSample
from ..streamed.targets import Targets
from .base import KernelEstimator, require_simplex
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

    def _learn_ridge(
        self, data: Any, loss: Loss, lam: float | Array, chosen: Any = None
    ) -> tuple[Solution, Any]:
        """Learn the weights with the λ of the loss, or, if it is 0, with λ too.

        λ, or that of each target, comes back with the solution. `chosen` is the set of
        weights that goes with a λ that was chosen: such a λ is no mistake, however
        large it is.
        """
        if np.ndim(lam) == 0 and lam == 0:
            require_simplex("alpha", self.weights)
            return self._learn(data, loss, identity=True)
        solution, _ = self._learn(data, loss, weights=chosen)
        if chosen is None:
            trace = float(self.weights_ @ data.stack.traces)
            if isinstance(loss, WeightedSquare):
                # Σ_i v_iK_ii/λ bounds the degrees of freedom.
                ridge = lam / float(np.mean(host(loss.v)))
            else:
                ridge = float(np.mean(getattr(loss, "ridge", lam)))
            # tr K(λI + K)⁻¹ ≤ tr K/λ
            if trace < ridge:
                warnings.warn(
                    f"alpha={np.mean(lam):g} is too large for these kernels: their "
                    f"combined trace is {trace:.3g}, so the model has less than one "
                    "effective degree of freedom and predicts hardly more than the "
                    "mean. Use "
                    "normalize='variance', or a smaller alpha",
                    UserWarning,
                    stacklevel=outside(),
                )
        return solution, lam

    def _sums_do(self) -> bool:
        """Whether the parameters ask for the square loss."""
        return True

    def _check_streamed(self) -> None:
        """Refuse kernels and losses that have no sums over chunks."""
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
        kernels = self._kernel_list()
        refuse_widths(kernels, learner=False)
        return FeatureWork(
            kernels,
            self.normalize,
            self.center,
            self._origin_free(),
            self._sum_targets,
            labels=bool(self._classes),
        )

    def _fit_chunks(self, chunks: Chunks, names: Any) -> Any:
        model: Any = self
        return model._fit_data(summed(self, chunks, names))
