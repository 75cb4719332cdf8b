"""Sets of kernel weights Θ."""

from .fixed import Fixed
from .lp import LpBall
from .simplex import Simplex

__all__ = ["Fixed", "LpBall", "Simplex"]
