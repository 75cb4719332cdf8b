"""What the estimators answer today, written down, to compare with after a change.

    python tests/pinned.py write answers.npz
    python tests/pinned.py check answers.npz        # differences beyond 1e-10

Every estimator × kind of input × normalize × center: weights, predictions of new rows,
and both bounds. For changes that must change nothing, on one machine: rounding differs
between machines by more than this.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_regressor

from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    MKLSVRCV,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import RBF, Laplacian, Linear, Nystroem, Overlap, Precomputed
from kernelweave.streamed import fit_chunks

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 4))
F = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * RNG.normal(size=90)
TWO, THREE = (F > 0).astype(int), np.digitize(F, [-0.7, 0.7])
TRAIN, NEW = np.arange(60), np.arange(60, 90)
MANY = RNG.normal(size=(1300, 4))
MANY_F = np.sin(2 * MANY[:, 0]) + MANY[:, 1]
GRID = {"norms": [1, 2], "alphas": [0.1, 1]}
SMALL = {"vs": [0, 1], "Cs": [1, 10], "cv": 3}
MODELS = {
    "da": MKLDiscriminantAnalysis(),
    "da learn": MKLDiscriminantAnalysis(alpha="learn"),
    "da within": MKLDiscriminantAnalysis(scatter="within"),
    "da sdp": MKLDiscriminantAnalysis(multiclass_sdp="approximate"),
    "da cv": MKLDiscriminantAnalysisCV(**GRID),
    "da cv accuracy": MKLDiscriminantAnalysisCV(**GRID, scoring="accuracy"),
    "da folds": MKLDiscriminantAnalysisCV(**GRID, cv=3),
    "kda": KernelDiscriminantAnalysis(),
    "ridge": MKLRidge(),
    "ridge cv": MKLRidgeCV(**GRID),
    "svc": MKLSVC(),
    "svc per class": MKLSVC(multiclass="per_class", class_weight="balanced"),
    "svc squared": MKLSVC(loss="squared_hinge"),
    "svc cv": MKLSVCCV(**SMALL),
    "svr": MKLSVR(),
    "svr cv": MKLSVRCV(**SMALL),
    "one class": MKLOneClassSVM(),
    "laplacian": LaplacianMKLSVC(),
    "laplacian tied": LaplacianMKLSVC(formulation="tied"),
}
HOST_ONLY = ("da cv", "da cv accuracy", "da folds", "ridge cv", "svc", "svc per class")
HOST_ONLY += ("svc cv", "svr", "svr cv", "one class", "laplacian", "laplacian tied")
FEATURED = ("da", "da cv", "da cv accuracy", "ridge", "ridge cv", "svc squared")


def kernels():
    return [RBF(columns=[0, 1], name="a: rbf"), Linear(name="b: linear")]


def frame(rows):
    table = pd.DataFrame(X, columns=list("abcd"))
    table["e"] = np.where(X[:, 2] > 0, "u", "v")
    table.loc[::7, ["a", "b"]] = np.nan
    return table.iloc[rows]


def framed():
    return [
        RBF(columns=["a", "b"], name="a: rbf", scale=True, missing="mean"),
        Laplacian(columns=["c", "d"], name="b: laplacian"),
        Overlap(columns=["e"], name="c: overlap"),
    ]


def inputs(name, folder):
    """Kind, kernels, training input, new input, and the model's fit."""
    own = X[TRAIN], X[NEW]
    plain = lambda model, X, y: model.fit(X, y)  # noqa: E731
    yield "array", kernels(), *own, plain
    yield "frame", framed(), frame(TRAIN), frame(NEW), plain
    yield "csr", kernels(), *map(csr_matrix, own), plain
    K = np.stack([k.fit(own[0])(X, own[0]) for k in kernels()])
    yield "grams", "precomputed", K[:, TRAIN], K[:, NEW], plain
    whole = [Precomputed(k.fit(X)(X)) for k in kernels()]
    yield "numbered", whole, TRAIN[:, None], NEW[:, None], plain
    if name not in HOST_ONLY:
        import array_api_strict as strict

        yield "strict", kernels(), *map(strict.asarray, own), plain
    if name in FEATURED:
        features = [Nystroem(RBF(), n_components=20, name="a"), Linear(name="b")]
        yield "features", features, MANY[:1200], MANY[1200:], plain
        yield "chunks", features, MANY[:1200], MANY[1200:], _chunked
        np.save(folder / "X.npy", MANY)
        X_file = np.load(folder / "X.npy", mmap_mode="r")
        yield "memory map", features, X_file[:1200], X_file[1200:], plain
        import dask.array as da

        X_dask = da.from_array(MANY, chunks=(300, 4))
        yield "dask", features, X_dask[:1200], X_dask[1200:], _dask


