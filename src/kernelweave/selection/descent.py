"""Weights and λ by descent on the left-out errors, from a start that is good already.

    min_δ  log P(θ⁰∘e^δ, λ) + ‖δ − δ̄‖²/(nτ²),    P = Σ_i‖r_i‖²

P depends on θ/λ alone, so λ stays and the mean δ̄ of δ, which is free, stands for it.
The penalty is a normal prior of log-weights about the start: −(n/2)log P is, up to a
constant, the best log-likelihood of residuals r_i of one variance. With few samples
it keeps the weights near the start. P is not convex: the result is a local optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..grams.base import Array, GramStack
from .left_out_error import LeftOutError, SampleErrors
from .minimise import minimise
from .ridge_path import RidgePath, ridge_path

# τ: by which factor e^τ the learned weights typically differ from the start's.
SPREAD = 1.0

# Standard errors that a gain must exceed to be accepted. The descent looks for gains,
# so that one is often found by chance: on 13 sets with gains of fewer standard errors
# it lost 0.3 points of accuracy on average, on 4 sets with more it won 0.9.
BEYOND_NOISE = 2.5

# The descent ends when an iteration lowers log P, with its penalty, by less than this.
SMALL_GAIN = 1e-5

# A fall of the error by a smaller share than this is no gain, however certain.
LEAST_GAIN = 1e-6

# A start's weight of zero has no logarithm: this share of the largest stands for it.
FLOOR = 1e-3


# Left-out errors below this share of the squared targets are rounding: nothing is left
# to gain.
NOTHING = 1e-20


@dataclass(frozen=True)
class Descent:
    """What was learned by leaving samples out, and what it was before.

    A local optimum of the left-out error, not of the training problem: nothing proves
    it. Where `accepted` is False, theta is the start's.

    Attributes
    ----------
    theta : ndarray (p,)
        Their sum is that of the start's.
    lam : float
    value, start_value : float
        P = Σ_i‖r_i‖² here and at the start.
    gain, noise : float
        The mean of ‖r_i‖² at the start less that at the descent's end, and the
        standard error of this mean of paired differences. Of estimators that learn from
        Gram matrices: the same of samples that had no part in learning, by thirds.
    accepted : bool
        Whether the gain exceeds 2.5 times the noise; judged by thirds, the noise.
    evaluations : int
        Of P and its gradient; 0 where several ways to learn were tried.
    errors : ndarray (n,)
        ‖r_i‖² at theta and lam, times the weights of the samples; or their sums over
        folds.
    widest : bool
        Whether classes chose, of several kernels on the same columns, the widest
        Gaussian alone: the others have no weight, `value` is that of the Gaussians,
        and `gain` and `noise` are of what was learned before.
    """

    theta: Array
    lam: float
    value: float
    start_value: float
    gain: float
    noise: float
    accepted: bool
    evaluations: int
    errors: Array
    widest: bool = False


def descend(
    gram: GramStack,
    H: Array,
    theta: Array,
    lam: float,
    *,
    intercept: bool = True,
    v: Array | None = None,
    spread: float = SPREAD,
    max_evaluations: int = 30,
) -> Descent:
    """Learn weights from a start, by exact leave-one-out.

    Parameters
    ----------
    gram : GramStack
        K_1..K_p on n samples, centred and scaled.
    H : array (n, k)
        Targets.
    theta, lam
        The start.
    intercept, v
        As in `leave_out`.
    spread : float
        τ of the penalty.
    max_evaluations : int

    Examples
    --------
    A kernel of the feature that matters, and one of noise:

    >>> import numpy as np
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.selection import descend
    >>> X = np.random.default_rng(0).standard_normal((80, 32))
    >>> x, noise, h = X[:, :1], X[:, 1:31], X[:, :1] + X[:, 31:]
    >>> gram = DenseStack(np.stack([x @ x.T, noise @ noise.T / 30]))
    >>> found = descend(gram, h, np.array([0.5, 0.5]), 1.0)
    >>> found.accepted, found.value < found.start_value
    (True, True)
    >>> bool(found.theta[0] > 0.6)
    True
    """
    error = SampleErrors(gram, H, intercept, v)
    return descend_on(error, theta, lam, spread=spread, max_evaluations=max_evaluations)


def descend_on(
    error: LeftOutError,
    theta: Array,
    lam: float,
    *,
    spread: float = SPREAD,
    max_evaluations: int = 30,
) -> Descent:
    """The same for any left-out error P with derivatives."""
    theta = np.asarray(theta, dtype=float)
    if not (np.all(theta >= 0) and np.sum(theta) > 0 and spread > 0):
        raise ValueError(
            f"the descent needs weights that are not negative, nor all zero, and a "
            f"positive spread; got {theta} and spread={spread!r}"
        )
    before = error.errors(theta, lam)
    if not np.sum(before) > NOTHING * error.total:
        total = float(np.sum(before))
        return Descent(theta, float(lam), total, total, 0.0, 0.0, False, 0, before)
    base = np.maximum(theta, FLOOR * np.max(theta))
    stiffness = 1 / (error.n * spread**2)

    def penalised(delta: Array) -> tuple[float, Array]:
        value, slopes = error.slopes(base * np.exp(delta), lam)
        off = delta - delta.mean()
        cost = np.log(value) + stiffness * float(off @ off)
        return cost, slopes / value + 2 * stiffness * off

    found = minimise(
        penalised, error.p, small=SMALL_GAIN, max_evaluations=max_evaluations
    )
    learned = base * np.exp(found.x)
    unit = float(np.sum(theta) / np.sum(learned))
    after = error.errors(learned, lam)
    gain, noise, accepted = paired_gain(before, after, BEYOND_NOISE)
    errors = after if accepted else before
    return Descent(
        unit * learned if accepted else theta,
        unit * lam if accepted else float(lam),
        float(np.sum(errors)),
        float(np.sum(before)),
        gain,
        noise,
        accepted,
        found.evaluations,
        errors,
    )


def paired_gain(
    before: Array, after: Array, beyond: float
) -> tuple[float, float, bool]:
    """The mean fall of the errors of the same samples, and its standard error.

    And whether the fall exceeds `beyond` of them, and is more than rounding.
    """
    fall = before - after
    gain, noise = float(fall.mean()), float(fall.std() / np.sqrt(len(fall)))
    real = gain > LEAST_GAIN * float(np.mean(before))
    return gain, noise, real and gain > beyond * noise


@dataclass(frozen=True)
class Learned:
    """Equal weights with the best λ, and what the descent made of them."""

    path: RidgePath
    descent: Descent


def learn(
    gram: GramStack,
    H: Array,
    lams: Sequence[float],
    *,
    theta: Array | None = None,
    intercept: bool = True,
    spread: float = SPREAD,
) -> Learned:
    """The whole choice: λ for the start's weights, then weights and λ together.

    Parameters
    ----------
    gram, H, intercept, spread
        As in `descend`.
    lams : sequence of float
        λ to begin with, for weights that add up to one; see `ridge_path`.
    theta : ndarray (p,), optional
        The start's weights. The default is equal ones, 1/p.
    """
    start = np.full(gram.p, 1 / gram.p) if theta is None else theta
    path = ridge_path(gram.combine(start), H, lams, intercept)
    found = descend(gram, H, start, path.lam, intercept=intercept, spread=spread)
    return Learned(path, found)
