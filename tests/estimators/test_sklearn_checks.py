"""scikit-learn's own conventions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelweave import (
    MKLSVC,
    MKLSVR,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed


def _expected(estimator):
    """Kernel widths and scales are those of the rows, whatever they weigh."""
    if isinstance(estimator, LaplacianMKLSVC):
        return {"check_classifiers_classes": "-1 marks unlabelled rows"}
    if not hasattr(estimator, "_sample_weights") or estimator.normalize is None:
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": _expected.__doc__
        for kind in ("dense", "sparse")
    }


# Some checks fit on data where the kernels cannot differ in scale, or pass one
# feature that is constant: the warnings about that are ours and are wanted.
@pytest.mark.filterwarnings("ignore:kernels that are zero or constant:UserWarning")
@parametrize_with_checks(
    [
        KernelDiscriminantAnalysis(),
        KernelDiscriminantAnalysis(kernel=Linear()),
        LaplacianMKLSVC(n_neighbors=2),
        LaplacianMKLSVC([RBF(), Linear()], n_neighbors=2, formulation="tied"),
        MKLDiscriminantAnalysis(),
        MKLDiscriminantAnalysis([RBF(), Linear()], weights=Fixed()),
        MKLRidge(),
        MKLRidge([RBF(), Linear()], solver=SILP()),
        MKLOneClassSVM(),
        MKLOneClassSVM([RBF(gamma=0.1), RBF(gamma=1.0)], Fixed(), normalize=None),
        MKLSVC(),
        MKLSVC([RBF(gamma=0.1), Linear()], weights=Fixed(), normalize=None),
        MKLSVC([RBF(), Linear()], loss="squared_hinge", multiclass="per_class"),
        MKLSVR(),
        MKLSVR([RBF(), Linear()], loss="squared_epsilon_insensitive"),
        MKLSVR([RBF(gamma=0.1), Linear()], weights=Fixed(), normalize=None),
    ],
    expected_failed_checks=_expected,
)
def test_convention(estimator, check):
    check(estimator)
