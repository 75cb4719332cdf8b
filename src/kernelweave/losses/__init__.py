"""Losses g, each with its inner maximiser."""

from .epsilon import EpsilonInsensitive, SquaredEpsilonInsensitive
from .fisher import FisherRatio
from .hinge import Hinge
from .majorized import MajorizedSquare
from .one_class import OneClass
from .square import Square, discriminant_targets
from .squared_hinge import SquaredHinge

__all__ = [
    "EpsilonInsensitive",
    "FisherRatio",
    "Hinge",
    "MajorizedSquare",
    "OneClass",
    "Square",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "discriminant_targets",
]
