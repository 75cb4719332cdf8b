"""Weights and alpha that predict best, by exact leave-one-out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..checks import numbers
from ..fitted.features import FeatureData
from ..fitted.grams import GramData
from ..grams import MappedStack
from ..grams.normalise import is_centred
from ..problem import Array
from ..reporting import reporter
from ..selection.choice import Choice, grid_results
from ..selection.cross_fitting import cross_fitted_errors
from ..selection.descent import NOTHING, Descent, descend_on, paired_gain
from ..selection.left_out_error import FoldErrors, SampleErrors
from ..selection.relevances import Blend, Mixture, learn_relevances
from ..selection.ridge_path import (
    FOR_CLASSES,
    SAME,
    SMALLEST,
    Decomposed,
    RidgePath,
    along_ridge,
    decompose,
    finely,
    ridge_path,
)
from ..selection.widths import LearnedWidths
from ..threads import blas_threads
from .adapted_kernels import (
    laplacian_families,
    with_learned_widths,
    with_lengthscales,
    with_relevances,
)
from .learning import warn_of_constant
from .ridge_for_classes import ClassLosses, ridge_for_classes
from .widest_gaussian import widest_for_classes

# τ_u of the relevances. On 33 sets 1 gained nothing over it, and lost up to 5 points.
COLUMN_SPREAD = 0.5

# A descent ends when an iteration lowers log P by less than this: to be judged, and to
# be used.
COARSE, FINE = 1e-3, 1e-4

# Standard errors that a gain must exceed. The gain is that of samples which had no part
# in learning, so that it does not flatter. An average with equal weights cannot lose
# much: on 33 sets 0, 1 and 2 gave the same mean accuracy within 0.1 points. Relevances
# alone may: there 1 lost 0.1 points to 3.
BEYOND_NOISE = 1.0
BEYOND_DOUBT = 3.0


def learn_to_predict(
    model: Any,
    data: Any,
    H: Array | None,
    *,
    labels: Array | None = None,
    lengthscales: bool = False,
) -> tuple[Any, Choice, Descent | LearnedWidths]:
    """Equal weights with the best λ, then what left-out samples speak for.

    Weights and λ are learned by descent on left-out errors, for automatic kernels also
    relevances of the columns, and widths where kernels ask for them. The data come
    back, with other kernels perhaps; the choice is that of λ at equal weights.

    Parameters
    ----------
    H : ndarray (n, k), optional
        Targets; those of `FeatureData` are in its sums, and its samples are left out by
        folds.
    labels : ndarray of int (n,) or (n, q), optional
        Classes, or several labels, that the targets stand for. They ask for more ridge.
    lengthscales : bool
        Whether a kernel with one lengthscale a column joins the others, if the rows are
        many enough to learn them and left-out samples speak for it.
    """
    began = time.perf_counter()
    keep, alpha = data.alive, None
    if not keep.all():
        warn_of_constant(data)
    start = np.full(int(np.sum(keep)), 1 / np.sum(keep))
    with reporter() as tell, blas_threads(data.n):
        if isinstance(data, FeatureData):
            found: Any
            found, path, total = _from_sums(model, data, keep, start)
        else:
            assert H is not None
            mixture, path, total = _at_equal_weights(model, data, keep, H, start)
            tell(1, 3, "choosing alpha")
            lams = numbers("alphas", model.alphas)
            share = SAME if labels is None else FOR_CLASSES
            settled, u, at = _learned(mixture, start, path.lam, lams, share)
            if u is not None:
                data = with_relevances(data, keep, list(mixture.families), u)
                keep = np.append(keep, np.ones(len(data.names) - len(keep), dtype=bool))
            tell(2, 3, "learning weights by leave-one-out")
            data, found = with_learned_widths(model, data, keep, H, settled)
            if lengthscales:
                data, keep, found = with_lengthscales(model, data, keep, H, found)
            # A single alpha is taken at its word.
            if at and labels is not None and labels.ndim == 1 and len(lams) > 1:
                if found is not settled:
                    K = data.stack.subset(keep).combine(found.theta)
                    at = decompose(K, H, mixture.intercept, data.v)
                losses = ClassLosses(H, labels, len(model.classes_), data.v)
                alpha, now = ridge_for_classes(losses, at, found.lam)
                if isinstance(found, Descent):
                    before = found, alpha, now
                    found, alpha = widest_for_classes(
                        data, keep, losses, mixture.intercept, lams, before
                    )
        tell(3, 3, "learning weights by leave-one-out")
    theta = np.zeros(len(keep))
    theta[keep] = found.theta
    choice = _choice(path, total, found, time.perf_counter() - began)
    if alpha is not None:
        choice = replace(choice, alpha=alpha)
    return data, choice, replace(found, theta=theta)


def _from_sums(
    model: Any, data: FeatureData, keep: Array, start: Array
) -> tuple[Descent, RidgePath, float]:
    """Weights by left-out folds, the path over λ, and the error of the mean alone."""
    total = float(np.sum(data.reduced.H**2))
    error = FoldErrors(data.held_out(), keep, data.n, total)
    traces = data.stack.subset(keep).traces
    least = SMALLEST * float(start @ traces) / data.n
    lams = numbers("alphas", model.alphas)
    path = along_ridge(lambda lam: error.errors(start, lam), lams, least)
    return descend_on(error, start, path.lam), path, total


def _at_equal_weights(
    model: Any, data: GramData, keep: Array, H: Array, start: Array
) -> tuple[Mixture, RidgePath, float]:
    """What can be learned, the path over λ, and the error of the mean alone."""
    stack: Any = data.stack
    gram = stack.subset(keep)
    K = gram.combine(start)
    # Matrices that come centred tell a left-out target by their centring.
    intercept = model.center or bool(is_centred(K.sum(), np.trace(K)))
    path = ridge_path(K, H, numbers("alphas", model.alphas), intercept, data.v)
    families = laplacian_families(model, data, keep)
    mixture = Mixture(gram, H, families, intercept, data.v)
    return mixture, path, squares_about_mean(H, data.v)


def _learned(
    mixture: Mixture, start: Array, lam: float, lams: Sequence[float], share: float
) -> tuple[Descent, Array | None, Decomposed | None]:
    """The best of several ways to learn, judged by samples that had no part in it.

    What none is seen to gain is left at the start. Where relevances u are learned, the
    weights are followed by those of the kernels that have them. K(θ, u) comes with
    them, where it fits into memory and leaves anything to learn.
    """
    before = mixture.errors(start, lam)
    value = float(np.sum(before))
    same = Descent(start, float(lam), value, value, 0.0, 0.0, False, 0, before)
    if not value > NOTHING * np.sum(mixture.H**2):
        return same, None, None
    if isinstance(mixture.gram, MappedStack):
        error = SampleErrors(mixture.gram, mixture.H, mixture.intercept, mixture.v)
        return descend_on(error, start, lam), None, None
    ways = Ways(start, lam, np.asarray(mixture.gram.traces), bool(mixture.families))
    best, gain, noise = 0, 0.0, 0.0
    if len(start) > 1 or mixture.families:
        errors = cross_fitted_errors(mixture, ways.all, lams)
        best = _preferred(errors)
        gain, noise, _ = paired_gain(errors[0], errors[best or 1], BEYOND_NOISE)
    blend = ways.chosen(best, mixture)
    K = mixture.blended(blend)
    at = decompose(K, mixture.H, mixture.intercept, mixture.v)
    path = at.path(finely(lams))
    # What was learned may not lose again to λ what it gained over the start.
    place = path.largest(share, value if best else np.inf)
    theta, u = _separated(mixture, blend)
    settled = float(path.values[place])
    found = replace(
        same,
        theta=theta,
        lam=float(path.lams[place]),
        value=settled,
        start_value=value if best else settled,
        gain=gain,
        noise=noise,
        accepted=best > 0,
        errors=path.errors[place],
    )
    return found, u, at


@dataclass(frozen=True)
class Ways:
    """Ways to learn from samples, from the least daring to the most.

    Equal weights; the average of them, of learned weights and of weights learned with
    relevances, by matrices of the same trace; the last of these three alone. An average
    errs less than its parts, as that of several models does.
    """

    start: Array
    lam: float
    traces: Array
    relevances: bool

    def all(self, some: Mixture) -> list[Blend]:
        """Every way, roughly: to be judged."""
        learned = [self._learn(some, spread, COARSE) for spread in self._spreads]
        alone = [[part] for part in learned[1:]]
        return [[(self.start, None)], self._average(*learned), *alone]

    def chosen(self, best: int, some: Mixture) -> Blend:
        """One way, to be used."""
        if best == 0:
            return [(self.start, None)]
        if best == 2:
            return [self._learn(some, COLUMN_SPREAD, FINE)]
        learned = [self._learn(some, spread, FINE) for spread in self._spreads]
        return self._average(*learned)

    @property
    def _spreads(self) -> tuple[float | None, ...]:
        return (None, COLUMN_SPREAD) if self.relevances else (None,)

    def _average(self, *parts: tuple[Array, Array | None]) -> Blend:
        m = 1 + len(parts)
        return [(theta / m, u) for theta, u in [(self.start, None), *parts]]

    def _learn(
        self, some: Mixture, spread: float | None, small: float
    ) -> tuple[Array, Array | None]:
        """Weights, whose matrix has the trace of the start's, and relevances."""
        theta, u = learn_relevances(some, self.start, self.lam, spread, small=small)
        return float(self.start @ self.traces / (theta @ self.traces)) * theta, u


