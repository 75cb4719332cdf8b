"""What is chosen rather than solved for: by samples that were left out."""

from .left_out import LeftOut, inner_products, leave_out, pair_products
from .left_out_features import LeftOutFeatures, leave_out_features

__all__ = [
    "LeftOut",
    "LeftOutFeatures",
    "inner_products",
    "leave_out",
    "leave_out_features",
    "pair_products",
]
