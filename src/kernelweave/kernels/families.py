"""Families of kernels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .base import Kernel
from .distance import RBF, Laplacian
from .product import Linear


def rbf_grid(
    gammas: Iterable[float] | None = None,
    *,
    sigmas: Iterable[float] | None = None,
    factors: Iterable[float] = (0.25, 0.5, 1, 2, 4),
    columns: Any = None,
    prefix: str = "",
    scale: bool | str = False,
    missing: str = "error",
) -> list[RBF]:
    """A family of RBF kernels of several widths on the same columns.

    Parameters
    ----------
    gammas : iterable of float, optional
        k(x, z) = exp(−γ‖x − z‖²).
    sigmas : iterable of float, optional
        Widths, γ = 1/σ², as in Kim et al. 2006 and Ye et al. 2008, whose grid is
        np.logspace(-1, 2, 10).
    factors : iterable of float
        Without gammas and sigmas: multiples of the median distance of the training
        rows.
    columns, scale, missing
        See `Kernel`.
    prefix : str
        Goes before the names of the kernels: "clinic: " makes them kernels of a view.

    Examples
    --------
    >>> [kernel.label for kernel in rbf_grid(sigmas=[0.1, 1, 10])]
    ['rbf σ=0.1', 'rbf σ=1', 'rbf σ=10']
    """
    if gammas is not None and sigmas is not None:
        raise ValueError("give gammas or sigmas, not both")
    common: dict[str, Any] = {"columns": columns, "scale": scale, "missing": missing}
    if gammas is not None:
        return [
            RBF(gamma=float(g), name=f"{prefix}rbf γ={g:.3g}", **common) for g in gammas
        ]
    if sigmas is not None:
        return [
            RBF(gamma=1 / float(s) ** 2, name=f"{prefix}rbf σ={s:.3g}", **common)
            for s in sigmas
        ]
    return [
        RBF(factor=float(f), name=f"{prefix}rbf {f:.3g}×median", **common)
        for f in factors
    ]


def number_kernels(
    columns: Any = None,
    prefix: str = "",
    missing: str = "error",
) -> list[Kernel]:
    """Kernels for columns of numbers, each of them there for a reason.

    Columns are standardised, or turned to ranks, by the training rows.

    - RBF of ½ and 2 times the median distance: smooth functions, rough and gentle.
    - Linear: effects that add up, with many columns and few rows above all.
    - Laplacian of ¼, 1 and 4 times the median distance between ranks of the columns:
      steps and corners, whatever the unit of a column, and unmoved by outliers. The
      narrow one is for rows that nearly repeat each other.

    These six predict as well as eight or nine with more widths (docs/accuracy.md); a
    narrow RBF, of ¼, acts as a ridge and adds nothing.

    Parameters
    ----------
    columns, missing
        See `Kernel`.
    prefix : str
        Goes before the names of the kernels: "clinic: " makes them kernels of a view.

    Examples
    --------
    >>> [kernel.label for kernel in number_kernels()][2:4]
    ['linear', 'rank laplacian 0.25×median']
    """
    common: dict[str, Any] = {"columns": columns, "missing": missing}
    return [
        *rbf_grid(factors=(0.5, 2), prefix=prefix, scale=True, **common),
        Linear(name=f"{prefix}linear", scale=True, **common),
        *rank_kernels(prefix=prefix, **common),
    ]


def rank_kernels(
    columns: Any = None, prefix: str = "", missing: str = "error"
) -> list[Laplacian]:
    """The Laplacians of `number_kernels`, on ranks of the columns."""
    return [
        Laplacian(
            factor=factor,
            columns=columns,
            name=f"{prefix}rank laplacian {factor:.3g}×median",
            scale="rank",
            missing=missing,
        )
        for factor in (0.25, 1, 4)
    ]


def default_kernels() -> list[Kernel]:
    """For newcomers: `number_kernels` of all columns.

    Examples
    --------
    >>> [kernel.label for kernel in default_kernels()][:3]
    ['rbf 0.5×median', 'rbf 2×median', 'linear']
    """
    return number_kernels()
