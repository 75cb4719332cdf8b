"""
Samples that are missing from some views
========================================

In practice not every sample is measured in every way. Three answers: leave incomplete
samples out; fill in medians (``missing="impute"``); or say that an absent view adds
nothing to a sample's similarity to others (``missing="mean"``). Nothing is chosen
silently: the default, ``missing="error"``, refuses gaps and names the choices.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.kernels import RBF, Linear

plt.style.use("tableau-colorblind10")

# %%
# Digits in three views: the upper half of the image, the lower half, and the spectrum.
X, y = load_digits(return_X_y=True)
X, y = X[:900] / 16, y[:900]
spectrum = np.abs(np.fft.rfft2(X.reshape(-1, 8, 8))).reshape(len(X), -1) / 8
views = {"upper": X[:, :32], "lower": X[:, 32:], "spectrum": spectrum}
table = np.hstack(list(views.values()))
ends = np.cumsum([view.shape[1] for view in views.values()])
columns = {
    name: slice(end - views[name].shape[1], end)
    for name, end in zip(views, ends, strict=True)
}


def kernels(missing):
    return [
        kind(columns=columns[view], name=f"{view}: {kind.__name__}", missing=missing)
        for view in views
        for kind in (RBF, Linear)
    ]


# %%
# What an error says:
some = table.copy()
some[:20, columns["lower"]] = np.nan
try:
    MKLDiscriminantAnalysis(kernels("error")).fit(some, y)
except ValueError as error:
    print(textwrap.fill(str(error), 72))

# %%
# Now let more and more samples lack one view, each a random one, of training and new
# rows alike; and measure the accuracy on all new rows. Complete rows alone cannot
# classify an incomplete one, so there the model of complete rows fills in means too.
shares = [0.0, 0.2, 0.4, 0.6, 0.8, 0.95]
labels = ["mean: adds nothing", "impute: medians", "complete rows only"]
rng = np.random.default_rng(0)
scores = np.empty((len(labels), 3, len(shares)))
for repeat, at in np.ndindex(3, len(shares)):
    order = rng.permutation(len(y))
    train, test = order[:300], order[300:]
    holes = table.copy()
    lacking = rng.random(len(y)) < shares[at]
    for i, view in zip(
        np.flatnonzero(lacking), rng.choice(list(views), lacking.sum()), strict=True
    ):
        holes[i, columns[view]] = np.nan
    complete = train[~lacking[train]]
    for row, (missing, rows) in enumerate(
        [("mean", train), ("impute", train), ("mean", complete)]
    ):
        model = MKLDiscriminantAnalysis(kernels(missing), alpha=0.1)
        model.fit(holes[rows], y[rows])
        scores[row, repeat, at] = model.score(holes[test], y[test])

# %%
# Leaving rows out costs most where few are complete. For these data the other two are
# close. Medians invent an average image half; ``"mean"`` invents nothing.
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for label, values, marker in zip(labels, scores, "os^", strict=True):
    ax.plot(shares, values.mean(axis=0), marker=marker, label=label)
    ax.fill_between(shares, values.min(axis=0), values.max(axis=0), alpha=0.15)
ax.set_xlabel("share of samples that lack one of three views")
ax.set_ylabel("accuracy on new samples")
ax.legend()
ax.spines[["top", "right"]].set_visible(False)
