"""Views: several tables of the same samples, or parts of one, and their kernels."""

from .absent import absent_counts
from .choosing import kernels_for
from .container import Views, as_views, is_views
from .names import view_of, views_from_prefix
from .one_table import one_table
from .targets import aligned, groups_of
from .trained import as_trained

__all__ = [
    "Views",
    "absent_counts",
    "aligned",
    "as_trained",
    "as_views",
    "groups_of",
    "is_views",
    "kernels_for",
    "one_table",
    "view_of",
    "views_from_prefix",
]
