"""Homes for the base kernels K_1..K_p."""

from .base import BlockStack, GramStack
from .deformed import Deformed, deform
from .dense import DenseStack
from .identity import WithIdentity
from .lazy import LazyStack

__all__ = [
    "BlockStack",
    "Deformed",
    "DenseStack",
    "GramStack",
    "LazyStack",
    "WithIdentity",
    "deform",
]
