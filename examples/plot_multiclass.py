"""
Several classes, with visible weights
=====================================

Three kinds of wine, and three kinds of measurement. One discriminant analysis for all
classes has one set of weights; a support vector machine may have one for each class,
which shows what tells that class from the others.
"""

# sphinx_gallery_thumbnail_number = 2
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from kernelweave import MKLSVC, MKLDiscriminantAnalysis
from kernelweave.plots import EmbeddingDisplay, WeightsDisplay
from kernelweave.views import kernels_for

data = load_wine(as_frame=True)
kinds = data.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})
views = {
    "acids": slice("alcohol", "magnesium"),
    "phenols": slice("total_phenols", "proanthocyanins"),
    "colour": ["color_intensity", "hue", "od280/od315_of_diluted_wines"],
    "proline": ["proline"],
}
X, X_test, y, y_test = train_test_split(
    data.data, kinds, test_size=0.5, stratify=kinds, random_state=0
)

# %%
# One set of weights for all classes: the sum of each view stands in its heading.
kernels = kernels_for(X, views)
model = MKLDiscriminantAnalysis(kernels).fit(X, y)
WeightsDisplay.from_estimator(model)

# %%
# The model is a transformer as well: three classes have a plane. New wines (filled) lie
# a little nearer to the borders than those that the model knows (hollow), as always.
EmbeddingDisplay.from_estimator(model, X, y, X_new=X_test, y_new=y_test)

# %%
# The same kernels in support vector machines, one class against the rest, each with its
# own weights. For Barbera they lie on phenols and colour; for the other two on acids
# and proline as well.
machine = MKLSVC(kernels, multiclass="per_class").fit(X, y)
WeightsDisplay.from_estimator(machine)

# %%
for name, fitted in (("discriminant", model), ("machines", machine)):
    print(f"{name:13} accuracy on new wines {fitted.score(X_test, y_test):.3f}")
