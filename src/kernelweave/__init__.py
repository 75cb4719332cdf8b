"""kernelweave: multiple kernel learning that is exact, certified and fast."""

# Before the imports: model files are marked with it.
__version__ = "0.1.0"

from .estimators import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    MKLSVRCV,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLCoxRegression,
    MKLCoxRegressionCV,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLHuberRegressor,
    MKLHuberRegressorCV,
    MKLLogisticRegression,
    MKLLogisticRegressionCV,
    MKLOneClassSVM,
    MKLPoissonRegressor,
    MKLPoissonRegressorCV,
    MKLQuantileRegressor,
    MKLQuantileRegressorCV,
    MKLRidge,
    MKLRidgeCV,
)
from .methods import METHODS
from .problem import Problem
from .solve import path, solve
from .versions import show_versions

__all__ = [
    "METHODS",
    "MKLSVC",
    "MKLSVCCV",
    "MKLSVR",
    "MKLSVRCV",
    "KernelDiscriminantAnalysis",
    "LaplacianMKLSVC",
    "MKLCoxRegression",
    "MKLCoxRegressionCV",
    "MKLDiscriminantAnalysis",
    "MKLDiscriminantAnalysisCV",
    "MKLHuberRegressor",
    "MKLHuberRegressorCV",
    "MKLLogisticRegression",
    "MKLLogisticRegressionCV",
    "MKLOneClassSVM",
    "MKLPoissonRegressor",
    "MKLPoissonRegressorCV",
    "MKLQuantileRegressor",
    "MKLQuantileRegressorCV",
    "MKLRidge",
    "MKLRidgeCV",
    "Problem",
    "path",
    "show_versions",
    "solve",
]
