"""Losses g, each with its inner maximiser."""

from .epsilon import EpsilonInsensitive, SquaredEpsilonInsensitive
from .fisher import FisherRatio
from .hinge import Hinge
from .majorized import MajorizedSquare
from .square import Square, discriminant_targets
from .squared_hinge import SquaredHinge

__all__ = [
    "EpsilonInsensitive",
    "FisherRatio",
    "Hinge",
    "MajorizedSquare",
    "Square",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "discriminant_targets",
]
