"""Θ = {θ ≥ 0, Σ_g ‖θ_g‖₂ ≤ 1}: few groups of kernels, all kernels of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array
from ..views import view_of
from .master import group_master
from .simplex import Simplex


@dataclass(eq=False, repr=False)
class GroupSimplex(BaseEstimator):
    """Θ = {θ ≥ 0, Σ_g ‖θ_g‖₂ ≤ 1}, σ_Θ(s) = max_g ‖(s_g)₊‖₂, g the groups of kernels.

    Groups compete as kernels do on the simplex, and the kernels of a group share as in
    `LpBall(2)`: whole views are selected or left out. The maximiser is (s_g)₊/‖(s_g)₊‖
    in the best group and zero in the others. One group is `LpBall(2)`, and groups of
    one kernel are `Simplex()`.

    Parameters
    ----------
    groups : list (p,), optional
        The label of each kernel's group, a text or a number. By default an estimator
        takes the views: what stands before ": " in the names of the kernels, and a
        kernel whose name has no ": " is a group of its own.

    Examples
    --------
    >>> import numpy as np
    >>> GroupSimplex(["rna", "rna", "clinical"]).maximiser(np.array([3.0, 4.0, 4.5]))
    array([0.6, 0.8, 0. ])
    """

    groups: Any = None

    interior = False

    def named(self, names: Sequence[str]) -> GroupSimplex:
        """The set whose groups are the views of kernels with these names."""
        if self.groups is not None:
            return self
        return GroupSimplex([view_of(str(name)) for name in names])

    def members(self, p: int) -> Array:
        """The number of each kernel's group, from 0 on, (p,)."""
        if self.groups is None:
            raise ValueError(
                "GroupSimplex() takes its groups from the names of an estimator's "
                "kernels; in a Problem give them: GroupSimplex(groups), one label for "
                "each kernel"
            )
        if isinstance(self.groups, str) or not hasattr(self.groups, "__iter__"):
            raise ValueError(
                "GroupSimplex(groups) must hold one label for each kernel, got "
                f"{self.groups!r}"
            )
        groups = list(self.groups)
        if len(groups) != p:
            raise ValueError(
                f"GroupSimplex(groups) holds {len(groups)} labels, but there are {p} "
                "kernels: give one label for each"
            )
        if any(label is None or label != label for label in groups):
            raise ValueError(f"GroupSimplex(groups) lacks a label: {groups}")
        numbers: dict[Any, int] = {}
        return np.array([numbers.setdefault(g, len(numbers)) for g in groups])

    def start(self, p: int) -> Array:
        # Equal weights c: Σ_g c√m_g = 1 for groups of m_g kernels.
        return np.full(p, 1 / np.sum(np.sqrt(np.bincount(self.members(p)))))

    def restrict(self, keep: Array) -> GroupSimplex:
        if self.groups is None:
            return GroupSimplex()
        self.members(len(keep))
        kept = zip(self.groups, keep, strict=True)
        return GroupSimplex([label for label, stays in kept if stays])

    def norms(self, theta: Array) -> Array:
        """‖θ_g‖₂ of every group."""
        # In units of the largest, so that no square overflows.
        top = float(np.max(np.abs(theta))) or 1.0
        squares = np.bincount(self.members(len(theta)), (theta / top) ** 2)
        return top * np.sqrt(squares)

    def support(self, s: Array) -> float:
        return float(np.max(self.norms(np.maximum(s, 0))))

    def maximiser(self, s: Array) -> Array:
        s = np.maximum(s, 0)
        norms = self.norms(s)
        best = int(np.argmax(norms))
        if norms[best] == 0:
            return self.start(len(s))
        return np.where(self.members(len(s)) == best, s, 0.0) / norms[best]

    def project(self, theta: Array) -> Array:
        # The direction of θ₊ stays in each group; the norms go to the simplex.
        t = np.maximum(np.asarray(theta, dtype=float), 0)
        norms = self.norms(t)
        if np.sum(norms) <= 1:
            return t
        shares = Simplex().project(norms) / np.where(norms > 0, norms, 1.0)
        return t * shares[self.members(len(t))]

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        theta, multipliers = group_master(self.members(S.shape[1]), g, S)
        # F falls with every weight, so the constraint is tight at an optimum.
        size = float(np.sum(self.norms(theta)))
        return theta / size if size > 0 else self.start(len(theta)), multipliers

    def cvxpy_support(self, s: Any) -> Any:
        import cvxpy as cp

        return cp.max(cp.hstack([cp.norm(cp.pos(part)) for part in self._parts(s)]))

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        import cvxpy as cp

        size = cp.sum(cp.hstack([cp.norm(part) for part in self._parts(theta)]))
        return [theta >= 0, size <= 1]

    def _parts(self, vector: Any) -> list[Any]:
        members = self.members(vector.shape[0])
        return [vector[np.flatnonzero(members == g)] for g in range(max(members) + 1)]