def _preferred(errors: Array) -> int:
    """Which way is taken: (m, n) errors of samples that had no part in it."""
    best = int(paired_gain(errors[0], errors[1], BEYOND_NOISE)[2])
    if len(errors) > 2 and paired_gain(errors[best], errors[2], BEYOND_DOUBT)[2]:
        return 2
    return best


def _separated(mixture: Mixture, blend: Blend) -> tuple[Array, Array | None]:
    """Weights of the kernels of the stack, then of those with relevances; these."""
    places = [place for family in mixture.families for place in family.places]
    theta, special, relevances = np.zeros(mixture.gram.p), [], None
    for part, u in blend:
        theta += part
        if u is not None:
            special, relevances = part[places], u
            theta[places] -= special
    return np.concatenate([theta, special]), relevances


def squares_about_mean(H: Array, v: Array | None) -> float:
    """Σ_i v_i‖h_i − h̄‖², h̄ the weighted mean; one where that is zero."""
    v = np.ones(len(H)) if v is None else v
    return float(np.sum(v @ (H - v @ H / v.sum()) ** 2)) or 1.0


def _choice(path: RidgePath, total: float, found: Any, seconds: float) -> Choice:
    """λ along the path of equal weights, as `cv_results_` has it."""
    total = total or 1.0
    scores = 1 - path.values / total
    norms = np.full(len(path.lams), np.inf)
    each = np.full(len(path.lams), seconds / len(path.lams))
    grid = {"norm": norms, "alpha": path.lams}
    results = grid_results(grid, scores[None], 0 * each, each, None)
    return Choice(np.inf, found.lam, 1 - found.value / total, path.best, results)


def predicts(model: Any) -> bool:
    """Whether the parameters ask for the best prediction, not for a grid of norms."""
    return model.norms is None and model.cv is None and model.scoring is None
