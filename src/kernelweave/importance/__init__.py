"""Which views matter, for which samples, and which columns inside a view."""

from .contributions import Parts, left_out_parts
from .features import feature_importance
from .samples import per_sample
from .views import view_importance

__all__ = [
    "Parts",
    "feature_importance",
    "left_out_parts",
    "per_sample",
    "view_importance",
]
