"""The alternation for many kernels, most of them orthogonal to the answer."""

import numpy as np
import pytest
from scipy.linalg import hadamard

from kernelweave import MKLSVC
from kernelweave.kernels import Linear
from kernelweave.weights import LpBall

# 127 orthogonal columns of ±1: for the class of one, the others have s_j = 0.
COLUMNS = hadamard(128)[:, 1:].astype(float)


@pytest.mark.parametrize(("p", "column"), [(1.5, 5), (2, 0), (4, 100)])
def test_a_hundred_orthogonal_kernels(p, column):
    y = COLUMNS[:, column]
    kernels = [Linear(columns=[j]) for j in range(127)]
    model = MKLSVC(kernels, weights=LpBall(p), C=1.0).fit(COLUMNS, y)
    solution = model.solution_
    assert solution.converged and np.all(np.isfinite(solution.weights))
    # ½‖w‖² with the one weight one: y itself is the function of least norm.
    assert solution.certificate.primal == pytest.approx(0.5, rel=1e-6)
    assert solution.certificate.dual == pytest.approx(0.5, rel=1e-6)
    assert np.argmax(model.weights_) == column
