"""Accuracy and R² of the automatic estimators beside their rivals.

Every set has at most 1000 rows and five folds; all methods see the same. What is found
is kept in benchmarks/results/accuracy, one small file a (set, method, fold), and
not computed again.

    python benchmarks/accuracy.py --run            every method on every set
    python benchmarks/accuracy.py --run svc --sets wine heart
    python benchmarks/accuracy.py                  the tables of what is there

Data come from the folder KERNELWEAVE_DATA.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from accuracy_rivals import make, methods
from accuracy_sets import CLASSES, FOLDS, NUMBERS, DataSet, load
from sklearn.metrics import accuracy_score, log_loss, r2_score

RESULTS = Path(__file__).parent / "results" / "accuracy"


def run(data: DataSet, method: str) -> None:
    """All folds of a method that are not there yet."""
    for fold, (train, test) in enumerate(data.folds()):
        file = RESULTS / data.name / f"{method}-{fold}.json"
        if file.exists():
            continue
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(method, data).fit(data.X[train], data.y[train])
        seconds = time.perf_counter() - began
        told = model.predict(data.X[test])
        measure = r2_score if data.numbers else accuracy_score
        found = {"score": float(measure(data.y[test], told)), "seconds": seconds}
        if hasattr(model, "predict_proba"):
            chances = np.clip(model.predict_proba(data.X[test]), 1e-12, None)
            chances /= chances.sum(axis=1, keepdims=True)
            found["log_loss"] = log_loss(data.y[test], chances, labels=model.classes_)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found))
        print(f"{data.name:24} {method:12} {fold} {found}", flush=True)


def known(name: str, method: str, what: str = "score") -> float:
    """The mean over the folds; NaN if one is not there."""
    files = [RESULTS / name / f"{method}-{fold}.json" for fold in range(FOLDS)]
    if not all(file.exists() for file in files):
        return np.nan
    found = [json.loads(file.read_text()).get(what, np.nan) for file in files]
    return float(np.mean(found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", nargs="*")
    parser.add_argument("--sets", nargs="+", default=[*NUMBERS, *CLASSES])
    arguments = parser.parse_args()
    if arguments.run is not None:
        for name in arguments.sets:
            data = load(name)
            for method in arguments.run or methods(data):
                run(data, method)
