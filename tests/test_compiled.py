"""Functions that are compiled, with and without a place to keep them."""

import subprocess
import sys

import pytest

# Neither the folder of the package nor that of the user can be written to. Numba asks
# each in turn, so an empty list says the same, also where tests run as root.
SCRIPT = """
from numba.core.caching import CacheImpl
CacheImpl._locator_classes = []
import numpy as np
from kernelweave import MKLSVC
from kernelweave.kernels import RBF, ChiSquared
from kernelweave.losses.box_steps import ascend_pairs
X = np.random.default_rng(0).random((30, 2))
y = X[:, 0] > X[:, 1]
print(MKLSVC([RBF(), ChiSquared()]).fit(X, y).score(X, y))
print(type(ascend_pairs._cache).__name__)
"""


def test_nowhere_to_keep_compiled_functions():
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    score, cache = answer.stdout.split()
    assert float(score) > 0.8
    assert cache == "NullCache"


def test_elsewhere_they_are_kept():
    from kernelweave.losses.box_steps import ascend_pairs

    assert type(ascend_pairs._cache).__name__ == "FunctionCache"


WITHOUT = """
import sys
sys.modules["numba"] = None
import numpy as np
from kernelweave import MKLSVC, MKLSVR
from kernelweave.grams.rbf_steps import add_tiles, fill_tile
from kernelweave.kernels import RBF, ChiSquared
from kernelweave.losses import box_steps, box_steps_numpy
from kernelweave.solvers import SMO
from kernelweave import MKLDiscriminantAnalysis
from kernelweave.weights import LpBall

assert box_steps.ascend_pairs is box_steps_numpy.ascend_pairs
rng = np.random.default_rng(0)
D = -10 * rng.random((9, 7))
tile = np.empty_like(D)
fill_tile(D, 0.5, tile)
assert np.allclose(tile, np.exp(0.5 * D), rtol=1e-15)
add_tiles(D, np.array([0.5, 2.0]), np.array([-1.0, 3.0]), tile)
assert np.allclose(tile, 3 * np.exp(2 * D), rtol=1e-12)
X = rng.random((40, 3))
y = X[:, 0] > X[:, 1]
kernels = [RBF(), ChiSquared()]
for model in (
    MKLSVC(kernels, tol=1e-8),
    MKLSVC(kernels, loss="squared_hinge", tol=1e-8),
    MKLSVR(kernels, tol=1e-8),
    MKLDiscriminantAnalysis(kernels, weights=LpBall(2), solver=SMO(), tol=1e-6),
):
    fitted = model.fit(X, y)
    assert fitted.solution_.certificate.relative_gap <= model.tol
    print(fitted.solution_.certificate.primal)
"""


def _values(script):
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return [float(line) for line in answer.stdout.split()]


def test_without_numba_the_optima_are_the_same():
    with_numba = WITHOUT.replace('sys.modules["numba"] = None', "").replace(
        "is box_steps_numpy", "is not box_steps_numpy"
    )
    assert _values(WITHOUT) == pytest.approx(_values(with_numba), rel=1e-6)
