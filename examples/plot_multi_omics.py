"""
Three tables of the same patients
=================================

Tumours of three subtypes were measured in three ways: messenger RNA, microRNA and
methylation. Some samples are missing from some tables, and a fourth table holds nothing
but noise. Which tables matter?

The data are made here: genes share one signal, methylation has another one of its own.
"""

# sphinx_gallery_thumbnail_number = 3
import numpy as np
import pandas as pd

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.evaluation import evaluate
from kernelweave.plots import EmbeddingDisplay, ImportanceDisplay, WeightsDisplay
from kernelweave.views import absent_counts, kernels_for, views_from_prefix

rng = np.random.default_rng(0)
n = 240
subtype = rng.choice(["basal", "her2", "luminal"], size=n)
expressed = np.select([subtype == "basal", subtype == "her2"], [1.5, -0.5], -0.5)
silenced = np.select([subtype == "her2", subtype == "luminal"], [1.0, -1.0], 0.0)


def measured(signal, columns, share, prefix):
    """A table in which a share of the columns follows the signal."""
    loadings = rng.normal(size=columns) * (rng.random(columns) < share)
    values = np.outer(signal, loadings) + 1.5 * rng.normal(size=(n, columns))
    names = [f"{prefix}_{j}" for j in range(columns)]
    return pd.DataFrame(values, columns=names)


table = pd.concat(
    [
        measured(expressed, 60, 0.3, "mrna"),
        measured(expressed, 30, 0.2, "mirna"),
        measured(silenced, 50, 0.3, "meth"),
        measured(np.zeros(n), 40, 0.0, "noise"),
    ],
    axis=1,
)
views = views_from_prefix(table)
table.loc[rng.random(n) < 0.15, views["mirna"]] = np.nan
table.loc[rng.random(n) < 0.25, views["meth"]] = np.nan

# %%
# ``views_from_prefix`` reads the views off the names of the columns, and
# ``kernels_for`` proposes kernels for each: RBF kernels of five widths and a linear
# one. With ``missing="mean"`` a view adds nothing to the similarities of samples that
# it lacks, so all patients stay in.
train, test = np.arange(n) < 160, np.arange(n) >= 160
kernels = kernels_for(table, views, missing="mean")
model = MKLDiscriminantAnalysis(kernels).fit(table[train], subtype[train])
print("absent from the training rows:", absent_counts(model, table[train]))
print(f"accuracy on new patients: {model.score(table[test], subtype[test]):.3f}")

# %%
# The weights say how the kernels are added up: expression and methylation have nearly
# all.
WeightsDisplay.from_estimator(model)

# %%
# What the tables tell is another question, which left-out patients answer. MicroRNA
# tells a little, and alone it would tell more: messenger RNA tells the same, and
# better. It has less weight than the noise, which tells nothing.
ImportanceDisplay.from_estimator(model, table[train], subtype[train])

# %%
# The patients in the plane of the two discriminants; the filled ones are new.
# Expression tells basal tumours from the others, and methylation the other two from
# each other: new patients without it lie between these.
EmbeddingDisplay.from_estimator(
    model,
    table[train],
    subtype[train],
    X_new=table[test],
    y_new=subtype[test],
)

# %%
# Is the combination better than one table alone, or than the plain average of all
# kernels? The same folds for all of them, everything learned anew in each. Here the
# average of all kernels is about as good; each table alone is not.
print(evaluate(model, table, subtype))
