"""Estimators with scikit-learn's conventions."""

from .discriminant import MKLDiscriminantAnalysis
from .kernel_discriminant import KernelDiscriminantAnalysis
from .ridge import MKLRidge
from .selection import MKLDiscriminantAnalysisCV, MKLRidgeCV

__all__ = [
    "KernelDiscriminantAnalysis",
    "MKLDiscriminantAnalysis",
    "MKLDiscriminantAnalysisCV",
    "MKLRidge",
    "MKLRidgeCV",
]
