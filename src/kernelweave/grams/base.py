"""The interface: all that a solver may ask of the base kernels."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

# Numbers: floating-point where it is not said otherwise.
Array = NDArray[Any]


class GramStack(Protocol):
    """K_1..K_p on n training samples, already centred and scaled."""

    @property
    def n(self) -> int:
        """Number of samples."""
        ...

    @property
    def p(self) -> int:
        """Number of kernels."""
        ...

    @property
    def traces(self) -> Array:
        """r_j = tr K_j, (p,)."""
        ...

    def combine(self, theta: Array) -> Array:
        """K(θ) = Σ_j θ_j K_j, a fresh (n, n) array."""
        ...

    def apply(self, A: Array) -> Array:
        """K_jA for each j, (p, n, k)."""
        ...

    def quadratic(self, A: Array) -> Array:
        """s_j(A) = tr(AᵀK_jA), (p,)."""
        ...

    def __getitem__(self, j: int) -> Array:
        """K_j as a matrix (n, n); only the conic formulations need it."""
        ...


@runtime_checkable
class BlockStack(GramStack, Protocol):
    """A stack that gives some of its rows, without the others."""

    def rows(self, index: Array) -> Array:
        """K_j[B, :] for the rows B in `index`, (p, b, n)."""
        ...

    def block(self, theta: Array, index: Array) -> Array:
        """K(θ)[B, B], a fresh (b, b) array."""
        ...

    def apply_rows(self, index: Array, A: Array) -> Array:
        """K_j[:, B]A for A (b, k): the product with a matrix that is zero elsewhere."""
        ...


@runtime_checkable
class Sampled(Protocol):
    """A stack that can be cut down to some of its samples."""

    def sample(self, rows: Array) -> GramStack:
        """K_j[B, B] for the samples B in `rows`, as a stack of its own."""
        ...


@runtime_checkable
class Housed(Protocol):
    """A stack whose memory, that of a GPU, may be too small for K(θ) and a factor."""

    def check_room(self) -> None:
        """Raise a MemoryError that says what is needed, and what is there."""
        ...


@runtime_checkable
class Selected(Protocol):
    """A stack that gives products with some of its kernels, without the others."""

    def apply_some(self, A: Array, kernels: Array | slice) -> Array:
        """K_jA for the kernels j in `kernels`, (q, n, k)."""
        ...


@runtime_checkable
class Crossed(Protocol):
    """A stack that gives K(θ) of some samples, and products with these alone."""

    def block(self, theta: Array, index: Array) -> Array:
        """K(θ)[B, B], a fresh (b, b) array."""
        ...

    def cross(self, theta: Array, index: Array, others: Array) -> Array:
        """K(θ)[B, C], a fresh (b, c) array."""
        ...

    def within(self, index: Array, A: Array) -> Array:
        """K_j[B, B]A, (p, b, k), for A (b, k)."""
        ...


@runtime_checkable
class Reducible(Protocol):
    """A stack that gives its kernels on a subspace, without their products."""

    def reduced(self, V: Array, kernels: Array) -> Array:
        """VᵀK_jV for the kernels j in `kernels`, (q, m, m), V (n, m)."""
        ...


@runtime_checkable
class Paired(Protocol):
    """A stack that sums K_j∘Q for a matrix Q without storing K_j."""

    def pair_products(self, Q: Array) -> Array:
        """(K_jQ)_ii for every kernel and sample, (p, n), Q (n, n) symmetric."""
        ...


@runtime_checkable
class Stored(Protocol):
    """A stack whose matrices are there number by number, so that s(A) can be exact.

    A bound may lose what ⟨A, K_jA⟩ loses by rounding, about ε‖K‖/λ of itself.
    """

    def rounding(self, A: Array) -> Array:
        """How far rounding may put quadratic(A) off, (p,).

        ½ε Σ_c (Σ_i √K_ii |A_ic|)², as |K_il| ≤ √(K_ii K_ll); zero where `exact` would
        be no better.
        """
        ...

    def exact(self, A: Array) -> Array:
        """quadratic(A) without the rounding of the products, (p,)."""
        ...
