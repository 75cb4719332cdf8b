"""Losses g, each with its inner maximiser."""

from .fisher import FisherRatio
from .majorized import MajorizedSquare
from .square import Square, discriminant_targets

__all__ = ["FisherRatio", "MajorizedSquare", "Square", "discriminant_targets"]
