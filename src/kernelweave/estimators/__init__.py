"""Estimators with scikit-learn's conventions."""

from .discriminant import MKLDiscriminantAnalysis
from .kernel_discriminant import KernelDiscriminantAnalysis
from .ridge import MKLRidge

__all__ = ["KernelDiscriminantAnalysis", "MKLDiscriminantAnalysis", "MKLRidge"]
