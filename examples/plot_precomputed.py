"""
Kernels of your own, inside cross-validation
============================================

Texts, sequences and graphs have no columns, but they have kernels. ``Precomputed(K)``
wraps a Gram matrix of all samples; X is then a column of row numbers, and every
splitter, search and pipeline of scikit-learn works as ever.

Here: DNA sequences, some with a motif in one of two spellings at any place. A spectrum
kernel counts the words of k letters that two sequences have in common. Which k?
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, cross_val_score

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.kernels import Precomputed
from kernelweave.plots import AlignmentDisplay, WeightsDisplay
from kernelweave.weights import Fixed, LpBall, Simplex

rng = np.random.default_rng(0)
n, length = 300, 60
y = rng.integers(2, size=n)
sequences = ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]
for i in np.flatnonzero(y):
    at, motif = rng.integers(length - 6), rng.choice(["TATAAA", "TATATA"])
    sequences[i] = sequences[i][:at] + motif + sequences[i][at + 6 :]
for label in (0, 1):
    print(label, sequences[np.flatnonzero(y == label)[0]])


def spectrum(k):
    """Gram matrix of how often the words of k letters occur, at unit length."""
    words = {"".join(word): j for j, word in enumerate(product("ACGT", repeat=k))}
    counts = np.zeros((n, len(words)))
    for i, sequence in enumerate(sequences):
        for at in range(length - k + 1):
            counts[i, words[sequence[at : at + k]]] += 1
    counts /= np.linalg.norm(counts, axis=1, keepdims=True)
    return counts @ counts.T


# %%
# Six kernels, and row numbers for X. The search tries sets of weights and strengths of
# regularisation, five folds each.
kernels = [Precomputed(spectrum(k), name=f"{k} letters") for k in range(1, 7)]
rows = np.arange(n)[:, None]
search = GridSearchCV(
    MKLDiscriminantAnalysis(kernels),
    {"weights": [Simplex(), LpBall(2), Fixed()], "alpha": [0.01, 0.1, 1, 10]},
    cv=5,
).fit(rows, y)
print("chosen:", search.best_params_)
print(f"accuracy, five folds: {search.best_score_:.3f}")

# %%
# The weights, and the accuracy of each kernel alone, by five folds. Short words are too
# common to tell much; the weight goes to words of about the length of the motif. The
# longest words alone are the best here, and the combination comes near without being
# told.
alone = [
    cross_val_score(MKLDiscriminantAnalysis([kernel]), rows, y, cv=5).mean()
    for kernel in kernels
]
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
WeightsDisplay.from_estimator(search, ax=axes[0])
bars = axes[1].barh([kernel.name for kernel in kernels], alone, color="#E69F00")
axes[1].bar_label(bars, fmt=" %.2f")
axes[1].set(xlim=(0.4, 1.05), xlabel="accuracy alone (chance: 0.5)")
axes[1].invert_yaxis()
axes[1].spines[["top", "right"]].set_visible(False)

# %%
# Neighbouring lengths are similar, as words contain words.
AlignmentDisplay.from_estimator(search, rows, y)
