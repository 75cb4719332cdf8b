"""
Several labels: which part of the image tells which?
====================================================

A sample may have several labels at once. A handwritten digit (Alpaydin and Kaynak, UCI,
CC BY 4.0; it comes with scikit-learn) can have a closed loop at the top (8, 9), one at
the bottom (6, 8), or one large loop (0): an 8 has two of these labels, a 1 none. The
views are the upper and the lower half of the image, and each label learns weights of
its own.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score

from kernelweave import MKLDiscriminantAnalysis, MKLLogisticRegression
from kernelweave.kernels import RBF

X, digit = load_digits(return_X_y=True)
X, digit = X[:700], digit[:700]
loops = {"top": [8, 9], "bottom": [6, 8], "large": [0]}
y = pd.DataFrame({name: np.isin(digit, d).astype(int) for name, d in loops.items()})
train, new = np.arange(400), np.arange(400, 700)
print(y.groupby(digit).first().T)

# %%
# Two kernels, one a half. With ``weights_per_target=True`` every label has its own
# problem, each with its own proof.
kernels = [
    RBF(columns=slice(0, 32), name="upper half"),
    RBF(columns=slice(32, 64), name="lower half"),
]
model = MKLLogisticRegression(kernels, C=10.0, weights_per_target=True)
model.fit(X[train], y.iloc[train])
table = pd.DataFrame(model.weights_, index=list(loops), columns=model.kernel_names_)
print(table.round(2))
print("gaps", [f"{s.certificate.relative_gap:.0e}" for s in model.solution_])

# %%
# The same with weights that all labels share, and by discriminants, whose probabilities
# come from left-out projections.
models = {
    "logistic, own weights": model,
    "logistic, shared": MKLLogisticRegression(kernels, C=10.0),
    "discriminants, own": MKLDiscriminantAnalysis(kernels, weights_per_target=True),
    "discriminants, shared": MKLDiscriminantAnalysis(kernels),
}
for name, one in models.items():
    labels = one.fit(X[train], y.iloc[train]).predict(X[new])
    f1 = f1_score(y.iloc[new], labels, average=None)
    right = one.score(X[new], y.iloc[new])
    print(f"{name:22} F1 of the labels {f1.round(2)}, all three right {right:.0%}")

# %%
# What each half weighs for each label.
figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
left = np.zeros(len(table))
for kernel, colour in zip(table, ("#0072B2", "#E69F00"), strict=True):
    ax.barh(table.index, table[kernel], left=left, color=colour, label=kernel)
    left += table[kernel].to_numpy()
ax.set(xlabel="weight", ylabel="loop", title="weights of every label")
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
