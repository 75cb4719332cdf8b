"""What a fit keeps: the kernels with their training rows, and the prediction."""

from .expansion import FeatureExpansion, KernelExpansion, MatrixExpansion, expand

__all__ = ["FeatureExpansion", "KernelExpansion", "MatrixExpansion", "expand"]
