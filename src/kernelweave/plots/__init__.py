"""Pictures, in the style of scikit-learn's displays."""

from .alignment import AlignmentDisplay
from .convergence import ConvergenceDisplay
from .embedding import EmbeddingDisplay
from .importance import ImportanceDisplay
from .path import PathDisplay
from .text import text_bar
from .weights import WeightsDisplay

__all__ = [
    "AlignmentDisplay",
    "ConvergenceDisplay",
    "EmbeddingDisplay",
    "ImportanceDisplay",
    "PathDisplay",
    "WeightsDisplay",
    "text_bar",
]
