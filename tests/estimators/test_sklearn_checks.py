"""scikit-learn's own conventions, none of them expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed


# Some checks fit on data where the kernels cannot differ in scale, or pass one
# feature that is constant: the warnings about that are ours and are wanted.
@pytest.mark.filterwarnings("ignore:kernels that are zero or constant:UserWarning")
@parametrize_with_checks(
    [
        KernelDiscriminantAnalysis(),
        KernelDiscriminantAnalysis(kernel=Linear()),
        MKLDiscriminantAnalysis(),
        MKLDiscriminantAnalysis([RBF(), Linear()], weights=Fixed()),
        MKLRidge(),
        MKLRidge([RBF(), Linear()], solver=SILP()),
    ]
)
def test_convention(estimator, check):
    check(estimator)
