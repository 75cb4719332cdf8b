"""Homes for the base kernels K_1..K_p."""

from .base import GramStack
from .dense import DenseStack
from .identity import WithIdentity

__all__ = ["DenseStack", "GramStack", "WithIdentity"]
