"""
A report, and a model file
==========================

Two things to hand on: a report that anyone can open in a browser, without network and
without Python; and a file from which the model predicts exactly as it did.
"""

import html
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.evaluation import evaluate
from kernelweave.persist import load, metadata, save
from kernelweave.report import write_report
from kernelweave.views import kernels_for

X, y = load_wine(return_X_y=True, as_frame=True)
views = {
    "acids": slice("alcohol", "magnesium"),
    "phenols": slice("total_phenols", "proanthocyanins"),
    "colour": ["color_intensity", "hue"],
}
model = MKLDiscriminantAnalysis(kernels_for(X, views))

# %%
# What a notebook shows of a fitted model: its weights, and the proof.
model.fit(X, y)

# %%
# Single views against the combination, by cross-validation. The bars are intervals of
# 95 %; they are wide, as 178 wines are not many.
evaluation = evaluate(model, X, y)
print(evaluation)
figure, ax = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
rows = evaluation.rows
means = np.array([row.mean for row in rows])
errors = np.abs(np.array([[row.low, row.high] for row in rows]).T - means)
ax.errorbar(means, range(len(rows)), xerr=errors, fmt="o", color="#0072B2", capsize=4)
ax.set_yticks(range(len(rows)), [row.label for row in rows])
ax.set_xlabel("accuracy on left-out wines")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)

# %%
# The model file is no pickle: nothing in it runs when it is loaded, and a file that was
# changed is refused.
folder = Path(tempfile.mkdtemp())
save(model, folder / "wine.skops", target="cultivar")
again = load(folder / "wine.skops")
print("remembered:", metadata(folder / "wine.skops"))
print(
    "same probabilities:",
    np.array_equal(again.predict_proba(X), model.predict_proba(X)),
)

content = bytearray((folder / "wine.skops").read_bytes())
content[len(content) // 2] ^= 1
(folder / "changed.skops").write_bytes(content)
try:
    load(folder / "changed.skops")
except ValueError as error:
    message = str(error).replace(f"{folder}/", "")
    print(textwrap.fill(f"refused: {message}", 72))

# %%
# The report, as it looks in a browser; scroll in it. On the command line it is
# ``kernelweave report wine.skops wine.csv``.
page = write_report(model, X, y, folder / "report.html", evaluation=evaluation)


class Frame:
    """A page within this one."""

    def _repr_html_(self):
        source = html.escape(page.read_text("utf-8"))
        size = 'width="100%" height="700"'
        return f'<iframe title="the report" {size} srcdoc="{source}"></iframe>'


Frame()
