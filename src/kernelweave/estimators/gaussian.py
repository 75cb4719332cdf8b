"""Classes as Gaussians of one covariance in the discriminant space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from ..arrays import like, namespace
from ..losses.square import code_of_classes
from ..problem import Array
from ..selection.calibration import calibrate
from ..streamed.held_out import Predicted
from .class_scores import class_places, labelled, log_softmax, softmax
from .moderation import RARE, SILENT_ROWS, kept_offsets

# Rows counted for every class beside its own, π_c ∝ n_c + 3. Few rows tell the shares
# of the classes badly. Where they tell the classes apart badly too, shares taken at
# their word give all rows to the largest class, whatever the projection says. Ten make
# a class of 3 % one of 5 %; on 23 sets of unequal classes, five folds each, their
# log-loss is 0.0003 larger, and that of one row 0.0005, with the same accuracy.
PSEUDO_ROWS = 3.0
# Standard errors under which a separation is not set. An estimate of zero does not
# exclude one of 1.5. More would make labels that mean nothing look certain.
LEAST = 1.5


@dataclass(frozen=True)
class GaussianClasses:
    """log P(class | z) = log π_c − ½‖z − μ_c‖² + const, z = (f − origin)·scalings.

    The coordinates z are canonical: within-class covariance I, the directions sorted
    by how far they separate the class means. Scores s become T·s + b, with a
    temperature and offsets that left-out samples choose: see `selection.calibration`
    and `moderation`.
    `shift` brings other priors than those of the training samples: see `with_priors`.
    """

    origin: Array
    scalings: Array
    means: Array
    log_prior: Array
    counts: Array
    temperature: float = 1.0
    offsets: Array | float = 0.0
    shift: Array | float = 0.0

    @property
    def priors(self) -> Array:
        """P(class) before x is seen, (n_classes,)."""
        chances = np.exp(self.log_prior + self.shift)
        return chances / chances.sum()

    @property
    def separations(self) -> Array:
        """Shares of the directions in the variance between the class means, (d,)."""
        between = self.counts @ self.means**2
        return between / (between.sum() or 1.0)

    def with_priors(self, priors: Array) -> GaussianClasses:
        """The same classes in a population where they have other shares π'_c.

        P'(c | x) ∝ P(c | x)π'_c/π_c, also of calibrated probabilities P(c | x).
        """
        seen = np.isfinite(self.log_prior)
        with np.errstate(divide="ignore"):
            shift = np.where(
                seen, np.log(priors) - np.where(seen, self.log_prior, 0), 0
            )
        return replace(self, shift=shift)

    @property
    def at_zero(self) -> Array:
        """log π_c − ½‖μ_c‖², (n_classes,): scores of z = 0 before T and b."""
        return self.log_prior - 0.5 * np.sum(self.means**2, axis=1)

    def transform(self, f: Array) -> Array:
        return (f - like(self.origin, f)) @ like(self.scalings, f)

    def plain_scores(self, f: Array) -> Array:
        """T·s + b, (m, number of classes), up to a constant in each row."""
        z = self.transform(f)
        scores = z @ like(self.means.T, z) + like(self.at_zero, z)
        return self.temperature * scores + like(self.offsets, z)

    def scores(self, f: Array) -> Array:
        """log P(class | z) of probabilities of which none is certain: `moderation`.

        (m, number of classes), up to a constant in each row where `shift` is not zero.
        """
        P = softmax(self.plain_scores(f))
        possible = np.isfinite(self.log_prior)
        e = 1 / (RARE * float(np.sum(self.counts)))
        P = (1 - e) * P + like(e * possible / possible.sum(), P)
        with np.errstate(divide="ignore"):
            return namespace(P).log(P) + like(self.shift + 0 * self.counts, P)

    def decision(self, f: Array) -> Array:
        """Two classes: log-odds of the second, (m,). More: scores (m, k)."""
        scores = self.scores(f)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predicted(self, f: Array, classes: Array) -> Array:
        """The most probable of the classes (k,) in every row."""
        return labelled(classes, self.scores(f))

    def probabilities(self, f: Array) -> Array:
        return softmax(self.scores(f))

    def log_probabilities(self, f: Array) -> Array:
        return log_softmax(self.scores(f))

    def coded(self, y: Any, classes: Array) -> Array:
        """The targets of labels y (m,), in the coding of the training samples."""
        return code_of_classes(self.counts)[class_places(y, classes)]


def class_gaussians(
    left_out: tuple[Array, Array] | Predicted,
    labels: Array | None,
    n_classes: int,
    v: Array | None = None,
) -> GaussianClasses:
    """Fit to left-out projections and their targets, of rows or in sums over them.

    v (n,) are weights of the rows.
    """
    if isinstance(left_out, Predicted):
        return gaussians_of(left_out)
    assert labels is not None
    found = fit_gaussians(*left_out, labels, n_classes, v)
    at_zero, linear = found.at_zero, found.transform(left_out[0]) @ found.means.T
    chosen = calibrate(linear + at_zero, labels, v)
    T = chosen.temperature
    a = T * at_zero + chosen.offsets
    w = len(labels) / (len(labels) + SILENT_ROWS)
    kept = kept_offsets(T * linear, a, labels, v)
    # The scores are w(T(s − s(0)) + κa), s(0) being those of z = 0.
    return replace(found, temperature=w * T, offsets=w * (kept * a - T * at_zero))


def fit_gaussians(
    f: Array, H: Array, labels: Array, n_classes: int, v: Array | None = None
) -> GaussianClasses:
    """Fit to projections f (n, d) that were not made with their own targets H (n, d).

    The pooled covariance is shrunk (Ledoit and Wolf 2004), so that it exists with
    fewer samples than dimensions. Of weights v (n,) only the ratios matter: n_c is the
    number of samples times the share of the class in all weights.
    """
    n, d = f.shape
    share = np.ones(n) if v is None else v * (n / np.sum(v))
    sizes = np.bincount(labels, minlength=n_classes)
    counts = np.bincount(labels, share, minlength=n_classes)
    Y = share[:, None] * (labels[:, None] == np.arange(n_classes))
    means = Y.T @ f / counts[:, None]
    # A class of one sample tells nothing about the spread.
    spread = sizes[labels] > 1
    within = np.zeros((d, d))
    if spread.any():
        residuals = (np.sqrt(share)[:, None] * (f - means[labels]))[spread]
        within = residuals.T @ residuals
        # With C = XᵀX/n the share is b/‖C − (tr C/d)I‖², b = (Σ‖x_i‖⁴/n − ‖C‖²)/n:
        # scikit-learn's function takes longer for its checks than for a hundred rows.
        C = within / len(residuals)
        size = float(np.sum(C * C))
        apart = size - float(np.trace(C)) ** 2 / d
        fourth = float(np.mean(np.sum(residuals**2, axis=1) ** 2))
        error = max(fourth - size, 0.0) / len(residuals)
        shrunk = min(1.0, error / apart) if apart > 0 else 0.0
        even = shrunk * np.trace(within) / d
        within = ((1 - shrunk) * within + even * np.eye(d)) / _freedom(counts)
    codes = H[np.unique(labels, return_index=True)[1]]
    if (sizes <= 1).any():
        means = _with_single(counts, sizes <= 1, means, within, codes)
    return _along_targets(counts, means, within, codes)


def gaussians_of(found: Predicted) -> GaussianClasses:
    """The same from n_c, Σf (of every class) and Σffᵀ of many rows, without shrinkage.

    The targets t of `found` are the indicators of the classes.
    """
    # Sums of whole numbers are rounded; those of weights need not be whole.
    counts = np.round(found.counts, 6)
    means = found.sums / np.where(counts > 0, counts, 1.0)[:, None]
    within = (found.second - (counts * means.T) @ means) / _freedom(counts)
    if (counts <= 1).any():
        means = _with_single(counts, counts <= 1, means, within, found.coding)
    return _along_targets(counts, means, within, found.coding)


def _freedom(counts: Array) -> float:
    """Degrees of freedom of the pooled covariance: Σ(n_c − 1), one at least."""
    return max(np.sum(np.maximum(counts - 1, 0)), 1)


def _along_targets(
    counts: Array, means: Array, within: Array, codes: Array
) -> GaussianClasses:
    """Gaussians whose means μ_c lie on the side of their targets t_c (k, d).

    With Σπ_ct_c = 0 and Σπ_ct_ct_cᵀ = I, as for the class coding, μ_c = μ + St_c for
    one matrix S (d, d). Ridge regression shrinks targets, so for the fitted samples S
    is symmetric and positive semidefinite. Left-out means give S with an error of
    covariance Σ/n in each column, Σ being the covariance within the classes. Where the
    error is larger than S, a class may land opposite to its target, and predictions
    turn round. So

        S → s̄I + (1 − w)(S − s̄I),   s̄ = tr S/d,   w = min(1, (d² − 3)₊s²/‖S − s̄I‖²)

    with s² = tr Σ/(dn) (James and Stein 1961; S − s̄I has d² − 1 dimensions), and an
    eigenvalue l of (S + Sᵀ)/2, its eigenvector q, becomes max(l, 1.5√(qᵀΣq/n)).
    Targets have mean zero, and so have the projections of the fitted samples; μ, whose
    error has the covariance Σ/n too, becomes (1 − ds²/‖μ‖²)₊μ. All this vanishes as n
    grows.
    """
    share = counts / counts.sum()
    error = within / counts.sum()
    mean = share @ means
    T = codes - share @ codes
    T = T / np.sqrt(np.mean(share @ T**2))
    S = (share * (means - mean).T) @ T
    moved = _kept(mean, np.trace(error)) * mean + T @ _positive(S, error).T
    # The samples spread about the means that are used.
    off = means - moved
    return _canonical(counts, moved, within + (share * off.T) @ off)


def _kept(x: Array | float, variance: float) -> float:
    """(1 − variance/‖x‖²)₊"""
    size = float(np.sum(np.square(x)))
    return max(1 - variance / size, 0.0) if size > 0 else 0.0


def _with_single(
    counts: Array, single: Array, means: Array, within: Array, codes: Array
) -> Array:
    """Means (k, d), where a class of one sample has at_c.

    Without its only sample a class has no projection. Its target is taken to shrink as
    those of the other classes do, a = Σn_c⟨μ_c, t_c⟩/Σn_c‖t_c‖², between 0 and 1, less
    what an error of variance tr Σ/(dΣn_c‖t_c‖²) makes of it.
    """
    rest = ~single
    a = 1.0
    if rest.any():
        n, t = counts[rest, None], codes[rest]
        size = np.sum(n * t**2)
        a = np.sum(n * means[rest] * t) / size
        a = np.clip(a * _kept(a, np.trace(within) / len(within) / size), 0, 1)
    return np.where(single[:, None], a * codes, means)


def _positive(S: Array, error: Array) -> Array:
    """S shrunk to a multiple of I, its symmetric part positive; `error` is Σ/n."""
    d = len(S)
    even = np.trace(S) / d * np.eye(d)
    noise = max(d**2 - 3, 0) * np.trace(error) / d
    signal = float(np.sum((S - even) ** 2))
    if signal > 0:
        S = S - min(1.0, noise / signal) * (S - even)
    values, Q = eigh((S + S.T) / 2)
    sigma = np.sqrt(np.einsum("ij,ik,kj->j", Q, error, Q))
    sigma = np.maximum(sigma, 1e-6 * np.max(abs(values)) + np.finfo(float).tiny)
    above = np.maximum(LEAST * sigma - values, 0)
    return S + (Q * above) @ Q.T


def _canonical(counts: Array, means: Array, within: Array) -> GaussianClasses:
    """Canonical coordinates for classes of these sizes, means and covariance.

    The prior is π_c = (n_c + 3)/(n + 3k), k being the number of classes with rows. A
    class of no rows is at the origin, and its prior is zero.
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
    rows = np.where(counts > 0, counts + PSEUDO_ROWS, 0)
    with np.errstate(divide="ignore"):
        log_prior = np.log(rows / rows.sum())
    return GaussianClasses(origin, V, (means - origin) @ V, log_prior, counts)
