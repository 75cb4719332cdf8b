"""Sets of kernel weights Θ."""

from .fixed import Fixed
from .simplex import Simplex

__all__ = ["Fixed", "Simplex"]
