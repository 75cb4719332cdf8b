"""What a solver needs of the set of weights, or a TypeError that names another."""

from __future__ import annotations

from ..problem import Charted, Conic, Mastered, Penalised, WeightSet
from ..protocols import offers


def charted(weights: WeightSet, solver: str) -> Charted:
    """The set, if it has a chart from the unit simplex."""
    _refuse_penalty(weights)
    if offers(weights, Charted):
        return weights
    raise TypeError(
        f"{solver} needs a set of weights with a chart (`protocols.Charted`), and "
        f"{type(weights).__name__} has none; use ProjectedNewton()"
    )


def mastered(weights: WeightSet, solver: str) -> Mastered:
    """The set, if it has the small program of the cutting planes."""
    _refuse_penalty(weights)
    if offers(weights, Mastered):
        return weights
    raise TypeError(
        f"{solver} needs a set of weights with a `master` (`protocols.Mastered`), and "
        f"{type(weights).__name__} has none; use {general(weights)}"
    )


def conic(weights: WeightSet, solver: str) -> Conic:
    """The set, if cvxpy can be told of it."""
    _refuse_penalty(weights)
    if offers(weights, Conic):
        return weights
    raise TypeError(
        f"{solver} needs a set of weights that cvxpy can be told of "
        f"(`protocols.Conic`), which {type(weights).__name__} is not; use "
        f"{general(weights)}"
    )


def general(weights: WeightSet) -> str:
    """The solver to name where another one cannot take the set."""
    return "Newton()" if offers(weights, Charted) else "ProjectedNewton()"


def _refuse_penalty(weights: WeightSet) -> None:
    if offers(weights, Penalised):
        raise TypeError(
            f"{type(weights).__name__} is a penalty, not a set of weights: solve it "
            "with DualLBFGS() or SMO(), or use LpBall, which has the same solutions up "
            "to scale"
        )
