"""
Solvers side by side
====================

All solvers are judged in the same way: by an upper and a lower bound of the optimum
that come from the problem, not from the solver. So ``tol`` means the same for all of
them, and their answers can be compared. Here are five of them, on one problem.
"""

from sklearn.datasets import load_digits
from sklearn.preprocessing import scale

from kernelweave import Problem, solve
from kernelweave.grams import LazyStack
from kernelweave.kernels import Linear, rbf_grid
from kernelweave.losses import Square, discriminant_targets
from kernelweave.plots import ConvergenceDisplay, WeightsDisplay
from kernelweave.solvers import SILP, Galerkin, Level, Newton, ReducedGradient
from kernelweave.weights import Simplex

# %%
# The problem has three parts, which are three arguments: the Gram matrices of nine RBF
# kernels and a linear one, centred and scaled; the square loss of discriminant
# analysis; and weights that add up to one.
X, y = load_digits(return_X_y=True)
X, y = scale(X[:300]), y[:300]
kernels = [
    *rbf_grid(factors=[0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 5, 10]),
    Linear(name="linear"),
]
gram = LazyStack([kernel.fit(X) for kernel in kernels], X)
problem = Problem(gram, Square(discriminant_targets(y, 10), 0.1, True), Simplex())

# %%
# Solid lines above come down to the optimum and dashed ones come up to it; below, the
# gap between the two. Newton and Galerkin, the defaults of small and large problems,
# need about ten steps or fewer. Cutting planes (SILP and the level method) and
# SimpleMKL's reduced gradient are near the optimum soon, but take dozens to hundreds of
# steps to prove it.
solvers = {
    "Newton": Newton(),
    "Galerkin": Galerkin(),
    "level method": Level(),
    "SILP": SILP(),
    "reduced gradient": ReducedGradient(),
}
solve(problem, max_iter=1)  # libraries load and compile on first use
solutions = {
    name: solve(problem, solver, tol=1e-6, max_iter=400)
    for name, solver in solvers.items()
}
ConvergenceDisplay.from_solutions(solutions, tol=1e-6)

# %%
# Where the gap is small the objectives agree, as they must:
for name, solution in solutions.items():
    certificate = solution.certificate
    print(
        f"{name:17} {solution.n_iter:4d} iterations  objective {certificate.primal:.6f}"
        f"  gap {max(certificate.relative_gap, 0):.0e}  {solution.status.name}"
    )

# %%
# What they agree on:
labels = [kernel.label for kernel in kernels]
weights = solutions["Newton"].weights
WeightsDisplay(weights, labels, solutions["Newton"].certificate.relative_gap).plot()
