"""What is chosen rather than solved for: by samples that were left out."""

from .descent import Choice, Descent, choose, descend
from .left_out import LeftOut, inner_products, leave_out, pair_products
from .left_out_features import LeftOutFeatures, leave_out_features
from .ridge_path import RidgePath, ridge_path

__all__ = [
    "Choice",
    "Descent",
    "LeftOut",
    "LeftOutFeatures",
    "RidgePath",
    "choose",
    "descend",
    "inner_products",
    "leave_out",
    "leave_out_features",
    "pair_products",
    "ridge_path",
]
