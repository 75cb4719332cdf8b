"""What a report says about a model, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..estimators import LaplacianMKLSVC
from ..estimators.partial_labels import split_labels
from ..evaluation import Evaluation
from ..inputs.matrices import is_given
from ..problem import Array
from ..solve import Certificate, Status
from ..targets import refuse_missing
from ..views import view_of
from .markup import plural


@dataclass(frozen=True)
class Facts:
    """A fitted estimator, the samples it is shown on, and what follows from both.

    Attributes
    ----------
    core : fitted estimator
        The model, or the last step of it if that is a pipeline.
    X : table (n, d) or Gram matrices (p, n, n)
        As `core` takes them, after the pipeline's first steps.
    y : ndarray or None
    labelled : ndarray of bool (n,)
    names, views : list of str (p,)
        Of the kernels, and the view of each.
    weights : ndarray (p,)
        The mean over the classes where each has its own.
    evaluation : Evaluation or None
    """

    core: Any
    X: Any
    y: Array | None
    labelled: Array
    names: list[str]
    views: list[str]
    weights: Array
    evaluation: Evaluation | None

    @property
    def n(self) -> int:
        return len(self.labelled)

    @property
    def task(self) -> str:
        """classify, regress or novelty."""
        if is_classifier(self.core):
            return "classify"
        return "regress" if is_regressor(self.core) else "novelty"

    @property
    def given(self) -> bool:
        """Whether X holds Gram matrices."""
        return is_given(self.core)

    @property
    def shares(self) -> Array:
        """Of the weights in their sum, (p,)."""
        total = self.weights.sum()
        return self.weights / total if total > 0 else self.weights

    @property
    def view_shares(self) -> dict[str, float]:
        """Of the views, the heaviest first."""
        total: dict[str, float] = {}
        for view, share in zip(self.views, self.shares, strict=True):
            total[view] = total.get(view, 0.0) + float(share)
        return dict(sorted(total.items(), key=lambda item: -item[1]))

    def class_numbers(self) -> Array:
        """The number of every sample's class, (n,), −1 if it has none."""
        known = {c: k for k, c in enumerate(self.core.classes_.tolist())}
        assert self.y is not None
        return np.array([known.get(c, -1) for c in self.y.tolist()])

    @cached_property
    def wrong(self) -> Array:
        """Mask of the samples that are predicted as another class."""
        return (self.core.predict(self.X) != self.y) & self.labelled

    def right_text(self) -> str:
        scored = int(np.sum(self.labelled))
        which = "sample" if scored == self.n else "labelled sample"
        right = scored - int(np.sum(self.wrong))
        return (
            f"{right:,} of {plural(scored, which)} predicted rightly; hollow marks are "
            "predicted as another class."
        )

    @property
    def noun(self) -> str:
        """What a view is called: a kernel, if none names its view."""
        return "view" if self.views != self.names else "kernel"

    @property
    def comparable(self) -> bool:
        """Whether all kernels have the same scale, so that weights compare."""
        return self.core.normalize is not None

    @property
    def solutions(self) -> tuple[Any, ...]:
        solution = self.core.solution_
        return solution if isinstance(solution, tuple) else (solution,)

    @property
    def certificate(self) -> Certificate | None:
        """The one with the largest gap, where there are several."""
        certificates = [solution.certificate for solution in self.solutions]
        if any(certificate is None for certificate in certificates):
            return None
        return max(certificates, key=lambda c: c.relative_gap)

    @property
    def unfinished(self) -> Status | None:
        """Why the loop ended, if not at the optimum."""
        for solution in self.solutions:
            if solution.status is not Status.OPTIMAL:
                return solution.status
        return None


def facts_of(model: Any, X: Any, y: Any, evaluation: Evaluation | None) -> Facts:
    """Check that model, X and y belong together."""
    core = model.steps[-1][1] if isinstance(model, Pipeline) else model
    check_is_fitted(core, "weights_")
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        X = model[:-1].transform(X)
    if is_given(core):
        X = np.asarray(X)
        X = X[None] if X.ndim == 2 else X
        n = X.shape[1]
    else:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
    labelled = np.ones(n, dtype=bool)
    if y is not None:
        if isinstance(core, LaplacianMKLSVC):
            y, unlabelled = split_labels(y)
            labelled = ~unlabelled
        else:
            refuse_missing(y)
        y = np.asarray(y)
        if len(y) != n:
            raise ValueError(f"X has {n} samples and y has {len(y)}")
    elif is_classifier(core) or is_regressor(core):
        raise ValueError("the report needs y, to compare predictions with")
    names = [str(name) for name in core.kernel_names_]
    weights = np.mean(np.atleast_2d(core.weights_), axis=0)
    views = [view_of(name) for name in names]
    return Facts(core, X, y, labelled, names, views, weights, evaluation)
