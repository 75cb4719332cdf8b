"""Homes for the base kernels K_1..K_p."""

from .base import BlockStack, GramStack
from .dense import DenseStack
from .identity import WithIdentity
from .lazy import LazyStack

__all__ = ["BlockStack", "DenseStack", "GramStack", "LazyStack", "WithIdentity"]
