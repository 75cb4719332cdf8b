"""
Outliers: wrong numbers in the table
====================================

The diabetes data of scikit-learn (Efron, Hastie, Johnstone and Tibshirani 2004): the
progress of the disease within a year, from ten measurements. In one training row in ten
we let the point slip: the number is ten times too large. Least squares follow such
numbers; with Huber's loss a sample pulls no harder than an error of δ would, and the
kernels' weights are learned and proved as before.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score

from kernelweave import MKLHuberRegressor, MKLQuantileRegressor, MKLRidge
from kernelweave.kernels import RBF, Linear

X, y = load_diabetes(return_X_y=True)
rng = np.random.default_rng(0)
order = rng.permutation(len(y))
train, new = order[:300], order[300:]
slipped = train[rng.random(300) < 0.1]
given = y.copy()
given[slipped] *= 10
print(f"{len(slipped)} of 300 numbers are wrong")

# %%
# Three kernels: lines and curves in the measurements of the body, and in those of the
# blood.
kernels = [
    Linear(name="all: lines"),
    RBF(columns=[0, 1, 2, 3], name="body: curves"),
    RBF(columns=[4, 5, 6, 7, 8, 9], name="blood: curves"),
]
models = {
    "least squares": MKLRidge(kernels, alpha=10.0),
    "Huber": MKLHuberRegressor(kernels, alpha=10.0),
    "median": MKLQuantileRegressor(kernels, quantile=0.5, alpha=0.1),
}
predicted = {}
for name, model in models.items():
    clean = r2_score(y[new], model.fit(X[train], y[train]).predict(X[new]))
    predicted[name] = model.fit(X[train], given[train]).predict(X[new])
    spoilt = r2_score(y[new], predicted[name])
    print(
        f"{name:14} R² of new patients {clean:5.2f}, with wrong numbers {spoilt:5.2f}"
    )

# %%
# The samples whose error is beyond δ, which is 1.35 times the spread of y, are those
# that slipped, and few others.
robust = models["Huber"]
errors = given[train] - robust.predict(X[train])
beyond = train[np.abs(errors) > robust.delta_]
hit = np.isin(slipped, beyond).mean()
print(f"δ = {robust.delta_:.0f}; {len(beyond)} beyond it, {hit:.0%} of the wrong ones")

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), sharey=True, layout="constrained")
for ax, name in zip(axes, ("least squares", "Huber"), strict=True):
    ax.scatter(predicted[name], y[new], s=8, color="#0072B2")
    ax.plot([25, 350], [25, 350], color="black", linewidth=1)
    ax.set(xlabel="predicted", title=name)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("progress of new patients")
plt.show()
