"""
Regression with a kernel for each column
========================================

Diabetes after one year, from ten measurements. With one kernel a column, the learned
weights say which measurements take part, and each of them has a curve of its own: the
sum of the curves is the prediction.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

from kernelweave import MKLRidge, MKLRidgeCV
from kernelweave.kernels import RBF, Linear
from kernelweave.plots import WeightsDisplay
from kernelweave.weights import Fixed

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
names = {
    "age": "age",
    "sex": "sex",
    "bmi": "body mass index",
    "bp": "blood pressure",
    "s1": "cholesterol",
    "s2": "LDL",
    "s3": "HDL",
    "s4": "cholesterol ratio",
    "s5": "log triglycerides",
    "s6": "blood sugar",
}
X = X.rename(columns=names)

# %%
# A straight line and a smooth curve for each column; ``scale=True`` brings columns to
# the same scale by the training rows.
kernels = []
for name in X:
    kernels.append(Linear(columns=[name], name=f"{name}: line", scale=True))
    kernels.append(RBF(columns=[name], name=f"{name}: curve", factor=2, scale=True))
model = MKLRidgeCV(kernels, norms=[1]).fit(X, y)
print(f"alpha = {model.alpha_:g}, leave-one-out R² = {model.best_score_:.3f}")
WeightsDisplay.from_estimator(model)

# %%
# The weights do not say what a column is good for (``view_importance`` does): of two
# columns that tell the same, such as the kinds of cholesterol, one may get all. How
# the prediction depends on the four heaviest columns, the others at their medians:
views = np.array([name.partition(":")[0] for name in model.kernel_names_])
total = {name: model.weights_[views == name].sum() for name in X}
heaviest = sorted(total, key=total.get, reverse=True)[:4]
figure, axes = plt.subplots(1, 4, figsize=(9, 2.8), sharey=True, layout="constrained")
for ax, name in zip(axes, heaviest, strict=True):
    low, high = X[name].quantile([0.01, 0.99])
    rows = X.median().to_frame().T
    rows = rows.loc[rows.index.repeat(60)].reset_index(drop=True)
    rows[name] = np.linspace(low, high, 60)
    ax.scatter(X[name], y, s=4, color="#B5B5B5")
    ax.plot(rows[name], model.predict(rows), color="#0072B2", linewidth=2)
    ax.set_xlabel(name)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("progression")

# %%
# Is it worth it? R² of ten folds, for the learned weights, the plain average of the
# same kernels, and one kernel on all columns together. For prediction it hardly matters
# here: the differences are far smaller than their errors. What is gained is what can be
# seen.
contenders = {
    "learned weights": MKLRidge(kernels, alpha=model.alpha_),
    "plain average": MKLRidge(kernels, weights=Fixed(), alpha=model.alpha_),
    "one RBF on all": MKLRidge([RBF(factor=2, scale=True)], alpha=model.alpha_),
}
for name, contender in contenders.items():
    scores = cross_val_score(contender, X, y, cv=10)
    print(f"{name:16} {scores.mean():.3f} ± {scores.std() / np.sqrt(10):.3f}")
