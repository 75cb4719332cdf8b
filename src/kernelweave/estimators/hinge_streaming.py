"""Support vector classification whose kernels have features: the squared hinge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..fitted.expansion import FeatureExpansion
from ..fitted.features import columns_of, width_of
from ..fitted.hinge_rows import HingeData
from ..fitted.model import Coefficients
from ..inputs.rows import Reader
from ..problem import Array
from ..solution import uninterrupted
from ..streamed.active import Penalty
from ..streamed.chunks import Chunks
from ..streamed.reduced import find_scaling
from ..streamed.squared_hinge import FeatureRows, ProximalNewton, RowHinge
from .keeping import keep_prediction
from .learning import learn
from .streaming import Streaming, feature_work, refuse_without_features

# Bytes of the sums that a pass may leave.
_SUMS = 2**31


class HingePasses(Streaming):
    """Every step of the squared hinge reads all rows once."""

    many_passes = True

    def check(self, model: Any) -> None:
        if hasattr(model, "Cs"):
            raise ValueError(
                f"{type(model).__name__} takes rows in memory only: choose v and C on "
                "some of the rows, and fit MKLSVC(weights=ElasticNet(v), C=C, "
                "loss='squared_hinge') to all"
            )
        if model.loss != "squared_hinge" or model.C in ("learn", np.inf):
            raise ValueError(
                "rows that come in chunks are learned from by the squared hinge with a "
                f"given C: use loss='squared_hinge', C=1.0; got loss={model.loss!r}, "
                f"C={model.C!r}"
            )
        if model.solver is not None:
            raise ValueError(
                "rows that come in chunks have a solver of their own: leave "
                f"solver=None, got {model.solver!r}"
            )
        refuse_without_features(model)

    def fit(self, model: Any, chunks: Chunks, names: Any) -> Any:
        data = hinge_data(model, chunks, names)
        return fit_hinge_rows(model, data, class_weights(model, data), None)


def hinge_sums_fit(model: Any, d: int) -> bool:
    """Whether the sums of a pass are few enough to keep, for d columns."""
    return _size(width_of(model.kernels, d), len(model.classes_)) <= _SUMS


def hinge_data(
    model: Any, chunks: Chunks, names: Any, reader: Reader | None = None
) -> HingeData:
    """Two passes over the rows: the kernels and their scales; C is yet to come."""
    sums = feature_work(model).sums(chunks, names)
    D, k = sums.map.width, len(model.classes_)
    if _size(D, k) > _SUMS:
        raise ValueError(
            f"the squared hinge keeps sums of {D}² numbers for each of {k} "
            f"classes, {_size(D, k) / 1e9:.3g} GB, over {_SUMS / 1e9:.3g} GB: use "
            "fewer components or kernels, or MKLDiscriminantAnalysis, which keeps "
            "such sums for all classes together"
        )
    total = sums.folds.total()
    scaling = find_scaling(total, sums.map, sums.present, model.normalize, model.center)
    rows = FeatureRows(
        chunks,
        sums.map,
        sums.targets,
        sums.targets.coding(total.mean[D:]),
        Penalty(np.ones(k)),
        scaling.scales,
        total,
        scaling.scales > 0,
    )
    return HingeData(rows, columns_of(names) if reader is None else reader)


def class_weights(model: Any, data: HingeData) -> Array:
    """What C is multiplied by, class by class."""
    k = len(model.classes_)
    if model.class_weight is None:
        return np.ones(k)
    if isinstance(model.class_weight, str):
        return 1 / (k * data.stack.total.mean[data.stack.map.width :])
    labels = model.classes_.tolist()
    unknown = set(model.class_weight) - set(labels)
    if unknown:
        raise ValueError(
            f"class_weight has weights for {sorted(map(str, unknown))}, which are "
            f"no classes of y: those are {labels}"
        )
    weights = np.array([model.class_weight.get(c, 1.0) for c in labels], float)
    if np.sum(weights > 0) < 2:
        raise ValueError(
            "class_weight must hold numbers that are more than zero for two classes at "
            f"least, got {model.class_weight}"
        )
    return weights


def fit_hinge_rows(
    model: Any, data: HingeData, by_class: Array, by_row: Array | None
) -> Any:
    """Learn from rows that are read again at every step."""
    C = float(model.C)
    rows = replace(data.stack, penalty=Penalty(C * by_class, by_row))
    k = rows.coding.shape[1]
    if model.multiclass == "shared" or k == 1:
        coef, intercept = _learn(model, replace(data, stack=rows))
        model.C_ = C
    else:
        coef, intercept = _learn_each(model, data, rows)
        model.C_ = np.full(k, C)
    model.coef_, model.intercept_ = coef, intercept
    model.approximation_error_ = rows.map.errors
    expansion = FeatureExpansion(rows.map, coef, intercept)
    keep_prediction(model, data, Coefficients(coef, intercept, expansion))
    return model


def _learn_each(model: Any, data: HingeData, rows: FeatureRows) -> tuple[Array, Array]:
    """Weights for every class alone."""
    coefs, biases, weights, solutions = [], [], [], []
    for c in range(rows.coding.shape[1]):
        one = replace(rows, coding=rows.coding[:, c : c + 1])
        coef, bias = _learn(model, replace(data, stack=one))
        uninterrupted(model.solution_)
        coefs.append(coef)
        biases.append(bias)
        weights.append(model.weights_)
        solutions.append(model.solution_)
    model.weights_, model.solution_ = np.array(weights), tuple(solutions)
    model.n_iter_ = max(solution.n_iter for solution in solutions)
    return np.hstack(coefs), np.concatenate(biases)


def _learn(model: Any, data: HingeData) -> tuple[Array, Array]:
    """Learn the weights; coefficients (D, k) and intercepts (k,)."""
    solver = ProximalNewton()
    learn(model, data, RowHinge(), solver=solver)
    assert solver.place is not None
    return solver.place.coef, solver.place.bias


def _size(D: int, k: int) -> int:
    """Bytes of the sums of k columns, one of two classes."""
    return 8 * (D + 1) ** 2 * (1 if k == 2 else k)
