"""Base kernels on chosen columns of a table.

A kernel is a small estimator: `fit(X)` resolves its columns and its width on the
training rows, and calling it gives Gram matrices.

>>> import numpy as np
>>> X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
>>> RBF(gamma=0.5, columns=[0]).fit(X)(X).round(3)
array([[1.   , 0.607, 0.135],
       [0.607, 1.   , 0.607],
       [0.135, 0.607, 1.   ]])
"""

from .anisotropic import AnisotropicRBF
from .anisotropic_laplacian import AnisotropicLaplacian
from .base import Kernel
from .categorical import Overlap
from .cosine import Cosine
from .distance import RBF, ChiSquared, Laplacian
from .families import default_kernels, number_kernels, rbf_grid
from .features import Approximation, Featured
from .fourier import RandomFourier
from .function import FunctionKernel, as_kernels
from .nystroem import Nystroem
from .precomputed import Precomputed
from .product import Linear, Polynomial
from .sigmoid import Sigmoid
from .spectrum import Spectrum
from .text_kernel import TextKernel
from .words import Words

__all__ = [
    "RBF",
    "AnisotropicLaplacian",
    "AnisotropicRBF",
    "Approximation",
    "ChiSquared",
    "Cosine",
    "Featured",
    "FunctionKernel",
    "Kernel",
    "Laplacian",
    "Linear",
    "Nystroem",
    "Overlap",
    "Polynomial",
    "Precomputed",
    "RandomFourier",
    "Sigmoid",
    "Spectrum",
    "TextKernel",
    "Words",
    "as_kernels",
    "default_kernels",
    "number_kernels",
    "rbf_grid",
]

# Kernels that are positive semidefinite by their mathematics, in no need of a check.
DEFINITE = (
    RBF,
    AnisotropicLaplacian,
    AnisotropicRBF,
    Laplacian,
    ChiSquared,
    Cosine,
    Linear,
    Polynomial,
    Overlap,
    Nystroem,
    RandomFourier,
    Spectrum,
    Words,
)
