"""What an estimator is compared with: its views alone, and equal weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from ..estimators import MKLSVC, MKLSVR
from ..estimators.access import kernels_of
from ..inputs.matrices import is_given
from ..problem import Named
from ..views import view_of
from ..weights import Fixed, Simplex
from .comparison import Kind


@dataclass(frozen=True)
class Contender:
    """One row of the comparison before it has scores.

    `whole` is the estimator to evaluate, `members` the numbers of the p kernels that
    this contender has, and `kernels` all of them, or None if X holds Gram matrices.
    """

    name: str
    kind: Kind
    members: list[int]
    whole: Any
    p: int
    kernels: list[Any] | None = None

    def estimator(self, learned: Any) -> Any:
        """An unfitted estimator; `learned` is the whole one, fitted to the same rows.

        For the whole one itself it is None.
        """
        core = clone(core_of(self.whole))
        if self.kind == "average":
            core = equal_weights(core, core_of(learned), self.p)
        elif self.kind == "view":
            core = self._alone(core)
        if not isinstance(self.whole, Pipeline):
            return core
        pipeline = clone(self.whole)
        pipeline.steps[-1] = (pipeline.steps[-1][0], core)
        return pipeline

    def _alone(self, core: Any) -> Any:
        """The estimator with the kernels of this view, and their part of the set."""
        if self.kernels is not None:
            core.set_params(kernels=[self.kernels[j] for j in self.members])
        if core.get_params(deep=False).get("weights") is not None:
            mask = np.isin(np.arange(self.p), self.members)
            core.set_params(weights=core.weights.restrict(mask))
        return core


def contenders(estimator: Any, X: Any) -> list[Contender]:
    """The combination, the average if p > 1, and the views if there are several."""
    core = core_of(estimator)
    kernels = None if is_given(core) else kernels_of(core)
    if kernels is not None:
        names = [kernel.label for kernel in kernels]
    else:
        names = [f"kernel {j}" for j in range(len(X))]
    shared = (estimator, len(names), kernels)
    everything = list(range(len(names)))
    field = [Contender("combination", "learned", everything, *shared)]
    if len(names) > 1:
        field.append(Contender("average", "average", everything, *shared))
    views: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        views.setdefault(view_of(name), []).append(j)
    if len(views) > 1:
        field += [
            Contender(view, "view", members, *shared) for view, members in views.items()
        ]
    return field


def equal_weights(core: Any, learned: Any, p: int) -> Any:
    """The estimator with θ_1 = ... = θ_p.

    Their size is that of the set's own starting point, which is the largest that it
    allows, so that alpha and C mean the same as for the learned weights. An estimator
    that chooses a norm gets the norm ∞, and chooses its alpha anew.

    What is learned or chosen together with the weights, and not without, is taken from
    the fitted estimator, and the sum of the weights with it.
    """
    parameters = core.get_params(deep=False)
    if "norms" in parameters:
        return core.set_params(norms=[np.inf])
    even = Fixed(np.full(p, np.sum(np.mean(np.atleast_2d(learned.weights_), 0)) / p))
    if "vs" in parameters:
        plain = MKLSVC() if is_classifier(core) else MKLSVR()
        shared = {k: parameters[k] for k in plain.get_params(False) if k in parameters}
        return plain.set_params(**shared, weights=even, C=learned.C_)
    for name in ("alpha", "C"):
        if isinstance(parameters.get(name), str):
            value = float(np.mean(getattr(learned, f"{name}_")))
            # Learned to be 0 or ∞: nearly so will do.
            core.set_params(**{name: float(np.clip(value, 1e-9, 1e9))})
            return core.set_params(weights=even)
    weights = Simplex() if core.weights is None else core.weights
    if isinstance(weights, Named):
        weights = weights.named(learned.kernel_names_.tolist())
    if isinstance(weights, Fixed):
        return core.set_params(weights=Fixed())
    return core.set_params(weights=Fixed(weights.start(p)))


def core_of(estimator: Any) -> Any:
    """The estimator itself, or the last step of a pipeline."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
