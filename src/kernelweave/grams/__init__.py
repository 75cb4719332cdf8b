"""Homes for the base kernels K_1..K_p."""

from .base import BlockStack, GramStack
from .deformed import Deformed, deform
from .dense import DenseStack
from .identity import WithIdentity
from .lazy import LazyStack

# What the estimators make of their kernels.
Stack = DenseStack | LazyStack

__all__ = [
    "BlockStack",
    "Deformed",
    "DenseStack",
    "GramStack",
    "LazyStack",
    "Stack",
    "WithIdentity",
    "deform",
]
