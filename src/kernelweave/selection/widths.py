"""Widths of kernels by descent on the left-out errors, with the weights and λ.

Kernels of adjustable widths join those that are there, with half of the weight, or are
among them already, and

    min  log P + ‖δ − δ̄‖²/(nτ²) + ‖log(w/w⁰)‖²/(nτ_w²)

over the changes δ of all log-weights and over all widths w, P = Σ_i‖r_i‖². One
sensitivity matrix Q gives every derivative: of a kernel K̃ = (n/t)PKP, t = tr PKP,

    ∂P/∂log w = θ⟨Q, ∂K̃⟩ = θ(n/t)⟨Q, ∂K⟩ − θ⟨Q, K̃⟩·tr(P∂KP)/t,    Q1 = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..grams.base import Array, GramStack
from .centred_matrices import centred
from .descent import FLOOR, NOTHING, SMALL_GAIN, SPREAD, paired_gain
from .left_out import inner_products, leave_out
from .minimise import minimise

# τ_w: a factor e³ between a width and its start is nothing unusual.
WIDTH_SPREAD = 3.0

# A width is learned from at least this many rows: fewer teach their noise instead.
ROWS_A_WIDTH = 20


# Standard errors that a gain must exceed. Of widths less is asked than of weights: on
# tables of numbers with few columns, where they are learned, they seldom mislead.
BEYOND_NOISE = 1.5


class Adjustable(Protocol):
    """A fitted kernel with k(x, x) = 1 whose widths w have derivatives."""

    @property
    def widths(self) -> Array:
        """w, (q,)."""
        ...

    def at_widths(self, Z: Any, widths: Array) -> Array:
        """K for rows Z that `select` returned."""
        ...

    def width_slopes(self, Z: Any, widths: Array, W: Array) -> Array:
        """∂⟨Q, K⟩/∂log w, (q,), for W = Q∘K."""
        ...


@dataclass(frozen=True)
class LearnedWidths:
    """What `learn_widths` found; attributes that `Descent` has are the same.

    `accepted`: whether the gain exceeds 1.5 times the noise.

    Attributes
    ----------
    theta : ndarray
        Their sum is the start's. Where m adjustable kernels joined, (p + m,): of the
        kernels that were there, then of those; where `accepted` is False, the start's
        and zeros. Else (p,), in the order of the stack.
    widths : list of ndarrays
        Of every adjustable kernel.
    """

    theta: Array
    lam: float
    widths: list[Array]
    value: float
    start_value: float
    gain: float
    noise: float
    accepted: bool
    evaluations: int
    errors: Array


def learn_widths(
    gram: GramStack,
    H: Array,
    theta: Array,
    lam: float,
    kernels: Sequence[Adjustable],
    rows: Sequence[Any],
    *,
    v: Array | None = None,
    places: Sequence[int] | None = None,
    spread: float = SPREAD,
    width_spread: float = WIDTH_SPREAD,
    max_evaluations: int = 50,
) -> LearnedWidths:
    """Learn the widths of kernels that join a stack, by exact leave-one-out.

    All matrices are centred, with an intercept, and have the trace n.

    Parameters
    ----------
    gram : GramStack
        K_1..K_p on n samples.
    H : ndarray (n, k)
        Targets.
    theta, lam
        The start: weights of K_1..K_p, and λ.
    kernels : sequence of m fitted kernels
        `RBF`, `Laplacian` or `AnisotropicRBF`; their widths are where it starts.
    rows : sequence of m ndarrays (n, d)
        What each kernel's `select` returned.
    v : ndarray (n,), optional
        Weights of the samples.
    places : sequence of m int, optional
        Where in the stack the adjustable kernels are. None: they are not there, and
        join it.
    spread, width_spread : float
        τ and τ_w.
    max_evaluations : int

    Examples
    --------
    Two columns, of which one matters:

    >>> import numpy as np
    >>> from kernelweave.grams import LazyStack
    >>> from kernelweave.kernels import AnisotropicRBF, Linear
    >>> from kernelweave.selection import learn_widths
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> gram = LazyStack([Linear().fit(X)], X)
    >>> kernel = AnisotropicRBF().fit(X)
    >>> found = learn_widths(gram, np.sin(2 * X[:, :1]), [1.0], 0.1, [kernel], [X])
    >>> found.accepted
    True
    >>> bool(found.widths[0][1] > 3 * found.widths[0][0])
    True
    """
    theta, n, m = np.asarray(theta, dtype=float), gram.n, len(kernels)
    before = leave_out(gram.combine(theta), lam, H, v=v).errors
    total = float(np.sum(theta))
    starts = [kernel.widths for kernel in kernels]
    joining = places is None
    # The kernels that stay come first, then the adjustable ones.
    stay = np.setdiff1d(np.arange(gram.p), [] if places is None else places)
    order = np.append(stay, np.arange(gram.p, gram.p + m) if joining else places)
    order = order.astype(int)
    same = np.append(theta, np.zeros(m)) if joining else theta
    if not np.sum(before) > NOTHING * np.sum(np.square(H)):
        value = float(np.sum(before))
        rest = value, value, 0.0, 0.0, False, 0, before
        return LearnedWidths(same, float(lam), starts, *rest)
    base = np.maximum(theta, FLOOR * np.max(theta))
    base *= total / np.sum(base)
    if joining:
        base = np.append(base / 2, np.full(m, total / (2 * m)))
    # Widths at which nothing is predicted make λ so large that P has no slopes there:
    # the search begins where λ is the variance that K(θ) implies, tr K(θ)/n.
    base *= max(1.0, lam * n / float(theta @ gram.traces))
    base, p = base[order], len(stay)
    whole: Any = gram
    fixed = whole.subset(np.isin(np.arange(gram.p), stay)) if p else None
    cuts = np.cumsum([p + m, *map(len, starts)])[:-1]
    soft, stiff = 1 / (n * width_spread**2), 1 / (n * spread**2)

    def unpack(x: Array) -> tuple[Array, list[Array]]:
        delta, *changes = np.split(x, cuts)
        pairs = zip(starts, changes, strict=True)
        return base * np.exp(delta), [w * np.exp(change) for w, change in pairs]

    def combined(weights: Array, widths: list[Array]) -> tuple[Array, list[Any]]:
        """K(θ), and K, (n/t)PKP and t of every adjustable kernel."""
        K = np.zeros((n, n)) if fixed is None else fixed.combine(weights[:p])
        made = []
        for kernel, Z, w, weight in zip(
            kernels, rows, widths, weights[p:], strict=True
        ):
            raw = kernel.at_widths(Z, w)
            inside, trace = centred(raw)
            K += weight * inside
            made.append((raw, inside, trace))
        return K, made

    def penalised(x: Array) -> tuple[float, Array]:
        weights, widths = unpack(x)
        K, made = combined(weights, widths)
        at = leave_out(K, lam, H, v=v)
        Q = at.sensitivity()
        others = [] if fixed is None else inner_products(fixed, Q)
        own = [np.vdot(Q, inside) for _, inside, _ in made]
        slopes = [np.append(others, own) * weights]
        for a, (raw, _, trace) in enumerate(made):
            here = kernels[a], rows[a], widths[a]
            change = _slopes(*here, Q * raw)
            # The diagonal of ∂K is zero, so tr P∂KP = −1ᵀ∂K1/n.
            falls = -_slopes(*here, raw) / n
            slopes.append(weights[p + a] * (n * change - own[a] * falls) / trace)
        off = x[: cuts[0]] - np.mean(x[: cuts[0]])
        pull = np.concatenate([2 * stiff * off, 2 * soft * x[cuts[0] :]])
        cost = stiff * off @ off + soft * x[cuts[0] :] @ x[cuts[0] :]
        return np.log(at.value) + cost, np.concatenate(slopes) / at.value + pull

    found = minimise(
        penalised,
        p + m + sum(map(len, starts)),
        small=SMALL_GAIN,
        max_evaluations=max_evaluations,
    )
    weights, widths = unpack(found.x)
    after = leave_out(combined(weights, widths)[0], lam, H, v=v).errors
    gain, noise, accepted = paired_gain(before, after, BEYOND_NOISE)
    unit = total / float(np.sum(weights)) if accepted else 1.0
    errors = after if accepted else before
    learned = np.empty(len(order))
    learned[order] = unit * weights
    return LearnedWidths(
        learned if accepted else same,
        unit * float(lam),
        widths if accepted else starts,
        float(np.sum(errors)),
        float(np.sum(before)),
        gain,
        noise,
        accepted,
        found.evaluations,
        errors,
    )


def worth_learning(n: int, widths: int) -> bool:
    """Whether n rows are enough for so many widths."""
    return n >= ROWS_A_WIDTH * widths


def _slopes(kernel: Adjustable, Z: Any, widths: Array, W: Array) -> Array:
    return kernel.width_slopes(Z, widths, W)
