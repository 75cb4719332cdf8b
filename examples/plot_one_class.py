"""
Novelty, seen by several kernels
================================

Often only the normal case is known. ``MKLOneClassSVM`` draws a border around it, in a
space to which every view contributes. Here it learns from benign tumours alone, and
must notice malignant ones, which it never saw.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from kernelweave import MKLOneClassSVM
from kernelweave.kernels import RBF
from kernelweave.weights import LpBall

plt.style.use("tableau-colorblind10")

# %%
# Each cell nucleus has ten measurements; the views are their means, their standard
# errors and their largest values.
X, y = load_breast_cancer(return_X_y=True)
benign, held_out = train_test_split(X[y == 1], test_size=0.5, random_state=0)
new = np.vstack([held_out, X[y == 0]])
is_novel = np.r_[np.zeros(len(held_out)), np.ones(np.sum(y == 0))]
views = {"mean": slice(0, 10), "error": slice(10, 20), "largest": slice(20, 30)}
kernels = [
    RBF(columns=columns, name=name, scale=True) for name, columns in views.items()
]
model = MKLOneClassSVM(kernels, weights=LpBall(2), nu=0.05).fit(benign)
alone = {
    kernel.name: MKLOneClassSVM([kernel], nu=0.05).fit(benign) for kernel in kernels
}

# %%
# Without labels the weights cannot know which view is useful. They go to views in which
# the normal samples are close together; ``LpBall(2)`` keeps all of them in play.
for name, weight in zip(model.kernel_names_, model.weights_, strict=True):
    print(f"{name:8} weight {weight:.3f}")

# %%
# Left, what the model says of benign samples that it did not see, and of malignant
# ones. ν = 0.05 bounds the share outside among the training samples; of new benign ones
# a tenth are called novel. Right, the area under the ROC curve, which needs no border:
# the combination is just behind the best view alone, which no one could name without
# labels.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
scores = model.decision_function(new)
bins = np.linspace(scores.min(), scores.max(), 40)
for label, mask, hatch in (
    ("benign", is_novel == 0, None),
    ("malignant", is_novel == 1, "//"),
):
    axes[0].hist(scores[mask], bins, alpha=0.6, label=label, hatch=hatch)
    print(f"{label:9} called novel: {np.mean(scores[mask] < 0):.3f}")
axes[0].axvline(0, color="black", linewidth=1)
axes[0].set(xlabel="novel  ←  decision function  →  normal", ylabel="samples")
axes[0].legend()
areas = {
    name: roc_auc_score(is_novel, -fitted.score_samples(new))
    for name, fitted in {**alone, "all three": model}.items()
}
bars = axes[1].barh(
    list(areas), list(areas.values()), color=["#B5B5B5"] * 3 + ["#0072B2"]
)
axes[1].bar_label(bars, fmt=" %.3f")
axes[1].set(xlim=(0.5, 1.08), xlabel="area under the ROC curve")
axes[1].invert_yaxis()
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
