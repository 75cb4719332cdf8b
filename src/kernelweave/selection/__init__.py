"""How sparse, how regular, which weights: chosen by rows that were left out."""

from .descent import Descent, Learned, descend, learn
from .grid import ALPHAS, GRID_TOL, NORMS, GridPoint, grid, leave_one_out_grid
from .left_out import LeftOut, inner_products, leave_out, pair_products
from .left_out_features import LeftOutFeatures, leave_out_features
from .ridge_path import RidgePath, ridge_path
from .splits import cross_validated_grid
from .temperature import fit_temperature
from .widths import LearnedWidths, learn_widths, worth_learning

__all__ = [
    "ALPHAS",
    "GRID_TOL",
    "NORMS",
    "Descent",
    "GridPoint",
    "Learned",
    "LearnedWidths",
    "LeftOut",
    "LeftOutFeatures",
    "RidgePath",
    "cross_validated_grid",
    "descend",
    "fit_temperature",
    "grid",
    "inner_products",
    "learn",
    "learn_widths",
    "leave_one_out_grid",
    "leave_out",
    "leave_out_features",
    "pair_products",
    "ridge_path",
    "worth_learning",
]
