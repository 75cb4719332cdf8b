"""How sparse, how regular: (norm, λ) and (v, C) chosen by rows that were left out."""

from .grid import ALPHAS, GRID_TOL, NORMS, GridPoint, grid, leave_one_out_grid
from .splits import cross_validated_grid

__all__ = [
    "ALPHAS",
    "GRID_TOL",
    "NORMS",
    "GridPoint",
    "cross_validated_grid",
    "grid",
    "leave_one_out_grid",
]
