"""Classes as Gaussians of one covariance in the discriminant space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from sklearn.covariance import ledoit_wolf

from ..arrays import like
from ..problem import Array
from ..scale.held_out import Predicted


@dataclass(frozen=True)
class GaussianClasses:
    """log P(class | z) = log π_c − ½‖z − μ_c‖² + const, z = (f − origin)·scalings.

    The coordinates z are canonical: within-class covariance I, the directions sorted
    by how far they separate the class means.
    """

    origin: Array
    scalings: Array
    means: Array
    log_prior: Array

    def transform(self, f: Array) -> Array:
        return (f - like(self.origin, f)) @ like(self.scalings, f)

    def scores(self, f: Array) -> Array:
        """(m, number of classes), up to a constant in each row."""
        z = self.transform(f)
        offset = self.log_prior - 0.5 * np.sum(self.means**2, axis=1)
        return z @ like(self.means.T, z) + like(offset, z)


def fit_gaussians(f: Array, labels: Array, n_classes: int) -> GaussianClasses:
    """Fit to projections f (n, d) that were not made with their own labels.

    The pooled covariance is shrunk (Ledoit and Wolf 2004), so that it exists with
    fewer samples than dimensions.
    """
    d = f.shape[1]
    counts = np.bincount(labels, minlength=n_classes)
    means = np.stack([f[labels == c].mean(axis=0) for c in range(n_classes)])
    # A class of one sample tells nothing about the spread.
    spread = counts[labels] > 1
    within = np.zeros((d, d))
    if spread.any():
        residuals = (f - means[labels])[spread]
        used = np.sum(counts > 1)
        freedom = max(len(residuals) - used, 1)
        within = ledoit_wolf(residuals, assume_centered=True)[0]
        within = within * (len(residuals) / freedom)
    return _canonical(counts, means, within)


def gaussians_of(found: Predicted) -> GaussianClasses:
    """The same from n_c, Σf (of every class) and Σffᵀ of many rows, without shrinkage.

    The targets t of `found` are the indicators of the classes.
    """
    counts = np.asarray(found.counts, dtype=float)
    means = found.sums / np.maximum(counts, 1)[:, None]
    within = found.second - (counts * means.T) @ means
    freedom = max(counts.sum() - np.sum(counts > 1), 1)
    return _canonical(counts, means, within / freedom)


def _canonical(counts: Array, means: Array, within: Array) -> GaussianClasses:
    """Canonical coordinates for classes of these sizes, means and covariance.

    A class of no rows is at the origin, and its prior is zero.
    """
    n, d = counts.sum(), means.shape[1]
    origin = counts @ means / n
    means = np.where(counts[:, None] > 0, means, origin)
    between = (counts / n * (means - origin).T) @ (means - origin)
    floor = 1e-10 * (np.trace(between) / d + np.finfo(float).tiny)
    values, V = eigh(between, within + floor * np.eye(d))
    V = V[:, np.argsort(-values)]
    # Of the two signs, the one that puts the last class on the positive side.
    side = (means[np.flatnonzero(counts)[-1]] - origin) @ V
    V = V * np.where(side < 0, -1.0, 1.0)
    with np.errstate(divide="ignore"):
        log_prior = np.log(counts / n)
    return GaussianClasses(origin, V, (means - origin) @ V, log_prior)
