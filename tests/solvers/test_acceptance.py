"""Every λ from 1e-10 to 100 is certified, in at most 12 factorisations.

Ye et al. 2008, figures 3 and 4: their general-purpose solver failed at several of
these λ. The certificate is checked by the verifier, not taken from the solver.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Square, discriminant_targets
from kernelweave.weights import Simplex

LAMS = np.logspace(-10, 2, 30)
TOL = 1e-6


@dataclass(eq=False, repr=False)
class Counting(Square):
    """The square loss, counting its inner solves: one factorisation each."""

    def __post_init__(self):
        self.calls = 0

    def inner(self, K, start=None):
        self.calls += 1
        return super().inner(K, start)


@pytest.mark.parametrize("scale", ["trace", "variance"])
@pytest.mark.parametrize(
    "name, n", [("sonar", None), ("heart", None), ("waveform", 200), ("satimage", 200)]
)
def test_thirty_lambdas(name, n, scale):
    X, y = problems.table(name, n)
    K = problems.ten_gaussians(X, scale)
    gram, H = DenseStack(K), discriminant_targets(y, y.max() + 1)
    for lam in LAMS:
        loss = Counting(H, lam, True)
        solution = solve(Problem(gram, loss, Simplex()), tol=TOL)
        assert solution.converged, f"λ = {lam:.1e}: {solution.status}"
        verify.check(verify.Square(K, H, lam, True), solution, tol=TOL)
        assert loss.calls <= 12, f"λ = {lam:.1e}"


@pytest.mark.parametrize("lam", [1e-8, 1e-3])
@pytest.mark.parametrize("name", ["sonar", "heart"])
def test_kim(name, lam):
    X, y = problems.table(name)
    K, y = problems.ten_gaussians(X), 2.0 * y - 1
    solution = solve(Problem(DenseStack(K), FisherRatio(y, lam), Simplex()), tol=TOL)
    assert solution.converged
    verify.check(verify.Fisher(K, y, lam), solution, tol=TOL)
