"""Support vector classification whose kernels have features: the squared hinge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..problem import Array
from ..scale.active import Penalty
from ..scale.chunks import Chunks
from ..scale.sample import RowSample
from ..scale.squared_hinge import FeatureRows, ProximalNewton, RowHinge
from ..scale.targets import Indicators
from ..solution import uninterrupted
from .featured import FeaturedEstimator
from .support import SupportVectorEstimator

# Bytes of the sums that a pass may leave.
_SUMS = 2**31


class FeaturedMachine(SupportVectorEstimator, FeaturedEstimator):
    """K_j = Z_jZ_jᵀ: proximal Newton steps, each a pass over the rows.

    Attributes
    ----------
    coef_ : ndarray (D, 1) for two classes, else (D, n_classes)
        Of the features of all kernels, side by side, in the place of `dual_coef_` and
        of support vectors.
    """

    class_weight: Any
    multiclass: str
    classes_: Array

    _many_passes = True

    def _square(self) -> bool:
        """Whether the parameters ask for the squared hinge, with a given C."""
        return self.loss == "squared_hinge" and not isinstance(self.C, str)

    def _featured(self, n: int, d: int) -> bool:
        # A solver that was asked for is one of Gram matrices.
        if self.solver is not None or not super()._featured(n, d):
            return False
        return _size(self._width(d), len(self.classes_)) <= _SUMS

    def _check_featured(self) -> None:
        if not self._square():
            raise ValueError(
                "rows that come in chunks are learned from by the squared hinge with a "
                f"given C: use loss='squared_hinge', C=1.0; got loss={self.loss!r}, "
                f"C={self.C!r}"
            )
        if self.solver is not None:
            raise ValueError(
                "rows that come in chunks have a solver of their own: leave "
                f"solver=None, got {self.solver!r}"
            )
        super()._check_featured()

    def _set_classes(self, classes: Array) -> None:
        if len(classes) < 2:
            raise ValueError(
                f"y has one class only ({classes.tolist()[0]!r}); a classifier needs "
                "samples of at least two classes"
            )
        self.classes_ = classes

    def _targets(self, sample: RowSample) -> Indicators:
        self._set_classes(sample.classes)
        D, k = self._map.width, len(self.classes_)
        if _size(D, k) > _SUMS:
            raise ValueError(
                f"the squared hinge keeps sums of {D}² numbers for each of {k} "
                f"classes, {_size(D, k) / 1e9:.3g} GB, over {_SUMS / 1e9:.3g} GB: use "
                "fewer components or kernels, or MKLDiscriminantAnalysis, which keeps "
                "such sums for all classes together"
            )
        return Indicators(self.classes_)

    def _coding(self, totals: Array) -> Array:
        Y = 2 * np.eye(len(totals)) - 1
        return Y[:, 1:] if len(totals) == 2 else Y

    def _rows_of(self, chunks: Chunks, names: Any) -> FeatureRows:
        """Two passes over the rows: the kernels and their scales; C is yet to come."""
        sums = self._sums_of(chunks, names)
        total = sums.folds.total()
        scaling = self._scaling(sums, total)
        return FeatureRows(
            chunks,
            self._map,
            sums.targets,
            self._coding(total.mean[self._map.width :]),
            Penalty(np.ones(len(self.classes_))),
            scaling.scales,
            total,
            scaling.scales > 0,
        )

    def _learn_chunks(self, chunks: Chunks, names: Any):
        rows = self._rows_of(chunks, names)
        return self._fit_rows(rows, self._class_weights(rows), None)

    def _class_weights(self, rows: FeatureRows) -> Array:
        """What C is multiplied by, class by class."""
        k = len(self.classes_)
        if self.class_weight is None:
            return np.ones(k)
        if isinstance(self.class_weight, str):
            if self.class_weight != "balanced":
                raise ValueError(
                    "class_weight must be a dict, 'balanced' or None, got "
                    f"{self.class_weight!r}"
                )
            return 1 / (k * rows.total.mean[self._map.width :])
        labels = self.classes_.tolist()
        unknown = set(self.class_weight) - set(labels)
        if unknown:
            raise ValueError(
                f"class_weight has weights for {sorted(map(str, unknown))}, which are "
                f"no classes of y: those are {labels}"
            )
        weights = np.array([self.class_weight.get(c, 1.0) for c in labels], float)
        if np.any(weights < 0) or np.sum(weights > 0) < 2:
            raise ValueError(
                "class_weight must hold numbers that are not negative, and more than "
                f"zero for two classes at least, got {self.class_weight}"
            )
        return weights

    def _fit_rows(self, rows: FeatureRows, by_class: Array, by_row: Array | None):
        """Learn from rows that are read again at every step."""
        C = self._penalty(squared=True)
        assert C is not None
        rows = replace(rows, penalty=Penalty(C * by_class, by_row))
        if self.multiclass == "shared" or rows.coding.shape[1] == 1:
            self.coef_, self.intercept_ = self._place(rows)
            self.C_ = C
            self._expand_features(self.coef_, self.intercept_)
            return self
        k = len(self.classes_)
        coefs, biases, weights, solutions = [], [], [], []
        for c in range(k):
            coef, bias = self._place(replace(rows, coding=rows.coding[:, c : c + 1]))
            uninterrupted(self.solution_)
            coefs.append(coef)
            biases.append(bias)
            weights.append(self.weights_)
            solutions.append(self.solution_)
        self.coef_, self.intercept_ = np.hstack(coefs), np.concatenate(biases)
        self._expand_features(self.coef_, self.intercept_)
        self.weights_, self.solution_ = np.array(weights), tuple(solutions)
        self.C_ = np.full(k, C)
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        return self

    def _place(self, rows: FeatureRows) -> tuple[Array, Array]:
        """Learn the weights; coefficients (D, k) and intercepts (k,)."""
        solver = ProximalNewton(self.solver)
        # Of a stack it has what this solver asks for.
        self._solve(cast(Any, rows), RowHinge(), solver=solver)
        assert solver.place is not None
        return solver.place.coef, solver.place.bias

    def _forget(self) -> None:
        super()._forget()
        for name in ("support_", "support_vectors_", "n_support_"):
            self.__dict__.pop(name, None)


def _size(D: int, k: int) -> int:
    """Bytes of the sums of k columns, one of two classes."""
    return 8 * (D + 1) ** 2 * (1 if k == 2 else k)
