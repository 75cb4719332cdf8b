"""
What the certificate says
=========================

Every answer comes with two numbers. The *primal* value is what the learned weights
reach. The *dual* value is a bound that no weights whatever can get below. The optimum
lies between them; if they agree, the answer is the best there is, whoever computed it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from kernelweave import Problem, solve
from kernelweave.grams import LazyStack
from kernelweave.kernels import RBF
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solvers import ReducedGradient
from kernelweave.weights import Simplex

# %%
# Three kernels on wines, so that all weights that add up to one make a triangle.
X, y = load_wine(return_X_y=True)
X = scale(X)
names = ["magnesium", "phenols", "colour"]
kernels = [RBF(columns=c) for c in ([4], slice(5, 9), slice(9, 12))]
gram = LazyStack([kernel.fit(X) for kernel in kernels], X)
problem = Problem(gram, Square(discriminant_targets(y, 3), 1.0, True), Simplex())

# %%
# In words, for a rough answer and for a good one. A solver that stops early does not
# pretend: the gap says how much there may still be to gain.
rough, good = (solve(problem, ReducedGradient(), tol) for tol in (0.05, 1e-6))
for solution in (rough, good):
    c = solution.certificate
    print(
        f"These weights reach {c.primal:.6f}. No weights can get below {c.dual:.6f}.\n"
        f"So no others are better by more than {100 * c.relative_gap:.2g} % of it.\n"
    )

# %%
# The objective at 1326 weights of the triangle. None is below the bound. That was to be
# expected: the bound is a proof for all weights, a grid is just a look at some.
steps = np.arange(51) / 50
thetas = np.array([(a, b, 1 - a - b) for a in steps for b in steps if a + b < 1.001])
values = np.array([problem.at(np.maximum(theta, 0)).value for theta in thetas])
print(f"best of {len(thetas)}: {values.min():.4f}, bound: {good.certificate.dual:.4f}")

corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
above = 100 * (values / good.certificate.dual - 1)
figure, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
levels = [0, 1, 2, 5, 10, 20, 50, 100, 200]
filled = ax.tricontourf(
    *(thetas @ corners).T, above, levels, cmap="cividis_r", extend="max"
)
look = {"color": "#D55E00", "markeredgecolor": "white", "markersize": 10}
average = np.full(3, 1 / 3)
ax.plot(*(average @ corners), "^", label="average", **look)
ax.plot(*(rough.weights @ corners), "s", label="rough answer", **look)
ax.plot(*(good.weights @ corners), "o", label="good answer", **look)
sides = ("left", "right", "center")
for name, corner, up, side in zip(names, corners, (-14, -14, 6), sides, strict=True):
    ax.annotate(name, corner, (0, up), textcoords="offset points", ha=side)
ax.set_aspect("equal")
ax.set_axis_off()
ax.legend(loc="upper left", frameon=False)
figure.colorbar(filled, label="objective above the bound, in %", shrink=0.8)
