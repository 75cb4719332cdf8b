"""Accuracy and R² of the automatic estimators beside their rivals.

Every set has at most 1000 rows and five folds; all methods see the same. Methods that
are near each other have four times five more: where rows are few, five folds differ by
a point between methods that are equally good. What is found is kept in
benchmarks/results/accuracy, one small file a (set, method, fold), and not computed
again.

    python benchmarks/accuracy.py --run            every method on every set
    python benchmarks/accuracy.py --run svc --sets wine heart
    python benchmarks/accuracy.py --run --jobs 16  in so many processes, of one thread
    python benchmarks/accuracy.py                  the tables of what is there
    python benchmarks/accuracy.py --write docs/accuracy.md

Data come from the folder KERNELWEAVE_DATA.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from accuracy_rivals import NUMBER_RIVALS, OURS, RIVALS, make, methods
from accuracy_sets import CLASSES, FOLDS, NOISY, NUMBERS, REPEATS, VIEWS, load
from joblib import Parallel, delayed
from sklearn.metrics import accuracy_score, log_loss, r2_score

from kernelweave.importance import view_importance

# Methods that are compared with the automatic one on more folds.
NEAR = ("average", "former")
RESULTS = Path(__file__).parent / "results" / "accuracy"


def run(name: str, method: str, fold: int) -> None:
    """One fold of a method, unless it is there."""
    file = RESULTS / name / f"{method}-{fold}.json"
    if file.exists():
        return
    data = load(name)
    train, test = data.folds()[fold]
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
        if name in NOISY and method == "automatic":
            few = {"n_subsamples": 0, "n_permutations": 0}
            views = view_importance(model, data.X[train], data.y[train], **few)
            found["noise"] = float(views["contribution"]["noise"])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found))
    print(f"{name:24} {method:12} {fold} {found}", flush=True)


def folds_of(name: str, method: str) -> int:
    """How many folds a method is to have."""
    near = name in CLASSES and method in ("automatic", *NEAR)
    return FOLDS * REPEATS if near else FOLDS


def known(name: str, method: str, what: str = "score", folds: int = FOLDS) -> float:
    """The mean over the first folds; NaN if one is not there."""
    files = [RESULTS / name / f"{method}-{fold}.json" for fold in range(folds)]
    if not all(file.exists() for file in files):
        return np.nan
    found = [json.loads(file.read_text()).get(what, np.nan) for file in files]
    return float(np.mean(found))


def table(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Scores in percent, the best of a row with a star; the means over full rows."""
    lines = [f"{'':24}" + "".join(f"{column[:9]:>10}" for column in columns)]
    rows = []
    for name in names:
        row = np.array([100 * known(name, column) for column in columns])
        if np.isnan(row[0]) or np.isnan(row[1:]).all():
            continue
        rows.append(row)
        best = np.nanmax(row)
        cells = [
            "         ." if np.isnan(x) else f"{x:9.1f}{'*' if x == best else ' '}"
            for x in row
        ]
        lines.append(f"{name:24}" + "".join(cells))
    if rows:
        everywhere = [row[~np.isnan(row)] for row in np.array(rows).T]
        means = [
            f"{x.mean():9.2f} " if len(x) == len(rows) else "         ."
            for x in everywhere
        ]
        lines.append(f"{'mean of ' + str(len(rows)):24}" + "".join(means))
    return lines


def verdict(names: Sequence[str], rivals: Sequence[str], slack: float) -> list[str]:
    """On how many sets the automatic mode is near the best rival; where it is not."""
    off = {}
    for name in names:
        own = 100 * known(name, "automatic")
        others = [100 * known(name, rival) for rival in rivals]
        if np.isfinite(own) and np.isfinite(others).any():
            off[name] = own - np.nanmax(others)
    near = [name for name, x in off.items() if x >= -slack]
    lines = [f"within {slack} of the best rival: {len(near)} of {len(off)} sets"]
    far = sorted((x, name) for name, x in off.items() if x < -slack)
    return lines + [f"    {name}: {x:+.1f}" for x, name in far]


def compare_with(
    names: Sequence[str], other: str, what: str = "score", folds: int = FOLDS
) -> list[str]:
    """The automatic mode less another method: mean, worst, and where it is behind."""
    sign = -1 if what == "log_loss" else 100
    ways = "automatic", other
    pairs = {name: [known(name, way, what, folds) for way in ways] for name in names}
    off = {n: sign * (a - b) for n, (a, b) in pairs.items() if np.isfinite(a - b)}
    if not off:
        return []
    worst = min(off, key=lambda n: off[n])
    better = np.mean([x >= 0 for x in off.values()])
    mean = np.mean(list(off.values()))
    error = np.std(list(off.values())) / np.sqrt(len(off))
    return [
        f"{what} against {other}, {len(off)} sets: {mean:+.3f} ± {error:.3f}, worst "
        f"{worst} {off[worst]:+.3f}, at least as good on {better:.0%}"
    ]


def report() -> list[str]:
    """What is known, in plain text."""
    lines = ["Accuracy, percent", ""]
    lines += [*table(CLASSES, ("automatic", *RIVALS, *OURS)), ""]
    lines += verdict(CLASSES, RIVALS, 1.5)
    for other in (*RIVALS, *OURS):
        lines += compare_with(CLASSES, other)
    lines += compare_with(CLASSES, "calibrated", "log_loss")
    lines += ["", f"{REPEATS} times {FOLDS} folds", ""]
    for other in NEAR:
        lines += compare_with(CLASSES, other, folds=FOLDS * REPEATS)
    lines += ["", "Accuracy without and with a view of 300 columns of noise, and what"]
    lines += ["that view contributes to left-out predictions, R² being 1 at best", ""]
    for name, noisy in zip(VIEWS, NOISY, strict=True):
        scores = [100 * known(each, "automatic") for each in (name, noisy)]
        if np.isfinite(scores).all():
            part = known(noisy, "automatic", "noise")
            lines.append(f"{name:24}{scores[0]:8.1f}{scores[1]:8.1f}{part:10.4f}")
    lines += ["", "R², percent", ""]
    lines += [*table(NUMBERS, ("automatic", *NUMBER_RIVALS, *OURS)), ""]
    return lines + verdict(NUMBERS, NUMBER_RIVALS, 1.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", nargs="*")
    parser.add_argument("--write", help="a page whose last block becomes the tables")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=[*NUMBERS, *CLASSES, *NOISY])
    arguments = parser.parse_args()
    if arguments.run is not None:
        work = [
            (name, method, fold)
            for name in arguments.sets
            for method in arguments.run or methods(load(name))
            for fold in range(folds_of(name, method))
        ]
        Parallel(arguments.jobs, batch_size=1)(delayed(run)(*each) for each in work)
    elif arguments.write is None:
        print("\n".join(report()))
    else:
        page = Path(arguments.write)
        head = page.read_text().partition("```text\n")[0]
        page.write_text(head + "```text\n" + "\n".join(report()) + "\n```\n")
