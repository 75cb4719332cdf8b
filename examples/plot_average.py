"""
When is the average enough?
===========================

The plain average of all kernels is hard to beat where every view is about as good as
the others. It has nothing to learn, so it cannot learn wrongly. What it cannot do is to
ignore a view. Here are three useful views, and more and more that are pure noise.
"""

import matplotlib.pyplot as plt
import numpy as np

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.kernels import RBF
from kernelweave.plots import WeightsDisplay
from kernelweave.weights import Fixed, LpBall, Simplex

plt.style.use("tableau-colorblind10")


def views(n, noise, rng):
    """Three views of five columns with the same signal strength, then noise views."""
    y = rng.integers(2, size=n)
    useful = rng.normal(size=(n, 3, 5))
    useful[:, :, :2] += 0.55 * (2 * y - 1)[:, None, None]
    return np.hstack([useful.reshape(n, 15), rng.normal(size=(n, 5 * noise))]), y


def kernels(count):
    return [
        RBF(
            columns=slice(5 * v, 5 * v + 5),
            name=f"useful {v + 1}" if v < 3 else f"noise {v - 2}",
        )
        for v in range(count)
    ]


# %%
# 100 samples to learn from, 900 to test, five draws of the data.
sets = {"learned, p = 1": Simplex(), "learned, p = 2": LpBall(2), "average": Fixed()}
counts = [0, 2, 4, 8, 16, 32]
scores = np.empty((len(sets), len(counts), 5))
for at, noise in enumerate(counts):
    for draw in range(5):
        rng = np.random.default_rng(draw)
        X, y = views(1000, noise, rng)
        for row, weights in enumerate(sets.values()):
            model = MKLDiscriminantAnalysis(kernels(3 + noise), weights, alpha=10)
            model.fit(X[:100], y[:100])
            scores[row, at, draw] = model.score(X[100:], y[100:])

# %%
# Without noise views the average is a little better, and sparse weights a little worse:
# they leave out what is useful. From about eight noise views on, learning pays, and the
# more so the more there are. A norm between, p = 2, is a good compromise all along.
# Bars are standard errors.
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for (label, values), marker in zip(zip(sets, scores, strict=True), "os^", strict=True):
    mean, error = values.mean(axis=1), values.std(axis=1) / np.sqrt(5)
    ax.errorbar(range(len(counts)), mean, error, marker=marker, capsize=3, label=label)
ax.set_xticks(range(len(counts)), counts)
ax.set(xlabel="noise views, beside three useful ones", ylabel="accuracy on new samples")
ax.legend()
ax.spines[["top", "right"]].set_visible(False)

# %%
# The sparse weights of one draw with 8 noise views: these get nothing, but one of the
# useful views gets little as well.
X, y = views(100, 8, np.random.default_rng(0))
WeightsDisplay.from_estimator(MKLDiscriminantAnalysis(kernels(11), alpha=10).fit(X, y))