def _chunked(model, X, y):
    parts = [(X[i : i + 400], y[i : i + 400]) for i in range(0, len(X), 400)]
    return fit_chunks(model, lambda: iter(parts))


def _dask(model, X, y):
    import dask.array as da

    return model.fit(X, da.from_array(y, chunks=300))


def target(name, kind):
    many = kind in ("features", "chunks", "memory map", "dask")
    values = MANY_F[:1200] if many else F[TRAIN]
    if is_regressor(MODELS[name]):
        return values
    y = (values > 0).astype(int)
    if "within" not in name:
        y = np.digitize(values, [-0.7, 0.7])
    return np.where(np.arange(len(y)) % 3, y, -1) if "laplacian" in name else y


def answers(report=lambda text: None):
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            for kind, chosen, train, new, fit in inputs(name, Path(folder)):
                model = MODELS[name]
                for normalize, center in product(
                    ["variance", "trace", "spherical", None], [True, False]
                ):
                    key = f"{name} | {kind} | {normalize} | {center}"
                    found |= _answer(key, model, kind, chosen, train, new, fit)
            report(f"{name}: {len(found)} numbers so far")
    return found


def _answer(key, model, kind, chosen, train, new, fit):
    name, _, normalize, center = key.split(" | ")
    model = clone(model)
    parameters = model.get_params(deep=False)
    if "kernels" in parameters:
        model.set_params(kernels=chosen)
    elif chosen == "precomputed":
        model.set_params(kernel=chosen)
        train, new = train[0], new[0]
    else:
        model.set_params(kernel=chosen[0])
    normalize = None if normalize == "None" else normalize
    if "center" in parameters:
        model.set_params(center=center == "True")
    model.set_params(normalize=normalize)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit(model, train, target(name, kind))
            says = model.predict if is_regressor(model) else model.decision_function
            f = np.asarray(says(new), dtype=float)
        except (ValueError, TypeError) as error:
            return {f"{key} | refused": np.array(str(error)[:60])}
    out = {f"{key} | f": f, f"{key} | weights": np.asarray(model.weights_)}
    solutions = np.ravel(np.array([model.solution_], dtype=object))
    bounds = [s.certificate for s in solutions if s.certificate is not None]
    pairs = [(c.primal, c.dual) for c in bounds]
    return out | {f"{key} | bounds": np.array(pairs)}


def differences(old, new, tol=1e-10):
    """Lines that say what is not the same."""
    for key in sorted(set(old) | set(new)):
        if key not in old or key not in new:
            yield f"{key}: only {'before' if key in old else 'after'}"
        elif old[key].dtype.kind == "U":
            if str(old[key]) != str(new[key]):
                yield f"{key}: {old[key]} -> {new[key]}"
        else:
            size = np.max(np.abs(old[key]), initial=1e-300)
            off = np.max(np.abs(old[key] - new[key]), initial=0) / size
            if not off <= tol:
                yield f"{key}: off by {off:.1e}"


def main():
    what, file = sys.argv[1:]
    found = answers(lambda text: print(text, file=sys.stderr))
    if what == "write":
        np.savez_compressed(file, **{k: np.asarray(v) for k, v in found.items()})
        return 0
    lines = list(differences(dict(np.load(file)), found))
    print(*lines[:200], f"{len(found)} numbers, {len(lines)} differ", sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    raise SystemExit(main())
