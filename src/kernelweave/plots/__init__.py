"""Pictures, in the style of scikit-learn's displays."""

from .alignment import AlignmentDisplay
from .convergence import ConvergenceDisplay
from .embedding import EmbeddingDisplay
from .feature_importance import FeatureImportanceDisplay
from .importance import ImportanceDisplay
from .path import PathDisplay
from .per_sample import PerSampleDisplay
from .text import text_bar
from .weights import WeightsDisplay

__all__ = [
    "AlignmentDisplay",
    "ConvergenceDisplay",
    "EmbeddingDisplay",
    "FeatureImportanceDisplay",
    "ImportanceDisplay",
    "PathDisplay",
    "PerSampleDisplay",
    "WeightsDisplay",
    "text_bar",
]
