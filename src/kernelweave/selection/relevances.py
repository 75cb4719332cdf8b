"""How much each column matters, learned with the weights by left-out samples.

Laplacian kernels of several widths on the same columns share one relevance a column,

    K_m(u) = exp(−γ_mΣ_c e^{u_c}|x_c − x'_c|),

and with changes δ of all log-weights

    min_{δ,u}  log P + ‖δ − δ̄‖²/(nτ²) + ‖u‖²/(nτ_u²),    P = Σ_i‖r_i‖².

Relevances are many: the error that they were learned from flatters them, so that a
judgement needs samples that had no part in it (`cross_fitting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..grams.base import Array
from .centred_matrices import centred
from .descent import FLOOR, SMALL_GAIN, SPREAD
from .left_out import inner_products, leave_out
from .minimise import minimise

# |x_c − x'_c| is read in blocks of this many rows, which stay in the cache.
BLOCK = 64

# Several (θ, u), whose matrices K(θ, u) are added up; without u, those of the stack.
Blend = Sequence[tuple[Array, Array | None]]


@dataclass(frozen=True)
class Laplacians:
    """Laplacian kernels of several widths on the same columns.

    Attributes
    ----------
    rows : ndarray (n, d)
        What the kernels' `select` returned.
    gammas : ndarray (m,)
        γ of each kernel.
    places : ndarray of int (m,)
        Where the kernels are in the stack.
    """

    rows: Array
    gammas: Array
    places: Array

    def at(self, u: Array) -> list[Array]:
        """K_m(u), m matrices (n, n)."""
        Z = self.rows * np.exp(u)
        distances = cdist(Z, Z, "cityblock")
        made = [-gamma * distances for gamma in self.gammas]
        return [np.exp(K, out=K) for K in made]

    def slopes(self, u: Array, S: Array) -> Array:
        """Σ_il S_il e^{u_c}|x_ic − x_lc| for every column c, (d,); S is symmetric."""
        Z, out = self.rows * np.exp(u), np.zeros(len(u))
        room = np.empty((BLOCK, len(Z)))
        for first in range(0, len(Z), BLOCK):
            last = min(first + BLOCK, len(Z))
            # What lies left of the block on the diagonal lies above it, too.
            part = 2 * S[first:last, :last]
            part[:, first:] *= 0.5
            apart = room.ravel()[: part.size].reshape(part.shape)
            for c, z in enumerate(Z.T):
                np.subtract(z[first:last, None], z[:last], out=apart)
                np.abs(apart, out=apart)
                out[c] += np.vdot(part, apart)
        return out

    def sample(self, rows: Array) -> Laplacians:
        return replace(self, rows=self.rows[rows])


@dataclass(frozen=True)
class Mixture:
    """P as a function of the weights of all kernels and of the relevances of columns.

    All matrices are centred, with an intercept. Those of the families have trace n.

    Attributes
    ----------
    gram : GramStack
        K_1..K_p on n samples, those of the families at u = 0 among them.
    H : ndarray (n, k)
    families : sequence of Laplacians
    intercept : bool
        It may be False where there are no families.
    v : ndarray (n,), optional
        Weights of the samples.
    """

    gram: Any
    H: Array
    families: Sequence[Laplacians] = ()
    intercept: bool = True
    v: Array | None = None

    @property
    def columns(self) -> int:
        """Number of relevances."""
        return sum(family.rows.shape[1] for family in self.families)

    def sample(self, rows: Array) -> Mixture:
        """The same of some samples."""
        return replace(
            self,
            gram=self.gram.sample(rows),
            H=self.H[rows],
            families=[family.sample(rows) for family in self.families],
            v=None if self.v is None else self.v[rows],
        )

    def combine(self, theta: Array, u: Array | None = None) -> Array:
        """K(θ, u), (n, n); without u the matrices of the stack."""
        return self.gram.combine(theta) if u is None else self._made(theta, u)[0]

    def blended(self, blend: Blend) -> Array:
        """ΣK(θ, u), (n, n)."""
        K, *others = (self.combine(theta, u) for theta, u in blend)
        for other in others:
            K += other
        return K

    def errors(self, theta: Array, lam: float, u: Array | None = None) -> Array:
        """v_i‖r_i‖², (n,)."""
        K = self.combine(theta, u)
        return leave_out(K, lam, self.H, self.intercept, self.v).errors

    def slopes(
        self, theta: Array, lam: float, u: Array | None = None
    ) -> tuple[float, Array]:
        """P, and its derivatives in log θ (p,) and, if u is given, in u.

        Of K̃ = (n/t)PKP, t = tr PKP, with q = ⟨Q, K̃⟩, Q1 = 0 and no change on the
        diagonal of K: ⟨Q, ∂K̃⟩ = ⟨W, ∂K⟩, W = (n/t)Q + q11ᵀ/(nt).
        """
        if u is None:
            at = leave_out(self.combine(theta), lam, self.H, self.intercept, self.v)
            return at.value, inner_products(self.gram, at.sensitivity()) * theta
        K, made = self._made(theta, u)
        at = leave_out(K, lam, self.H, self.intercept, self.v)
        Q, n = at.sensitivity(), len(self.H)
        changes, slopes = [], np.zeros(self.gram.p)
        stay, fixed = self._fixed
        if fixed is not None:
            slopes[stay] = inner_products(fixed, Q)
        for family, part, matrices in zip(
            self.families, self._split(u), made, strict=True
        ):
            S = np.zeros_like(Q)
            pairs = zip(family.places, family.gammas, matrices, strict=True)
            for place, gamma, (raw, inside, trace) in pairs:
                q = np.vdot(Q, inside)
                slopes[place] = q
                S -= gamma * theta[place] / trace * (n * Q + q / n) * raw
            changes.append(family.slopes(part, S))
        return at.value, np.concatenate([slopes * theta, *changes])

    @cached_property
    def _fixed(self) -> tuple[Array, Any]:
        """The kernels that have no relevances: their mask (p,), and their stack."""
        stay = np.ones(self.gram.p, dtype=bool)
        for family in self.families:
            stay[family.places] = False
        return stay, self.gram.subset(stay) if stay.any() else None

    def _split(self, u: Array) -> list[Array]:
        """The relevances of every family."""
        cuts = np.cumsum([family.rows.shape[1] for family in self.families])
        return np.split(u, cuts[:-1])

    def _made(self, theta: Array, u: Array) -> tuple[Array, list[list[Any]]]:
        """K(θ, u), and K, (n/t)PKP and t of every kernel of every family."""
        stay, fixed = self._fixed
        n, made = len(self.H), []
        K = np.zeros((n, n)) if fixed is None else fixed.combine(theta[stay])
        for family, part in zip(self.families, self._split(u), strict=True):
            matrices = [(raw, *centred(raw)) for raw in family.at(part)]
            for place, (_, inside, _) in zip(family.places, matrices, strict=True):
                K += theta[place] * inside
            made.append(matrices)
        return K, made


def learn_relevances(
    mixture: Mixture,
    theta: Array,
    lam: float,
    column_spread: float | None,
    *,
    spread: float = SPREAD,
    small: float = SMALL_GAIN,
    max_evaluations: int = 30,
) -> tuple[Array, Array | None]:
    """Weights, and relevances u of the columns; λ stays.

    Parameters
    ----------
    mixture : Mixture
    theta, lam
        The start, at which u = 0.
    column_spread : float, optional
        τ_u: by which factor e^{τ_u} relevances typically differ. None learns weights
        alone, and u is None.
    spread : float
        τ.
    small : float
        The descent ends when an iteration lowers the function by less than this.
    max_evaluations : int

    Examples
    --------
    Three columns, of which one matters:

    >>> import numpy as np
    >>> from kernelweave.grams import LazyStack
    >>> from kernelweave.kernels import Laplacian
    >>> from kernelweave.selection.relevances import *
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> kernel = Laplacian().fit(X)
    >>> family = Laplacians(X, np.array([kernel.gamma_]), np.array([0]))
    >>> mixture = Mixture(LazyStack([kernel], X), np.sin(2 * X[:, :1]), [family])
    >>> theta, u = learn_relevances(mixture, np.ones(1), 0.1, 1.0)
    >>> bool(u[0] > max(u[1:]) + 1)
    True
    """
    base = np.maximum(theta, FLOOR * np.max(theta))
    p, n = len(base), len(mixture.H)
    columns = 0 if column_spread is None else mixture.columns
    if not np.ptp(mixture.H, axis=0).any():
        # A part of few samples may be of one class, whose left-out errors are zero.
        return base, None if column_spread is None else np.zeros(columns)
    stiff = np.full(p + columns, 1 / (n * spread**2))
    if column_spread is not None:
        stiff[p:] = 1 / (n * column_spread**2)

    def penalised(x: Array) -> tuple[float, Array]:
        u = None if column_spread is None else x[p:]
        value, slopes = mixture.slopes(base * np.exp(x[:p]), lam, u)
        off = x.copy()
        off[:p] -= np.mean(x[:p])
        pull = stiff * off
        return np.log(value) + float(pull @ off), slopes / value + 2 * pull

    found = minimise(
        penalised, p + columns, small=small, max_evaluations=max_evaluations
    )
    learned = base * np.exp(found.x[:p])
    return learned, None if column_spread is None else found.x[p:]
