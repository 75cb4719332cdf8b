"""What importances cost, how often a null view seems to matter, and whether they agree.

cost       `view_importance` with its defaults in fits of the same estimator, 300 rows
           and 3 views, by processor time
null       200 views of noise, two beside a real one: the share with p ≤ 0.05; once for
           plain estimators, once for those that learn from left-out samples
order      Spearman's correlation of contribution and `removed` over multi-view sets,
           each drawn four times: differences of a few samples change the order of
           views that are missed about as much
noise      the noise example: a real view and 300 Gaussian columns

    KERNELWEAVE_DATA=... python benchmarks/importance.py [cost null order noise]

It takes about fifteen minutes on one core; `order` needs the sets of KERNELWEAVE_DATA.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
from scipy.stats import binomtest, spearmanr

from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.importance import view_importance
from kernelweave.views import kernels_for

Array = np.ndarray

PLAIN = MKLDiscriminantAnalysis, MKLRidge
LEARNING = MKLDiscriminantAnalysisCV, MKLRidgeCV


def make(n: int, noise: int, rng: np.random.Generator) -> tuple[Array, Array, dict]:
    """Two classes, a real view of 10 columns, and one of noise."""
    y = rng.permutation(np.arange(n) % 2)
    real = rng.normal(size=(n, 10)) + 0.5 * y[:, None]
    X = np.hstack([real, rng.normal(size=(n, noise))])
    views = {"real": slice(0, 10), "noise": slice(10, 10 + noise)}
    return X, y, views


def cost() -> None:
    """Ratios of processor times, in one run."""
    rng = np.random.default_rng(0)
    X, y, views = make(300, 300, rng)
    X = np.hstack([X, rng.normal(size=(300, 5)) + 0.3 * y[:, None]])
    kernels = kernels_for(X, views | {"weak": slice(310, 315)})
    for kind in (*PLAIN, *LEARNING):
        model = kind(kernels).fit(X, y)
        plain, began = 0, time.process_time()
        while plain < 5 or time.process_time() - began < 1:
            model.fit(X, y)
            plain += 1
        fit = (time.process_time() - began) / plain
        began = time.process_time()
        frame = view_importance(model, X, y)
        ratio = (time.process_time() - began) / fit
        print(
            f"cost   {kind.__name__:26} {frame.attrs['fits']} fits of 300 rows and "
            f"{len(kernels)} kernels: as long as {ratio:.0f} fits of {fit:.2f} s",
            flush=True,
        )


def null(trials: int) -> None:
    for kinds in (PLAIN, LEARNING):
        null_of(kinds, trials)


def null_of(kinds: tuple, trials: int) -> None:
    """Two views of noise, of few and of many columns, beside a real one."""
    found, rng = [], np.random.default_rng(1)
    for trial in range(trials // 2):
        n, columns = (60, 100)[trial % 2], (3, 20, 200)[trial % 3]
        X, y, views = make(n, columns + 10, rng)
        views["noise"] = slice(10, 10 + columns)
        views["more noise"] = slice(10 + columns, 20 + columns)
        target = y if trial % 4 < 2 else y + rng.normal(size=n)
        model = kinds[trial % 4 // 2](kernels_for(X, views))
        if kinds is PLAIN:
            model.set_params(alpha=(0.1, 1.0)[trial % 5 % 2])
        frame = view_importance(
            model.fit(X, target), X, target, n_subsamples=0, random_state=trial
        )
        found += frame.loc[["noise", "more noise"], "p_value"].tolist()
    wrong = int(np.sum(np.array(found) <= 0.05))
    ends = binomtest(wrong, len(found)).proportion_ci()
    print(
        f"null   {kinds[0].__name__}, {kinds[1].__name__}: {wrong} of {len(found)} "
        f"views of noise have p ≤ 0.05, {100 * wrong / len(found):.1f} %, 95 % "
        f"interval {100 * ends.low:.1f} to {100 * ends.high:.1f}",
        flush=True,
    )


def order(draws: int = 4) -> None:
    """Contribution and loss, over the views of each set; the mean of all draws."""
    folder = Path(os.environ["KERNELWEAVE_DATA"])
    means: dict[str, list[float]] = {}
    for path in [*sorted(folder.glob("views/*.npz")), *sorted(folder.glob("mfeat.*"))]:
        X, y, views = read(path)
        for kind in (MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV):
            found = []
            for draw in range(draws):
                rows = drawn(y, draw)
                model = kind(kernels_for(X[rows], views)).fit(X[rows], y[rows])
                frame = view_importance(
                    model, X[rows], y[rows], n_subsamples=0, n_permutations=0
                )
                both = frame["contribution"], frame["removed"]
                found.append(spearmanr(*both).statistic)
            means.setdefault(kind.__name__, []).append(float(np.mean(found)))
            each = " ".join(f"{rho:.2f}" for rho in found)
            print(
                f"order  {path.stem:18} {kind.__name__:26} {len(views):2} views: "
                f"{np.mean(found):5.2f} ({each})",
                flush=True,
            )
    for kind, values in means.items():
        print(f"order  mean          {kind:26} {np.mean(values):.2f}", flush=True)


def drawn(y: Array, draw: int) -> Array:
    """At most 400 rows of at most 30 classes, and of small sets nine tenths."""
    rng = np.random.default_rng(draw)
    classes = np.unique(y)
    if len(classes) > 30:
        classes = rng.permutation(classes)[:30]
    rows = rng.permutation(np.flatnonzero(np.isin(y, classes)))
    return rows[: min(400, 9 * len(rows) // 10)]


def read(path: Path):
    if path.suffix == ".npz":
        file = np.load(path, allow_pickle=False)
        names = [k for k in file.files if k != "y" and not k.startswith("test_")]
        names = [k for k in names if file[k].ndim == 2]
        ends = np.cumsum([0, *(file[k].shape[1] for k in names)])
        slices = map(slice, ends[:-1].tolist(), ends[1:].tolist())
        X = np.hstack([file[k] for k in names]).astype(float)
        return X, file["y"], dict(zip(names, slices, strict=True))
    import pandas as pd

    frame = pd.read_csv(path)
    y = frame.pop("target").to_numpy()
    views: dict[str, list[int]] = {}
    for j, name in enumerate(frame.columns):
        views.setdefault(name.partition("_")[0], []).append(j)
    return frame.to_numpy(dtype=float), y, views


def noise() -> None:
    rng = np.random.default_rng(0)
    X, y, views = make(150, 300, rng)
    model = MKLDiscriminantAnalysis(kernels_for(X, views)).fit(X, y)
    print(view_importance(model, X, y).round(3).T.to_string(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["cost", "noise", "null", "order"])
    parser.add_argument("--trials", type=int, default=200)
    options = parser.parse_args()
    for part in options.parts:
        if part == "null":
            null(options.trials)
        else:
            {"cost": cost, "order": order, "noise": noise}[part]()


if __name__ == "__main__":
    main()
