"""Estimators with scikit-learn's conventions."""

from .discriminant import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis
from .ridge import MKLRidge

__all__ = ["KernelDiscriminantAnalysis", "MKLDiscriminantAnalysis", "MKLRidge"]
