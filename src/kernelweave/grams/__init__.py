"""Homes for the base kernels K_1..K_p."""

from .base import BlockStack, GramStack
from .deformed import Deformed, deform
from .dense import DenseStack
from .identity import WithIdentity
from .lazy import LazyStack
from .lowrank import LowRankStack
from .mapped import MappedStack
from .scaled import ScaledStack

# What the estimators make of their kernels.
Stack = DenseStack | LazyStack | ScaledStack | LowRankStack | MappedStack

__all__ = [
    "BlockStack",
    "Deformed",
    "DenseStack",
    "GramStack",
    "LazyStack",
    "LowRankStack",
    "MappedStack",
    "ScaledStack",
    "Stack",
    "WithIdentity",
    "deform",
]
