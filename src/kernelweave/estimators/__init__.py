"""Estimators with scikit-learn's conventions."""

from .cox import MKLCoxRegression
from .discriminant import MKLDiscriminantAnalysis
from .discriminant_cv import MKLDiscriminantAnalysisCV
from .kernel_discriminant import KernelDiscriminantAnalysis
from .logistic import MKLLogisticRegression
from .oneclass import MKLOneClassSVM
from .regressors import (
    MKLHuberRegressor,
    MKLPoissonRegressor,
    MKLQuantileRegressor,
)
from .ridge import MKLRidge
from .ridge_cv import MKLRidgeCV
from .semisupervised import LaplacianMKLSVC
from .svc import MKLSVC
from .svm_cv import MKLSVCCV, MKLSVRCV
from .svr import MKLSVR

__all__ = [
    "MKLSVC",
    "MKLSVCCV",
    "MKLSVR",
    "MKLSVRCV",
    "KernelDiscriminantAnalysis",
    "LaplacianMKLSVC",
    "MKLCoxRegression",
    "MKLDiscriminantAnalysis",
    "MKLDiscriminantAnalysisCV",
    "MKLHuberRegressor",
    "MKLLogisticRegression",
    "MKLOneClassSVM",
    "MKLPoissonRegressor",
    "MKLQuantileRegressor",
    "MKLRidge",
    "MKLRidgeCV",
]
