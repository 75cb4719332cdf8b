"""Estimators with scikit-learn's conventions."""

from .cox import MKLCoxRegression
from .cox_cv import MKLCoxRegressionCV
from .discriminant import MKLDiscriminantAnalysis
from .discriminant_cv import MKLDiscriminantAnalysisCV
from .kernel_discriminant import KernelDiscriminantAnalysis
from .logistic import MKLLogisticRegression
from .logistic_cv import MKLLogisticRegressionCV
from .oneclass import MKLOneClassSVM
from .regressors import (
    MKLHuberRegressor,
    MKLPoissonRegressor,
    MKLQuantileRegressor,
)
from .regressors_cv import (
    MKLHuberRegressorCV,
    MKLPoissonRegressorCV,
    MKLQuantileRegressorCV,
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
]
