"""
Who is at risk: times to an event from several views
====================================================

Half of the patients of a study are censored: when it ended, nothing had happened to
them yet. Cox's likelihood uses them as far as they were seen. The data are simulated,
so that the answer is known: the clinical view matters, in a way that is not linear, one
of the two molecular views a little, and the other not at all.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from kernelweave import MKLCoxRegression, MKLCoxRegressionCV
from kernelweave.datasets import at_hand, load_table
from kernelweave.kernels import RBF, Linear
from kernelweave.survival import concordance_index, kaplan_meier

rng = np.random.default_rng(0)
n = 300
clinic, genes, noise = (rng.normal(size=(n, d)) for d in (3, 10, 10))
risk = 1.2 * clinic[:, 0] + clinic[:, 1] ** 2 / 2 + 0.4 * genes[:, 0]
death, end = rng.exponential(np.exp(-risk)), rng.exponential(1.0, size=n)
X = np.hstack([clinic, genes, noise])
y = pd.DataFrame({"event": death <= end, "time": np.minimum(death, end)})
print(f"{y['event'].mean():.0%} of the events were seen")

# %%
# One kernel that bends and one that does not, for each view. The weights come with a
# proof that no others have a lower value.
views = {"clinic": range(3), "genes": range(3, 13), "noise": range(13, 23)}
kernels = [
    kernel(columns=[*columns], name=f"{view}: {kernel.__name__.lower()}", scale=True)
    for view, columns in views.items()
    for kernel in (RBF, Linear)
]
train, new = np.arange(200), np.arange(200, n)
model = MKLCoxRegression(kernels, alpha=3.0).fit(X[train], y.iloc[train])
print(pd.Series(model.weights_, model.kernel_names_).round(2))
print(f"concordance on new patients: {model.score(X[new], y.iloc[new]):.2f}")

# %%
# New patients in three groups of their predicted risk: the curves of Kaplan and Meier
# use their true times, and the model has seen none of them.
predicted, lives = model.predict(X[new]), y.iloc[new]
group = np.digitize(predicted, np.quantile(predicted, [1 / 3, 2 / 3]))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True)
at = np.linspace(0, 2, 200)
for g, name in enumerate(("low", "middle", "high")):
    some = lives[group == g]
    left.step(at, kaplan_meier(some["event"], some["time"])(at), label=f"{name} risk")
left.set(xlabel="time", ylabel="share without an event", title="what happened")
left.legend()

# %%
# What the model says of single patients is a curve of its own.
for i in np.argsort(predicted)[[5, 50, 95]]:
    right.step(at, model.predict_survival_function(X[new[[i]]], at)[0])
right.set(xlabel="time", title="predicted, for three patients")
figure.tight_layout()
plt.show()

# %%
# Real patients: recurrence of breast cancer after surgery (Wolberg, Street and
# Mangasarian, Wisconsin prognostic data, UCI, CC BY 4.0), if the folder that
# KERNELWEAVE_DATA names has them as `wpbc.csv.gz`. The event is the recurrence; without
# one the time is that of the last check-up. Norm and alpha are chosen by left-out
# samples, and the concordance is that of risks without the sample.
if at_hand("wpbc"):
    table, recurrent = load_table("wpbc")
    months, rest = table[:, 0], table[:, 1:]
    parts = {"nuclei": range(30), "size and lymph nodes": range(30, rest.shape[1])}
    views = [
        RBF(columns=[*columns], name=f"{view}: rbf", scale=True)
        for view, columns in parts.items()
    ]
    lives = pd.DataFrame({"event": recurrent == 1, "time": months})
    real = MKLCoxRegressionCV(views, norms=[1, 2]).fit(rest, lives)
    index = concordance_index(lives["event"], lives["time"], real.left_out_)
    print(f"{lives['event'].sum()} recurrences in {len(lives)} patients")
    print(pd.Series(real.weights_, real.kernel_names_).round(2))
    print(f"left-out concordance {index:.2f}")
