"""What a report says about a model, as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..estimators import LaplacianMKLSVC
from ..estimators.partial_labels import split_labels
from ..evaluation import Evaluation, LeftOut
from ..evaluation.concordance import is_survival
from ..importance.engines import subject_of
from ..importance.samples import says
from ..importance.square import SquareEngine
from ..importance.views import importance_of
from ..inputs.matrices import is_given
from ..problem import Array
from ..solve import Certificate, Status
from ..survival import survival_array, survival_target
from ..targets import refuse_missing, refuse_several_labels
from ..views import view_of
from ..weights import Fixed


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
        Of events and times a structured array.
    labelled : ndarray of bool (n,)
    names, views : list of str (p,)
        Of the kernels, and the view of each.
    weights : ndarray (p,)
        The mean over the classes where each has its own.
    evaluation : Evaluation or None
    importance : DataFrame or None
        Of `kernelweave.importance.view_importance`.
    says : DataFrame or None
        Of `kernelweave.importance.per_sample`.
    projections : ndarray (n, k − 1) or None
        Left-out projections, or predictions, of estimators with the square loss.
    unmeasured : str
        Why there are no importances.
    """

    core: Any
    X: Any
    y: Array | None
    labelled: Array
    names: list[str]
    views: list[str]
    weights: Array
    evaluation: Evaluation | None
    importance: Any = None
    says: Any = None
    projections: Array | None = None
    unmeasured: str = ""

    @property
    def n(self) -> int:
        return len(self.labelled)

    @property
    def task(self) -> str:
        """classify, regress, survive or novelty."""
        if is_survival(self.core):
            return "survive"
        if is_classifier(self.core):
            return "classify"
        return "regress" if is_regressor(self.core) else "novelty"

    @property
    def given(self) -> bool:
        """Whether X holds Gram matrices."""
        return is_given(self.core)

    @property
    def shares(self) -> Array:
        """Shares of the kernels in the sum of the weights, (p,)."""
        total = self.weights.sum()
        return self.weights / total if total > 0 else self.weights

    @property
    def view_shares(self) -> dict[str, float]:
        """Shares of the views in the sum of the weights, the largest first."""
        total: dict[str, float] = {}
        for view, share in zip(self.views, self.shares, strict=True):
            total[view] = total.get(view, 0.0) + float(share)
        return dict(sorted(total.items(), key=lambda item: -item[1]))

    def class_numbers(self) -> Array:
        """The number of every sample's class, (n,), −1 if it has none."""
        known = {c: k for k, c in enumerate(self.core.classes_.tolist())}
        assert self.y is not None
        return np.array([known.get(c, -1) for c in self.y.tolist()])

    @property
    def left_out(self) -> LeftOut | None:
        """Predictions for left-out samples, if there was a cross-validation."""
        return None if self.evaluation is None else self.evaluation.left_out

    @property
    def names_of_samples(self) -> list[str]:
        """The index of a table that names its rows; else numbers from 1."""
        index: Any = getattr(self.X, "index", None)
        if hasattr(index, "to_list") and index.dtype.kind not in "iu":
            return [str(name) for name in index]
        return [str(i + 1) for i in range(self.n)]

    @property
    def unproved(self) -> bool:
        """Whether weights were given, or learned from left-out samples."""
        given = isinstance(self.core.weights, Fixed)
        return given or getattr(self.core, "descent_", None) is not None

    @property
    def averaged(self) -> bool:
        """Whether equal weights for all kernels were chosen, by left-out samples."""
        descent = getattr(self.core, "descent_", None)
        if descent is not None and descent.accepted:
            return False
        return getattr(self.core, "norm_", None) == np.inf

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


# Importances are computed if all Gram matrices take at most this many bytes.
MOST_BYTES = 2**30


def facts_of(
    model: Any,
    X: Any,
    y: Any,
    evaluation: Evaluation | None,
    importance: Any = None,
    groups: Any = None,
) -> Facts:
    """Check that model, X and y belong together, and measure what views tell."""
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
        elif is_survival(core):
            y = survival_array(*survival_target(y))
        else:
            refuse_missing(y)
            refuse_several_labels(core, y, "the report")
        y = np.asarray(y)
        if len(y) != n:
            raise ValueError(f"X has {n} samples and y has {len(y)}")
    elif is_classifier(core) or is_regressor(core) or is_survival(core):
        raise ValueError("the report needs y, to compare predictions with")
    names = [str(name) for name in core.kernel_names_]
    weights = np.mean(np.atleast_2d(core.weights_), axis=0)
    views = [view_of(name) for name in names]
    facts = Facts(core, X, y, labelled, names, views, weights, evaluation)
    return _measured(facts, importance, groups)


def _measured(facts: Facts, importance: Any, groups: Any) -> Facts:
    """The facts with importances, or with the reason why there are none."""
    core, n = facts.core, facts.n
    why = ""
    if facts.task == "novelty" or isinstance(core, LaplacianMKLSVC):
        why = f"They compare predictions with targets that {type(core).__name__} lacks."
    elif hasattr(core, "vs"):
        why = "They are not measured for an estimator that chooses its v and C."
    elif n != core.n_samples_fit_:
        why = "They need the samples that the model was fitted to."
    elif 8 * len(facts.names) * n**2 > MOST_BYTES:
        why = "There are too many samples for Gram matrices of all pairs of them."
    elif find_spec("pandas") is None:
        why = "They need pandas: pip install 'kernelweave[tables]'."
    if why:
        return replace(facts, importance=importance, unmeasured=why)
    evaluation, cv = facts.evaluation, 5
    if evaluation is not None:
        groups = _groups(evaluation, n) if groups is None else groups
        cv = min(evaluation.cv, cv)
    subject = subject_of(core, facts.X, facts.y, groups, cv)
    if importance is None:
        importance = importance_of(subject)
    projections = None
    if isinstance(subject.engine, SquareEngine):
        found = subject.engine.parts(subject.weights)
        projections = subject.engine.targets(None) - found.residuals
    return replace(
        facts, importance=importance, says=says(subject), projections=projections
    )


def _groups(evaluation: Evaluation, n: int) -> Array | None:
    """The groups that the cross-validation left out, if it tested every sample."""
    left_out = evaluation.left_out
    if evaluation.n_groups is None or left_out is None or len(left_out.rows) != n:
        return None
    groups = np.empty(n, dtype=int)
    groups[left_out.rows] = left_out.units
    return groups
