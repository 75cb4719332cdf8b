"""Fits of 10 to 40 rows: do the predictions go with the projection, or against it?

    python benchmarks/small_fits.py [--seeds 10] [--first 0]

The projection f of a discriminant is fitted to targets that are positive for class 1
and negative for class 0. Thresholds and probabilities come from left-out samples, of
which few rows have few: they may say that nothing is known, not the opposite of f. One
line a set of two classes from the folder KERNELWEAVE_DATA (else those of scikit-learn),
columns standardised by the training rows, at most 300 others to test on:

opposite   fits whose log-odds fall where f rises
train      fits whose predictions contradict the sign of f on most training rows
test       the same on most test rows, 2 % of the fits at most. Where classes are
           unequal, f > 0 says that class 1 is likelier than in the mean, and the larger
           class may still be the likelier one; but few rows do not tell how much larger
half       fits whose predictions contradict f on most test rows when f is cut half-way
           between the targets of the classes, where its estimate of P(class 1) is ½
accuracy   of the predictions on the test rows, and of the sign of f
log-loss   of the probabilities on the test rows
"""

import argparse
import warnings

import numpy as np
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.datasets import load_table
from kernelweave.losses import discriminant_targets

SETS = "australian banana breast-cancer cancer flare german-numeric heart ionosphere"
SETS += " heart-cleveland liver pima sonar spambase splice thyroid titanic wdbc wpbc"
SIZES = (10, 15, 20, 30, 40)
TEST = 300


def one_fit(X, y, n, seed):
    """Opposite; against on train, test, half; accuracy, the sign's; log-loss."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))
    while len(np.unique(y[rows[:n]])) < 2:
        rows = rng.permutation(len(X))
    train, test = rows[:n], rows[n : n + TEST]
    scaler = StandardScaler().fit(X[train])
    A, B = scaler.transform(X[train]), scaler.transform(X[test])
    model = MKLDiscriminantAnalysis(tol=1e-4).fit(A, y[train])
    fitted, f = model._scores(A)[:, 0], model._scores(B)[:, 0]
    predicted = model.predict(B)
    half = np.mean(np.unique(discriminant_targets(y[train], 2)))
    return (
        np.sum((f - f.mean()) * model.decision_function(B)) < 0,
        np.mean(model.predict(A) != (fitted > 0)) > 0.5,
        np.mean(predicted != (f > 0)) > 0.5,
        np.mean(predicted != (f > half)) > 0.5,
        np.mean(predicted == y[test]),
        np.mean((f > 0) == y[test]),
        log_loss(y[test], model.predict_proba(B), labels=[0, 1]),
    )


def tables(names):
    for name in names:
        try:
            X, y = load_table(name)
        except FileNotFoundError:
            continue
        yield name, X, (y == np.unique(y)[1]).astype(int)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--sets", nargs="+", default=SETS.split())
    args = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    print(f"{'set':16} fits  opposite  train  test  half  accuracy   sign  log-loss")
    found = []
    for name, X, y in tables(args.sets):
        here = np.array(
            [
                one_fit(X, y, n, args.first + s)
                for n in SIZES
                for s in range(args.seeds)
            ],
            dtype=float,
        )
        found.append(here)
        show(name, here)
    found = np.vstack(found)
    show("all", found)
    for name, against in zip(("training", "test"), found[:, 1:3].T, strict=True):
        print(
            f"against the sign of f on most {name} rows: "
            f"{int(against.sum())} of {len(found)}, {against.mean():.1%}"
        )
    against = found[found[:, 2] > 0]
    if len(against):
        accuracy, sign = against[:, 4:6].mean(axis=0)
        print(f"in the latter, accuracy {accuracy:.3f}, that of the sign {sign:.3f}")


def show(name, found):
    opposite, train, test, half = found[:, :4].sum(axis=0).astype(int)
    accuracy, sign, loss = found[:, 4:].mean(axis=0)
    print(
        f"{name:16} {len(found):4}  {opposite:8}  {train:5}  {test:4}"
        f"  {half:4}  {accuracy:8.3f}  {sign:5.3f}  {loss:8.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
