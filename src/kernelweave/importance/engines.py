"""Which engine fits a model again, and the model's own samples for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..estimators import LaplacianMKLSVC, MKLDiscriminantAnalysis, MKLRidge
from ..estimators.access import check_new, chosen_point
from ..evaluation.concordance import is_survival
from ..fitted.grams import GramData
from ..fitted.weighing import weigh
from ..grams.stored import given_stack, stored_stack
from ..inputs.matrices import is_given, square_stack
from ..losses import discriminant_targets
from ..problem import Array, Named
from ..selection.groups import check_groups
from ..selection.ridge_path import FOR_CLASSES, SAME
from ..survival import survival_array, survival_target
from ..targets import refuse_missing, refuse_several_labels
from ..views import view_of
from ..weights import Simplex
from .folds import FoldEngine
from .square import SquareEngine

# A way to fit candidates, and to leave samples out of each fit.
Engine = SquareEngine | FoldEngine


@dataclass(frozen=True)
class Subject:
    """A fitted model and the samples it was fitted to.

    Attributes
    ----------
    core : fitted estimator
    views : dict
        From the name of a view to the numbers of its kernels.
    alive : ndarray of int
        The kernels that are not constant on the samples; of a model that chose
        kernels, those that it chose.
    y : ndarray (n,) or (n, outputs)
    engine : Engine
    """

    core: Any
    views: dict[str, Array]
    alive: Array
    y: Array
    engine: Engine

    @property
    def weights(self) -> Array:
        """The mean over the classes where each has its own, (p,)."""
        return np.mean(np.atleast_2d(self.core.weights_), axis=0)

    def members(self, without: str | None = None, only: str | None = None) -> Array:
        """The living kernels of all views, of all but one, or of one."""
        chosen = self.alive
        if without is not None:
            chosen = np.setdiff1d(chosen, self.views[without])
        if only is not None:
            chosen = np.intersect1d(chosen, self.views[only])
        return chosen

    def by_view(self, values: Array) -> Array:
        """Sums over the kernels of every view, (v,)."""
        return np.array([np.sum(values[members]) for members in self.views.values()])


def subject_of(model: Any, X: Any, y: Any, groups: Any = None, cv: int = 5) -> Subject:
    """A model with its samples, checked."""
    core = model.steps[-1][1] if isinstance(model, Pipeline) else model
    check_predicts(core)
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        X = model[:-1].transform(X)
    if is_survival(core):
        y = survival_array(*survival_target(y))
    refuse_missing(y)
    refuse_several_labels(core, y, "an importance")
    y = np.asarray(y)
    X = square_stack(X) if is_given(core) else X
    shape = np.shape(X) if not hasattr(X, "shape") else X.shape
    n = shape[1] if is_given(core) else shape[0]
    if not len(y) == n == core.n_samples_fit_:
        raise ValueError(
            f"X has {n} samples, y has {len(y)}, and the model was fitted to "
            f"{core.n_samples_fit_}: pass what was passed to fit"
        )
    v = getattr(core, "row_weights_", None)
    if v is not None and not v.all():
        raise ValueError(
            f"{np.sum(v == 0)} samples of the model have the weight zero: fit it "
            "without them, and pass the others here"
        )
    matrices, alive = _matrices(core, X, v)
    if groups is not None:
        groups = np.unique(check_groups(groups, len(y)), return_inverse=True)[1]
        if groups.max() == 0:
            raise ValueError("groups has one group only, which cannot be left out")
    views: dict[str, list[int]] = {}
    for j, name in enumerate(core.kernel_names_):
        views.setdefault(view_of(str(name)), []).append(j)
    return Subject(
        core,
        {view: np.array(members) for view, members in views.items()},
        alive,
        y,
        _engine(core, matrices, y, groups, cv, v),
    )


def check_predicts(core: Any) -> None:
    """Refuse what is not fitted, and what has no target to be compared with."""
    check_is_fitted(core, "weights_")
    if isinstance(core, LaplacianMKLSVC) or not (
        is_classifier(core) or is_regressor(core) or is_survival(core)
    ):
        raise ValueError(
            "importances compare predictions with targets, which needs a classifier or "
            f"a regressor of samples that all have one; got {type(core).__name__}"
        )


def _matrices(core: Any, X: Any, v: Array | None) -> tuple[Array, Array]:
    """Gram matrices as the model has them, and which kernels are alive: `Subject`."""
    how = core.normalize, core.center
    kernels = None if is_given(core) else core.kernels_
    if kernels is None:
        stack, statistics = given_stack(X, *how)
    else:
        X = check_new(core, X)
        stack, statistics = stored_stack(kernels, X, *how)
    if v is not None:
        reader: Any = None
        present = np.array([one.scale > 0 for one in statistics])
        rest = stack, statistics, present, core.center, reader, True
        data = GramData(stack.n, list(core.kernel_names_), kernels, X, *rest)
        stack = weigh(data, v, core.normalize).stack
    alive = np.flatnonzero([one.scale > 0 for one in statistics])
    if _chose(core):
        alive = np.flatnonzero(core.weights_)
    found: Any = stack
    matrices = np.asarray(found.matrices)
    if v is not None and core.center:
        # About the weighted mean, as copies of the samples would be.
        means = matrices @ (v / v.sum())
        mean = means @ (v / v.sum())
        matrices = matrices - means[:, :, None] - means[:, None] + mean[:, None, None]
    return matrices, alive


def _engine(
    core: Any,
    matrices: Array,
    y: Array,
    groups: Array | None,
    cv: int,
    v: Array | None = None,
) -> Engine:
    square = isinstance(core, MKLDiscriminantAnalysis | MKLRidge)
    if isinstance(core, MKLDiscriminantAnalysis):
        exact = getattr(core, "multiclass_sdp", "exact") == "exact"
        square = exact and getattr(core, "scatter", "total") == "total"
    # Weights, or an alpha, of every target alone have no left-out formula here.
    if square and np.ndim(core.weights_) == 1 and np.ndim(core.alpha_) == 0:
        if is_classifier(core):
            labels = np.searchsorted(core.classes_, y)
            targets = partial(_class_targets, labels, len(core.classes_), v)
        else:
            targets = partial(_numbers, y)
        learned = float(np.sum(core.weights_))
        return SquareEngine(
            matrices,
            targets,
            float(core.alpha_),
            float(core.descent_.lam if _learned(core) else core.alpha_),
            _weight_set(core, learned),
            core.center,
            groups,
            v,
            core.alphas if v is None and _learned(core) else None,
            FOR_CLASSES if is_classifier(core) else SAME,
            _chose(core),
        )
    if v is not None:
        raise ValueError(
            f"{type(core).__name__} was fitted with sample_weight, which fits by folds "
            "do not have: importances of weighted samples are for "
            "MKLDiscriminantAnalysis, MKLRidge and their CV versions"
        )
    plain = chosen_point(core)
    parameters = plain.get_params(deep=False)
    if "vs" in parameters or "norms" in parameters:
        raise ValueError(
            f"{type(core).__name__} chooses its set of weights anew in every fit, "
            "which is not done here: fit MKLSVC or MKLSVR with what it chose"
        )
    return FoldEngine(plain.set_params(kernels="precomputed"), matrices, y, cv, groups)


def _learned(core: Any) -> bool:
    """Whether weights and λ were learned from left-out samples."""
    return getattr(core, "descent_", None) is not None


def _chose(core: Any) -> bool:
    """Whether it gave up kernels for the widest Gaussians on their columns."""
    return getattr(getattr(core, "descent_", None), "widest", False)


def _weight_set(core: Any, total: float) -> Any:
    """The set that the weights were learned in."""
    if isinstance(getattr(core, "alpha", None), str):
        # λ was learned in one simplex with the weights: both keep their shares.
        return Simplex(r=np.full(len(core.weights_), 1 / total))
    weights = Simplex() if core.weights is None else core.weights
    if isinstance(weights, Named):
        weights = weights.named(core.kernel_names_.tolist())
    return weights


def _class_targets(labels: Array, k: int, v: Array | None, rows: Array | None) -> Array:
    labels = labels if rows is None else labels[rows]
    v = v if rows is None or v is None else v[rows]
    return discriminant_targets(labels, k, v)


def _numbers(y: Array, rows: Array | None) -> Array:
    numbers = np.asarray(y, dtype=float).reshape(len(y), -1)
    return numbers if rows is None else numbers[rows]
