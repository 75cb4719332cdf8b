"""
How sparse should the weights be?
=================================

The norm p of the weights decides: p = 1 selects a few kernels, a large p comes near the
plain average. No choice is always right. ``MKLDiscriminantAnalysisCV`` tries the
``norms`` that it is given, with the regularisation, by leave-one-out in closed form:
about two factorisations a point of the grid.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from kernelweave import MKLDiscriminantAnalysisCV
from kernelweave.kernels import RBF
from kernelweave.plots import PathDisplay
from kernelweave.selection import NORMS

plt.style.use("tableau-colorblind10")

# %%
# One kernel for each of the thirty columns of the breast cancer data.
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.iloc[::2]
y = y.iloc[::2]
X = X.apply(scale)
kernels = [RBF(columns=[name], name=name) for name in X]
model = MKLDiscriminantAnalysisCV(kernels, norms=NORMS).fit(X, y)
print(f"chosen: p = {model.norm_:.4g}, alpha = {model.alpha_:.4g}")

# %%
# The score and the weights along the norm, at the regularisation that was chosen. To
# the left ten columns have most of the weight; to the right all have the same, which
# costs six points of R². Up to p = 1.1 the score is flat: within one standard error of
# the best, the largest norm is taken.
PathDisplay.from_estimator(model, "norm")

# %%
# The whole grid. Norm and regularisation belong together: the sum of the weights grows
# with p, so the best alpha grows with it. The darkest blue is 0.15 below the best, or
# worse.
results = model.cv_results_
norms, alphas = (
    np.unique(results[f"param_{name}"].astype(float)) for name in ("norm", "alpha")
)
scores = np.empty((len(alphas), len(norms)))
for point, score in zip(results["params"], results["mean_test_score"], strict=True):
    scores[alphas == point["alpha"], norms == point["norm"]] = score

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
image = ax.imshow(scores, cmap="cividis", vmin=scores.max() - 0.15, aspect="auto")
ax.set_xticks(range(len(norms)), [f"{p:.3g}" for p in norms])
ax.set_yticks(range(len(alphas)), [f"{a:.3g}" for a in alphas])
ax.plot(
    np.flatnonzero(norms == model.norm_),
    np.flatnonzero(alphas == model.alpha_),
    "o",
    markersize=11,
    markerfacecolor="none",
    markeredgecolor="white",
    markeredgewidth=2,
)
ax.set(xlabel="norm p", ylabel="alpha")
figure.colorbar(image, label="leave-one-out R²")
