"""How sparse, how regular, which weights: chosen by rows that were left out."""

from .calibration import Calibration, calibrate
from .descent import Descent, Learned, descend, learn
from .grid import ALPHAS, GRID_TOL, NORMS, GridPoint, grid, leave_one_out_grid
from .left_out import LeftOut, inner_products, leave_out, pair_products
from .left_out_features import LeftOutFeatures, leave_out_features
from .ridge_path import RidgePath, ridge_path
from .splits import cross_validated_grid
from .widths import LearnedWidths, learn_widths, worth_learning

__all__ = [
    "ALPHAS",
    "GRID_TOL",
    "NORMS",
    "Calibration",
    "Descent",
    "GridPoint",
    "Learned",
    "LearnedWidths",
    "LeftOut",
    "LeftOutFeatures",
    "RidgePath",
    "calibrate",
    "cross_validated_grid",
    "descend",
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
