"""The problem in the centre: a Gram stack, a loss and a set of weights.

    min_{θ∈Θ} max_A  g(A) − ½ Σ_j θ_j tr(AᵀK_jA)
       weights/     losses/            grams/

A solver sees only what is defined here. Optimality is judged by the problem,
with F(θ) from above and D(A) from below, never by the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .grams.base import Array, GramStack


@dataclass(frozen=True)
class Inner:
    """The inner maximum at one K(θ), as a loss returns it.

    `value` is F(θ) = max_A g(A) − ½⟨A, K(θ)A⟩ and `A` (n, k) its maximiser; `bias`
    (k,) is the offset of the prediction. `hessian` maps the products K_jA
    (p, n, k) to ∇²F(θ) (p, p); losses without one leave it None.
    """

    A: Array
    value: float
    bias: Array
    hessian: Callable[[Array], Array] | None = None


@runtime_checkable
class Loss(Protocol):
    """g and its inner maximiser."""

    def value(self, A: Array) -> float:
        """g(A); the domain of g is the caller's promise."""
        ...

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        """Maximise g(A) − ½⟨A, KA⟩, from `start` where the loss can use it."""
        ...

    def best_scale(self, A: Array, support: float) -> float:
        """The t that maximises g(tA) − ½t²σ, or 1 where g has a fixed scale."""
        ...


@runtime_checkable
class WeightSet(Protocol):
    """Θ ⊂ R^p_+, convex and compact; every method takes and returns p numbers."""

    @property
    def interior(self) -> bool:
        """Whether every kernel that helps at all has a positive weight."""
        ...

    def support(self, s: Array) -> float:
        """σ_Θ(s) = max_{θ∈Θ} θᵀs."""
        ...

    def maximiser(self, s: Array) -> Array:
        """A θ∈Θ with θᵀs = σ_Θ(s)."""
        ...

    def project(self, theta: Array) -> Array:
        """The point of Θ nearest to theta."""
        ...

    def start(self, p: int) -> Array:
        """A point of Θ with every weight positive."""
        ...

    def restrict(self, keep: Array) -> WeightSet:
        """The set for the kernels in the mask `keep`, the others having weight 0."""
        ...

    def chart(self, phi: Array) -> tuple[Array, Array, Array]:
        """θ, θ' and θ'' at a point φ of the unit simplex; θ_j depends on φ_j."""
        ...

    def coordinates(self, theta: Array) -> Array:
        """The φ of the unit simplex whose chart is theta."""
        ...

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        """Minimise max_i g_i − ½θᵀS_i over Θ: θ and the multipliers of the cuts."""
        ...

    def cvxpy_support(self, s: Any) -> Any:
        """σ_Θ(s) as a cvxpy expression."""
        ...

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        """θ∈Θ as cvxpy constraints."""
        ...


@dataclass(frozen=True)
class Point:
    """What the problem says at one θ: the upper bound F(θ) and its derivatives."""

    theta: Array
    A: Array
    bias: Array
    value: float
    applied: Array
    s: Array
    _hessian: Callable[[Array], Array] | None

    @property
    def gradient(self) -> Array:
        """∂F/∂θ_j = −½ s_j(A)."""
        return -0.5 * self.s

    def hessian(self) -> Array:
        """∇²F(θ), (p, p)."""
        if self._hessian is None:
            raise TypeError(
                "this loss has no Hessian in θ; use a first-order solver such as "
                "kernelweave.solvers.SILP"
            )
        return self._hessian(self.applied)


@dataclass(frozen=True)
class DualPoint:
    """A and the lower bound D(A) = g(A) − ½σ_Θ(s(A)) that it proves."""

    A: Array
    value: float


@dataclass(frozen=True)
class Iterate:
    """One step of a solver.

    `A` is a second candidate for the lower bound, where the solver has a better
    one than the inner maximiser at θ (cutting planes: the average by multipliers).
    """

    point: Point
    A: Array | None = None


@dataclass(frozen=True)
class Problem:
    """min over θ in `weights` of F(θ) = max_A g(A) − ½ Σ_j θ_j tr(AᵀK_jA).

    Parameters
    ----------
    gram : GramStack
        The base kernels K_1..K_p on n samples, centred and scaled.
    loss : Loss
        g, with its targets: `kernelweave.losses.Square(H, lam)`, ...
    weights : WeightSet
        Θ: `kernelweave.weights.Simplex()`, ...

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import Problem, solve
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.losses import Square
    >>> from kernelweave.weights import Simplex
    >>> x = np.linspace(-1, 1, 8)[:, None]
    >>> gram = DenseStack(np.stack([x @ x.T, (x @ x.T) ** 2]))
    >>> solution = solve(Problem(gram, Square(x**2, lam=0.1), Simplex()))
    >>> solution.weights.round(3)
    array([0., 1.])
    """

    gram: GramStack
    loss: Loss
    weights: WeightSet

    def at(self, theta: Array, start: Array | None = None) -> Point:
        """Evaluate F at theta: one inner solve, one product with every kernel."""
        theta = np.array(theta, dtype=float)
        inner = self.loss.inner(self.gram.combine(theta), start)
        applied = self.gram.apply(inner.A)
        s = np.einsum("ik,jik->j", inner.A, applied)
        return Point(theta, inner.A, inner.bias, inner.value, applied, s, inner.hessian)

    def dual(self, A: Array, s: Array | None = None) -> DualPoint:
        """The lower bound D(tA) at the best scale t; s = s(A) if it is known."""
        sigma = self.weights.support(self.gram.quadratic(A) if s is None else s)
        t = self.loss.best_scale(A, sigma)
        return DualPoint(t * A, self.loss.value(t * A) - 0.5 * t * t * sigma)


class Solver(Protocol):
    """A way to the saddle point; it holds its mathematics and nothing else."""

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        """Yield iterates with fresh arrays, until no further progress is possible.

        `tol` is the relative duality gap that the caller wants: solvers that hand
        the problem on to another program need it, the others may ignore it.
        """
        ...
