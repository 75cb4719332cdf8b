"""
Which data matter, for which samples, and which columns
=======================================================

The weight of a view says how the kernels are added up, not what the view is good for.
Three groups of measurements of wine and a view of 100 columns of noise show what does.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.importance import feature_importance, per_sample, view_importance
from kernelweave.plots import (
    FeatureImportanceDisplay,
    ImportanceDisplay,
    PerSampleDisplay,
)
from kernelweave.views import kernels_for
from kernelweave.weights import LpBall

X, y = load_wine(return_X_y=True, as_frame=True)
grower = y.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
noise = np.random.default_rng(0).normal(size=(len(X), 100))
noise = pd.DataFrame(noise, X.index).add_prefix("noise ")
table = pd.concat([X, noise], axis=1)
views = {
    "acids": slice("alcohol", "magnesium"),
    "phenols": slice("total_phenols", "proanthocyanins"),
    "colour": ["color_intensity", "hue"],
    "noise": list(noise.columns),
}
model = MKLDiscriminantAnalysis(kernels_for(table, views), weights=LpBall(2))
model.fit(table, grower)

# %%
# By view
# -------
# The contribution of a view is its part of the predictions of wines that were left out.
# Grey is what it would be if the rows of the view were shuffled, and the lines are how
# far it varies between halves of the wines. The noise has a weight, and contributes
# nothing.
importance = view_importance(model, table, grower, n_jobs=2)
print(importance[["weight", "contribution", "removed", "p_value"]].round(3))
ImportanceDisplay(importance).plot()

# %%
# By sample
# ---------
# What each view says of each wine when that wine is left out. Blue speaks for the true
# grower, red against; the wines at the right of every class are those to look at.
says = per_sample(model, table, grower)
display = PerSampleDisplay(says, grower).plot()

# %%
# The wine with the least support for its grower, and which view misled:
own = says.T.groupby(level="class", sort=False).sum().T
least = min(own.index, key=lambda wine: own.loc[wine, grower[wine]])
print("wine", least, "by", grower[least])
display.plot(sample=least)

# %%
# By column
# ---------
# What the accuracy on left-out wines loses if a column of a view is shuffled, and which
# grower gains as the column rises.
columns = feature_importance(model, table, grower, view="phenols")
print(columns[["lost", "lost_low", "lost_high"]].round(3))
FeatureImportanceDisplay(columns).plot()
