"""The solvers of kernelweave; `reduced gradient` is SimpleMKL's algorithm."""

import warnings

from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge
from kernelweave.solvers import SILP, Level, Newton, ReducedGradient
from kernelweave.weights import Simplex

METHODS = {
    "Newton": Newton,
    "SILP": SILP,
    "level": Level,
    "reduced gradient": ReducedGradient,
}


class Solver(BaseSolver):
    name = "kernelweave"
    sampling_strategy = "iteration"
    # Cutting planes may need many cuts before the first better weights.
    stopping_criterion = SufficientProgressCriterion(patience=20, strategy="iteration")
    requirements = ["pip::kernelweave[fast]"]
    parameters = {"method": list(METHODS)}

    def set_objective(self, K, y, C):
        self.problem = Problem(DenseStack(K), Hinge(y[:, None], C), Simplex())

    def warm_up(self):
        # Loops are compiled at their first call.
        self.run_once()

    def run(self, n_iter):
        with warnings.catch_warnings():
            # Few iterations end above the tolerance: that is what is measured.
            warnings.simplefilter("ignore")
            solver = METHODS[self.method]()
            answer = solve(self.problem, solver, 1e-9, max_iter=n_iter + 1)
        self.theta = answer.weights

    def get_result(self):
        return {"theta": self.theta}
