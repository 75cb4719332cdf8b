"""What a problem asks of its parts: the loss g and the set of weights Θ.

An object with the right methods is enough; nothing is registered. The gram stacks' own
interface is in grams/base.py, that of a solver in problem.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from .grams.base import Array

Kind = TypeVar("Kind")


def offers(thing: object, kind: type[Kind]) -> TypeGuard[Kind]:
    """Whether a thing has what a protocol asks for, as `isinstance` says.

    `isinstance` of a protocol looks up every attribute, some 50 µs; here that is done
    once a class. Objects of one class must therefore offer the same.
    """
    known = _OFFERS.get((type(thing), kind))
    if known is None:
        known = _OFFERS[type(thing), kind] = isinstance(thing, kind)
    return known


_OFFERS: dict[tuple[type, type], bool] = {}


@dataclass(frozen=True)
class Inner:
    """The inner maximum at one K(θ), as a loss returns it.

    `value` is F(θ) = max_A g(A) − ½⟨A, K(θ)A⟩ and `A` (n, k) its maximiser; `bias`
    (k,) is the offset of the prediction. `hessian` maps the products K_jA
    (p, n, k) to ∇²F(θ) (p, p), and `respond` a small change of K(θ), times A, to the
    change of A; losses without one leave it None. `slack` is what `value` has over
    g(A) − ½⟨A, K(θ)A⟩, where that is how it was made. Where g is quadratic on a face of
    its domain, `tangent` maps q changes (q, n, k) to those of A (q, n, k) on the face
    of A, or to None where the face is degenerate.
    """

    A: Array
    value: float
    bias: Array
    hessian: Callable[[Array], Array] | None = None
    respond: Callable[[Array], Array] | None = None
    slack: float | None = None
    tangent: Callable[[Array], Array | None] | None = None


@runtime_checkable
class Loss(Protocol):
    """g and its inner maximiser: F(θ) = max_A g(A) − ½⟨A, K(θ)A⟩.

    The losses of `kernelweave.losses` are examples: for the square loss
    g(A) = ⟨A, H⟩ − (λ/2)‖A‖².

    A loss may also say `bounded = True`: its domain is bounded, as that of the hinge,
    so that F has no poles, and `Newton` need not guard against them. A bound that grows
    with C is none where C is large: likelihoods, Huber's loss and quantiles do not.
    """

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
class Consuming(Protocol):
    """A loss that needs no memory beside that of K(θ).

    The square loss, say, writes the Cholesky factor L of λI + K(θ) = LLᵀ over K(θ), so
    that one array (n, n) is alive at a time, not two.
    """

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        """`inner`, with what it needs in the place of K."""
        ...


@runtime_checkable
class Fit(Protocol):
    """A loss that judges a prediction, not only an A: what `Problem.bound` needs.

    risk(f) = max_A g(A) − ⟨A, f⟩, the loss of the fitted values f; for the square loss
    ‖H − f‖²/(2λ).
    """

    def risk(self, f: Array) -> tuple[float, Array]:
        """max_A g(A) − ⟨A, f⟩ for the fitted values f (n, k), and the bias (k,)."""
        ...

    def best_multiple(self, f: Array, energy: float) -> float:
        """The t that minimises ½t²·energy + risk(tf), or 1 without a closed form."""
        ...


@runtime_checkable
class Smooth(Protocol):
    """A loss that is differentiable on the whole of its domain 1ᵀA = 0 or R^{n×k}."""

    @property
    def intercept(self) -> bool: ...

    def gradient(self, A: Array) -> Array:
        """∇g(A), (n, k)."""
        ...


@runtime_checkable
class SampledLoss(Protocol):
    """A loss that is a sum over samples: g(A) = Σ_i g_i(a_i), a_i the rows of A."""

    def order(self) -> Array:
        """The samples, alike ones side by side, (n,)."""
        ...

    def sample(self, rows: Array, times: int) -> Loss:
        """The loss of these samples, each counted so many times."""
        ...


@runtime_checkable
class WeightSet(Protocol):
    """Θ ⊂ R^p_+, convex and compact; every method takes and returns p numbers.

    Θ is known by its support function σ_Θ(s) = max_{θ∈Θ} θᵀs, with which
    D(A) = g(A) − ½σ_Θ(s(A)) bounds the optimum from below.

    This is what the problem, the estimators and `ProjectedNewton` ask for. What other
    solvers need is in the protocols that follow. A set may also say `smooth = True`:
    σ_Θ is differentiable where s ≥ 0, s ≠ 0, as `DualLBFGS` needs it.
    """

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


@runtime_checkable
class Charted(WeightSet, Protocol):
    """Θ = {θ ≥ 0, Σ_j c(θ_j) ≤ 1} with c convex and increasing, c(0) = 0.

    In φ_j = c(θ_j) it is the unit simplex, and `Newton`, `Galerkin` and `Level` work
    there.
    """

    def chart(self, phi: Array) -> tuple[Array, Array, Array]:
        """θ, θ' and θ'' at a point φ of the unit simplex; θ_j depends on φ_j."""
        ...

    def coordinates(self, theta: Array) -> Array:
        """The φ of the unit simplex whose chart is theta."""
        ...


@runtime_checkable
class Mastered(WeightSet, Protocol):
    """A set with the small program of the cutting planes: for `SILP` and `Level`."""

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        """Minimise max_i g_i − ½θᵀS_i over Θ: θ and the multipliers of the cuts."""
        ...


@runtime_checkable
class Conic(WeightSet, Protocol):
    """A set that cvxpy can be told of: for `QCQP` and `SDP`."""

    def cvxpy_support(self, s: Any) -> Any:
        """σ_Θ(s) as a cvxpy expression."""
        ...

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        """θ∈Θ as cvxpy constraints."""
        ...


@runtime_checkable
class Named(Protocol):
    """A set that is made from the names of the kernels, such as `GroupSimplex()`.

    Estimators ask for it before all else; in a `Problem` kernels have no names.
    """

    def named(self, names: Sequence[str]) -> WeightSet:
        """The set for kernels with these names."""
        ...


@runtime_checkable
class Penalised(Protocol):
    """Weights that are penalised: min_θ F(θ) + penalty(θ) in place of θ ∈ Θ.

    `support(s)` is then the conjugate max_θ θᵀs − 2·penalty(θ), homogeneous of
    degree two if the penalty is, so that D(A) = g(A) − ½ support(s(A)) as for a set.
    """

    def penalty(self, theta: Array) -> float: ...
