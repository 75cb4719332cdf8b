"""
Several feature sets of one set of images
=========================================

Handwritten digits can be described by their pixels, by averages of blocks, by Fourier
coefficients, by profiles or by a few numbers about their shape. Each set of features is
a view, with kernels of its own. Which of them does a classifier need?
"""

# sphinx_gallery_thumbnail_number = 3
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.plots import AlignmentDisplay, WeightsDisplay
from kernelweave.views import kernels_for
from kernelweave.weights import Fixed

images, digits = load_digits(return_X_y=True)
n = len(digits)
images = images.reshape(n, 8, 8) / 16
y, x = np.mgrid[:8, :8] - 3.5
mass = images.sum(axis=(1, 2))


def moment(i, j):
    """Moments of the ink about the centre of the image."""
    return (images * x**i * y**j).sum(axis=(1, 2)) / mass


sets = {
    "pixels": images.reshape(n, -1),
    "averages": images.reshape(n, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(n, -1),
    "fourier": np.abs(np.fft.rfft2(images)).reshape(n, -1),
    "profiles": np.hstack([images.sum(axis=1), images.sum(axis=2)]),
    "shape": np.stack(
        [mass, *(moment(i, j) for i in range(4) for j in range(4 - i) if i + j)], axis=1
    ),
}
table = np.hstack(list(sets.values()))
ends = np.cumsum([features.shape[1] for features in sets.values()])
views = {
    name: slice(end - sets[name].shape[1], end)
    for name, end in zip(sets, ends, strict=True)
}

# %%
# ``kernels_for`` makes six kernels for each of the five views; the features are scaled
# by the training rows. Drawn are those of the thirty that got a weight.
X, X_test, y, y_test = train_test_split(
    table, digits, train_size=400, stratify=digits, random_state=0
)
kernels = kernels_for(table, views)
model = MKLDiscriminantAnalysis(kernels, alpha=0.1).fit(X, y)
WeightsDisplay.from_estimator(model, max_bars=12)

# %%
# Each view alone, their plain average, and the learned combination. Together they are
# better than the best of them, pixels. The learned weights do as well as the average
# with eleven of the thirty kernels, and without the shape, which tells nothing new.
rows = {}
for name, columns in views.items():
    alone = MKLDiscriminantAnalysis(kernels_for(table, {name: columns}), alpha=0.1)
    rows[name] = alone.fit(X, y).score(X_test, y_test)
average = MKLDiscriminantAnalysis(kernels, weights=Fixed(), alpha=0.1).fit(X, y)
rows["plain average"] = average.score(X_test, y_test)
rows["learned"] = model.score(X_test, y_test)

figure, ax = plt.subplots(figsize=(6.4, 3), layout="constrained")
colours = ["#B5B5B5"] * len(views) + ["#56B4E9", "#0072B2"]
bars = ax.barh(list(rows), list(rows.values()), color=colours)
ax.bar_label(bars, fmt=" %.3f")
ax.set(xlim=(0.7, 1.0), xlabel="accuracy on 1397 new digits")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)

# %%
# How alike are the kernels? Bright blocks off the diagonal are views that tell the
# same: pixels and averages. The Fourier coefficients, which ignore where the ink is,
# differ most from the others. On the right, how well each kernel agrees with the
# classes.
AlignmentDisplay.from_estimator(model, X, y)
