"""scikit-learn's own conventions, for every public estimator at its defaults.

Those that fit every point of a grid have one of two points, and two folds, which follow
the conventions, or not, as forty points and 25 folds do.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    MKLSVRCV,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLLogisticRegressionCV,
    MKLOneClassSVM,
    MKLPoissonRegressor,
    MKLPoissonRegressorCV,
    MKLQuantileRegressorCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import RBF, Linear
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed
from public import ESTIMATORS

SMALL = {"Cs": (0.25, 4.0), "alphas": (0.25, 4.0), "norms": (2,), "vs": (1.0,)}


def _with_a_small_grid(estimator):
    names = estimator.get_params(deep=False)
    if isinstance(estimator, MKLDiscriminantAnalysisCV | MKLRidgeCV):
        return estimator  # every alpha comes from one factorisation
    if not SMALL.keys() & names.keys():
        return estimator
    estimator.set_params(**{k: v for k, v in SMALL.items() if k in names})
    if isinstance(estimator, MKLLogisticRegressionCV | MKLPoissonRegressorCV):
        return estimator  # by left-out samples
    return estimator.set_params(kernels=[RBF(), Linear()], cv=2)


DEFAULTS = [_with_a_small_grid(Estimator()) for Estimator in ESTIMATORS]
OTHERS = [
    KernelDiscriminantAnalysis(kernel=Linear()),
    LaplacianMKLSVC([RBF(), Linear()], n_neighbors=2, formulation="tied"),
    MKLDiscriminantAnalysis([RBF(), Linear()], weights=Fixed()),
    MKLRidge([RBF(), Linear()], solver=SILP()),
    MKLRidge([RBF(gamma=0.1), Linear()]),
    MKLOneClassSVM([RBF(gamma=0.1), RBF(gamma=1.0)], Fixed(), normalize=None),
    MKLSVC([RBF(gamma=0.1), Linear()], weights=Fixed(), normalize=None),
    MKLSVC([RBF(), Linear()], loss="squared_hinge", multiclass="per_class"),
    MKLSVR([RBF(), Linear()], loss="squared_epsilon_insensitive"),
    MKLSVR([RBF(gamma=0.1), Linear()], weights=Fixed(), normalize=None),
]


SAMPLES = {f"check_sample_weight_equivalence_on_{k}_data" for k in ("dense", "sparse")}


def _expected(estimator):
    if isinstance(estimator, LaplacianMKLSVC):
        return {"check_classifiers_classes": "-1 marks unlabelled rows"}
    found = {}
    if hasattr(estimator, "partial_fit"):
        # `fit` keeps no sums: to go on from it would be to forget it.
        found["check_fit_score_takes_y"] = "partial_fit refuses to go on from fit"
    if isinstance(estimator, KernelDiscriminantAnalysis):
        check = "check_class_weight_classifiers"
        found[check] = "it sets max_iter, which a fit of one kernel does not have"
    if isinstance(estimator, MKLPoissonRegressor):
        found["check_regressor_multioutput"] = "its targets are negative"
    if has_fit_parameter(estimator, "sample_weight"):
        reason = _not_copies(estimator)
        found |= {check: reason for check in SAMPLES if reason}
    return found


def _not_copies(estimator):
    """Why samples with weights are not the same as copies of them, if so."""
    if isinstance(estimator, MKLDiscriminantAnalysis):
        return "a sample is left out with all its weight, a copy alone"
    same = MKLSVCCV | MKLSVRCV | MKLPoissonRegressorCV | MKLQuantileRegressorCV
    if isinstance(estimator, same):
        return None  # the samples of the check choose the same point of the grid
    if "alphas" in estimator.get_params() or "Cs" in estimator.get_params():
        return "a sample is left out with all its weight, a copy alone"
    if estimator.normalize and not isinstance(estimator, MKLRidge):
        return "kernel scales are those of the rows, whatever they weigh"
    listed = estimator.kernels or [RBF()]
    if any(isinstance(kernel, RBF) and kernel.gamma == "median" for kernel in listed):
        return "kernel widths are those of the rows, whatever they weigh"
    return None


def test_all_estimators_are_found():
    names = {type(estimator).__name__ for estimator in DEFAULTS}
    assert {type(estimator).__name__ for estimator in OTHERS} <= names
    assert {"MKLSVCCV", "MKLSVRCV", "MKLRidgeCV", "MKLDiscriminantAnalysisCV"} <= names


# Some checks fit on data where the kernels cannot differ in scale, pass one feature
# that is constant, or ten rows: the warnings about that are ours and are wanted.
@pytest.mark.filterwarnings("ignore:kernels that are zero or constant:UserWarning")
@pytest.mark.filterwarnings("ignore:n_neighbors=10 is more than:UserWarning")
@parametrize_with_checks(DEFAULTS + OTHERS, expected_failed_checks=_expected)
def test_convention(estimator, check):
    check(estimator)
