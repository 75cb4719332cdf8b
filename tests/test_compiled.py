"""Functions that are compiled, with and without a place to keep them."""

import subprocess
import sys

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
