"""
How sure, and how large at most: probabilities and quantiles
============================================================

Two questions that a class or a mean does not answer. How probable is it that a tumour
is benign? And which value do nine in ten patients stay below? The data are those of
scikit-learn: breast cancer (Wolberg, Street and Mangasarian, UCI, CC BY 4.0) and
diabetes (Efron et al. 2004).
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_diabetes

from kernelweave import MKLLogisticRegressionCV, MKLQuantileRegressor
from kernelweave.kernels import RBF, Linear

# %%
# Ten measurements of the nuclei, as means, as errors and at their worst: three views.
# The norm of the weights and C are chosen by what the model would say of every sample
# without it, which the last Newton step tells.
X, y = load_breast_cancer(return_X_y=True)
views = {"mean": slice(0, 10), "error": slice(10, 20), "worst": slice(20, 30)}
kernels = [
    kernel(columns=columns, name=f"{view}: {kernel.__name__.lower()}", scale=True)
    for view, columns in views.items()
    for kernel in (RBF, Linear)
]
model = MKLLogisticRegressionCV(kernels, norms=[1, 2], Cs=[0.1, 1, 10]).fit(X, y)
print(
    f"norm {model.norm_:g}, C {model.C_:g}: left-out log-loss {-model.best_score_:.3f}"
)
for name, weight in zip(model.kernel_names_, model.weights_, strict=True):
    print(f"{name:15} {weight:.2f}")

# %%
# Are the probabilities right? Of the left-out samples to which the model gives a
# probability of about 30 %, about 30 % should be benign.
p = expit(model.left_out_)
edges = np.quantile(p, np.linspace(0, 1, 9))
part = np.clip(np.searchsorted(edges, p, "right") - 1, 0, 7)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
left.plot([0, 1], [0, 1], color="0.7", linestyle="--")
left.plot(
    [p[part == k].mean() for k in range(8)],
    [y[part == k].mean() for k in range(8)],
    "o",
)
left.set(xlabel="predicted probability, left out", ylabel="share that is benign")

# %%
# The progression of diabetes after a year, by body mass index: the median, and the
# bounds that one in ten stays below, and one in ten exceeds.
X, y = load_diabetes(return_X_y=True)
bmi = X[:, [2]]
at = np.linspace(bmi.min(), bmi.max(), 100)[:, None]
right.plot(bmi[:, 0], y, ".", color="0.7", markersize=3)
for q in (0.1, 0.5, 0.9):
    curve = MKLQuantileRegressor([RBF(), Linear()], quantile=q, alpha=10.0).fit(bmi, y)
    share = np.mean(y <= curve.predict(bmi) + 1e-6)
    print(f"quantile {q}: {share:.2f} of the training samples are below")
    right.plot(at[:, 0], curve.predict(at), label=f"{q:.0%}")
right.set(xlabel="body mass index, standardised", ylabel="progression")
right.legend(title="quantile")
figure.tight_layout()
