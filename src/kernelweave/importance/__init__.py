"""Which views matter, for which samples, and which columns inside a view."""

from .contributions import Parts, left_out_parts
from .views import view_importance

__all__ = ["Parts", "left_out_parts", "view_importance"]
