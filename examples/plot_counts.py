"""
Counts: how much ink is in the half that is hidden?
===================================================

A pixel of these handwritten digits is a count: of the 4 × 4 dots of the scan below it,
so many are black. (Alpaydin and Kaynak, Optical recognition of handwritten digits, UCI,
CC BY 4.0; it comes with scikit-learn.) From the upper half of an image we predict the
number of black dots in its lower half. Counts are not negative, and the larger they are
the more they vary, which is what the likelihood of Poisson says.
"""

# sphinx_gallery_thumbnail_number = 1
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.metrics import mean_poisson_deviance

from kernelweave import MKLPoissonRegressorCV, MKLRidgeCV
from kernelweave.kernels import RBF

images = load_digits().images[:600]
X, y = images[:, :4].reshape(-1, 32), images[:, 4:].sum(axis=(1, 2))
train, new = np.arange(400), np.arange(400, 600)
print(f"black dots below: {y.min():.0f} to {y.max():.0f}, {y.mean():.0f} on average")

# %%
# Two views, the rows at the top and those next to the half that is hidden, each with a
# narrow and a wide kernel. Norm and alpha are chosen by left-out samples, which the
# last Newton step of a fit tells without a refit.
views = {"top": range(16), "middle": range(16, 32)}
kernels = [
    RBF(columns=[*columns], factor=factor, name=f"{view}: width {factor}")
    for view, columns in views.items()
    for factor in (0.5, 2.0)
]
model = MKLPoissonRegressorCV(kernels, norms=[1, 2]).fit(X[train], y[train])
print(pd.Series(model.weights_, model.kernel_names_).round(2))
print(f"relative gap {model.solution_.certificate.relative_gap:.0e}")

# %%
# D² is the share of the deviance that is explained. Least squares on the same kernels
# do about as well here, but for numbers that no count can be: they may be negative.
squares = MKLRidgeCV(kernels, norms=[1, 2]).fit(X[train], y[train])
found = {
    "Poisson": model.predict(X[new]),
    "least squares": np.maximum(squares.predict(X[new]), 1e-3),
    "the mean": np.full(len(new), y[train].mean()),
}
for name, mean in found.items():
    print(f"{name:14} mean deviance {mean_poisson_deviance(y[new], mean):.2f}")
print(f"D² of the Poisson model on new images: {model.score(X[new], y[new]):.2f}")

# %%
# Counts of new images against what was expected.
figure, ax = plt.subplots(figsize=(4.5, 4), layout="constrained")
ax.scatter(found["Poisson"], y[new], s=8, color="#0072B2")
at = np.linspace(found["Poisson"].min(), found["Poisson"].max(), 50)
ax.plot(at, at, color="black", linewidth=1)
ax.set(xlabel="expected black dots", ylabel="black dots in the hidden half")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
