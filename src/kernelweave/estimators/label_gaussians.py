"""Several labels, each of which a sample has or not, in the discriminant space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import namespace
from ..problem import Array
from .gaussian import GaussianClasses, class_gaussians


@dataclass(frozen=True)
class LabelGaussians:
    """A column of f for every label, and in it two classes: who lacks it, and who has.

    Attributes
    ----------
    labels : tuple of GaussianClasses
        Of one direction and two classes each.
    """

    labels: tuple[GaussianClasses, ...]

    @property
    def priors(self) -> Array:
        """The share of the samples that have a label, (q,)."""
        return np.array([label.priors[1] for label in self.labels])

    def transform(self, f: Array) -> Array:
        return self._columns(f, lambda label, column: label.transform(column))

    def decision(self, f: Array) -> Array:
        """The log-odds of every label, (m, q)."""
        return self._columns(f, lambda label, column: label.decision(column)[:, None])

    def predicted(self, f: Array, classes: Array) -> Array:
        """1 for the labels that are more probable than not, else 0, (m, q)."""
        xp = namespace(f)
        return xp.astype(self.decision(f) > 0, xp.int64)

    def probabilities(self, f: Array) -> Array:
        """The probability of every label, (m, q)."""
        return self._columns(f, lambda label, x: label.probabilities(x)[:, 1:])

    def log_probabilities(self, f: Array) -> Array:
        return self._columns(f, lambda label, x: label.log_probabilities(x)[:, 1:])

    def coded(self, y: Any, classes: Array) -> Array:
        """The targets of labels y (m, q), in the coding of the training samples."""
        pairs = zip(self.labels, np.asarray(y).T, strict=True)
        return np.hstack([label.coded(column, np.arange(2)) for label, column in pairs])

    def _columns(self, f: Array, say: Callable[[GaussianClasses, Array], Array]) -> Any:
        parts = [say(label, f[:, c : c + 1]) for c, label in enumerate(self.labels)]
        return namespace(f).concat(parts, axis=1)


def label_gaussians(
    f: Array, H: Array, labels: Array, v: Array | None = None, fit: Any = None
) -> LabelGaussians:
    """Fit to left-out projections f and targets H, (n, q), of labels 0 and 1 (n, q).

    v (n,) are weights of the rows. `fit` places the two classes of a label, by default
    as those of a discriminant are.
    """

    def alone(c: int) -> GaussianClasses:
        column = f[:, c : c + 1], H[:, c : c + 1]
        if fit is not None:
            return fit(*column, labels[:, c], 2, v)
        return class_gaussians(column, labels[:, c], 2, v)

    return LabelGaussians(tuple(map(alone, range(labels.shape[1]))))
