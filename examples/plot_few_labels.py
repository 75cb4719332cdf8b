"""
A few labels, and many rows without
===================================

Labels are dear, rows are cheap. ``LaplacianMKLSVC`` takes both: labels are ``-1`` where
they are not known, and a graph of neighbours among all rows asks the answer to change
little between neighbours. It learns the weights of the kernels from the few labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_moons

from kernelweave import MKLSVC, LaplacianMKLSVC

plt.style.use("tableau-colorblind10")

X, y = make_moons(300, noise=0.08, random_state=0)
rng = np.random.default_rng(0)
labelled = np.concatenate(
    [rng.choice(np.flatnonzero(y == c), 4, replace=False) for c in (0, 1)]
)
some = np.full(len(y), -1)
some[labelled] = y[labelled]

models = {
    "8 labelled rows alone": MKLSVC(C=10).fit(X[labelled], y[labelled]),
    "and 292 rows without labels": LaplacianMKLSVC().fit(X, some),
}

# %%
# The same five RBF kernels and a linear one for both. Without the unlabelled rows the
# boundary runs halfway between the labels; with them it follows the gap between the
# moons.
figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-1.5, 2.5, 150), np.linspace(-1, 1.5, 120)))
points = grid.reshape(2, -1).T
for ax, (title, model) in zip(axes, models.items(), strict=True):
    f = model.decision_function(points).reshape(grid.shape[1:])
    ax.contourf(
        *grid, f > 0, levels=[-1, 0.5, 2], colors=["#56B4E9", "#E69F00"], alpha=0.3
    )
    ax.contour(*grid, f, levels=[0], colors="black", linewidths=1)
    ax.scatter(*X.T, s=6, color="gray")
    for c, (ink, marker) in enumerate([("#0072B2", "o"), ("#D55E00", "s")]):
        rows = labelled[y[labelled] == c]
        ax.scatter(*X[rows].T, s=60, color=ink, marker=marker, edgecolors="black")
    ax.set_title(f"{title}\naccuracy {np.mean(model.predict(X) == y):.2f}", fontsize=10)
    ax.set(xticks=[], yticks=[])

# %%
# The same with digits of ten kinds, and more and more labels. The graph helps most
# where labels are fewest; with sixteen of each digit it rather costs a little. Bands
# span three choices of the labelled rows.
X, y = load_digits(return_X_y=True)
X, y = X[:400] / 16, y[:400]
counts = [1, 2, 4, 8, 16]
scores = np.empty((2, 3, len(counts)))
for repeat, at in np.ndindex(3, len(counts)):
    order = np.random.default_rng(repeat).permutation(len(y))
    known = np.concatenate([order[y[order] == c][: counts[at]] for c in range(10)])
    unknown = np.setdiff1d(order, known)
    some = np.full(len(y), -1)
    some[known] = y[known]
    spread = LaplacianMKLSVC().fit(X, some).transduction_
    scores[0, repeat, at] = np.mean(spread[unknown] == y[unknown])
    alone = MKLSVC(C=10, loss="squared_hinge").fit(X[known], y[known])
    scores[1, repeat, at] = alone.score(X[unknown], y[unknown])

figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for label, values, marker in zip(
    ["with unlabelled rows", "labelled rows alone"], scores, "os", strict=True
):
    ax.plot(counts, values.mean(axis=0), marker=marker, label=label)
    ax.fill_between(counts, values.min(axis=0), values.max(axis=0), alpha=0.15)
ax.set_xscale("log", base=2)
ax.set_xticks(counts, counts)
ax.set(xlabel="labels of each digit", ylabel="accuracy on unlabelled rows")
ax.legend()
ax.spines[["top", "right"]].set_visible(False)
