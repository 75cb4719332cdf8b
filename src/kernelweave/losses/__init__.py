"""Losses g, each with its inner maximiser."""

from .by_target import ByTarget
from .cox import Cox
from .epsilon import EpsilonInsensitive, SquaredEpsilonInsensitive
from .fisher import FisherRatio
from .hinge import Hinge
from .huber import Huber
from .logistic import Logistic
from .majorized import MajorizedSquare
from .multinomial import Multinomial
from .one_class import OneClass
from .poisson import Poisson
from .quantile import Quantile
from .square import Square, discriminant_targets
from .squared_hinge import SquaredHinge
from .weighted_square import WeightedSquare

__all__ = [
    "ByTarget",
    "Cox",
    "EpsilonInsensitive",
    "FisherRatio",
    "Hinge",
    "Huber",
    "Logistic",
    "MajorizedSquare",
    "Multinomial",
    "OneClass",
    "Poisson",
    "Quantile",
    "Square",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "WeightedSquare",
    "discriminant_targets",
]
