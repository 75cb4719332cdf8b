"""Accuracy against the number of components, beside the exact kernels."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from performance.common import Columns, Row, timed
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from kernelweave import MKLDiscriminantAnalysisCV
from kernelweave.datasets import load_table
from kernelweave.kernels import RBF, Nystroem

SHARES = (0.01, 0.02, 0.05, 0.1)
SAMPLINGS = ("uniform", "kmeans", "leverage")
FACTORS = (0.25, 0.5, 1)
ALPHAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1)

TITLE = "Accuracy against the number of components"
TEXT = f"""Four fifths of the rows to learn from, the others to test; three RBF kernels
of {", ".join(map(str, FACTORS))} times the median distance. **alpha** is chosen among
{", ".join(map(str, ALPHAS))} by the training rows alone:
`MKLDiscriminantAnalysisCV(kernels, norms=[1], alphas=..., scoring="accuracy")`, which
leaves out rows one by one for exact kernels, and five folds for approximate ones.
Columns of letter are standardised. **components** are those of each kernel,
**share** is that of the training rows; 1 is the exact kernel.
**error** is ‖K − ZZᵀ‖_F/‖K‖_F on rows that are no landmarks, mean by the learned
weights. **fit** includes the choice."""
TABLE: Columns = [
    ("data", "data", ""),
    ("sampling", "landmarks", ""),
    ("n", "rows", ",d"),
    ("components", "components", ",d"),
    ("share", "share", ".2f"),
    ("alpha", "alpha", "g"),
    ("accuracy", "accuracy", ".2f"),
    ("less", "less than exact", ".2f"),
    ("error", "error", ".3f"),
    ("seconds", "fit s", ".1f"),
]


def rows(quick: bool) -> Iterator[Row]:
    for name in ("usps", "letter"):
        X, y = load_table(name)
        parts = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
        X, X_new, y, y_new = parts
        if quick:
            X, y = X[:2000], y[:2000]
        if name == "letter":
            scaler = StandardScaler().fit(X)
            X, X_new = scaler.transform(X), scaler.transform(X_new)
        yield from _of_set(name, X, y, X_new, y_new)


def _of_set(name: str, X, y, X_new, y_new) -> Iterator[Row]:
    exact = [RBF(factor=f, name=f"{f:g}×median") for f in FACTORS]
    n = len(y)

    def row(sampling: str, share: float) -> Row:
        kernels = _kernels(exact, n, sampling, share)
        model = MKLDiscriminantAnalysisCV(
            kernels, norms=[1], alphas=ALPHAS, scoring="accuracy"
        )
        seconds, _ = timed(lambda: model.fit(X, y))
        errors = getattr(model, "approximation_error_", np.zeros(len(kernels)))
        return {
            "data": name,
            "sampling": sampling,
            "n": n,
            "components": round(share * n),
            "share": share,
            "alpha": model.alpha_,
            "accuracy": 100 * model.score(X_new, y_new),
            "error": float(errors @ model.weights_ / model.weights_.sum()),
            "seconds": seconds,
            "gap": model.solution_.certificate.relative_gap,
            "weights": model.weights_.tolist(),
        }

    best = row("exact", 1.0)
    yield best | {"less": 0.0}
    for share in SHARES:
        for sampling in SAMPLINGS if share == SHARES[-1] else SAMPLINGS[:1]:
            low = row(sampling, share)
            yield low | {"less": best["accuracy"] - low["accuracy"]}


def _kernels(exact: list[Any], n: int, sampling: str, share: float) -> list[Any]:
    if sampling == "exact":
        return exact
    return [Nystroem(kernel, max(1, round(share * n)), sampling) for kernel in exact]
