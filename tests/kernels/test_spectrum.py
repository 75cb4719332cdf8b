"""Sequences in a column of text, through kernels and estimators."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from kernelweave import MKLDiscriminantAnalysis, MKLRidge, persist
from kernelweave.kernels import RBF, Linear, Overlap, Spectrum

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("ACGT"), 30)) for _ in range(40)]
Y = np.arange(40) % 2
# A motif tells the classes.
SEQUENCES = [
    w[:10] + ("GATTACA" if c else "CTTGTAA") + w[17:]
    for w, c in zip(WORDS, Y, strict=True)
]
TABLE = pd.DataFrame({"x": RNG.normal(size=40), "dna": SEQUENCES})


def by_hand(x, z, length):
    a, b = (
        Counter(s[i : i + length] for i in range(len(s) - length + 1)) for s in (x, z)
    )
    size = np.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return sum(a[part] * b[part] for part in a) / size


@pytest.mark.parametrize("length", [1, 3, 5])
def test_counts_of_substrings(length):
    kernel = Spectrum(length, columns="dna").fit(TABLE[:30])
    K = kernel(TABLE[30:], TABLE[:30])
    for i in (0, 9):
        for j in (0, 29):
            expected = by_hand(SEQUENCES[30 + i], SEQUENCES[j], length)
            assert K[i, j] == pytest.approx(expected, rel=1e-12)
    # Substrings that no training row has count between new rows, too.
    new = pd.DataFrame({"x": [0.0, 0.0], "dna": ["zzzzzza", "zzzzzzb"]})
    assert kernel(new)[0, 1] == pytest.approx(by_hand(*new["dna"], length))
    assert kernel.diagonal(new) == pytest.approx([1, 1])


def test_in_estimators(tmp_path):
    kernels = [Spectrum(4, columns="dna", name="dna: spectrum"), RBF(columns="x")]
    model = MKLDiscriminantAnalysis(kernels).fit(TABLE, Y)
    assert model.weights_[0] > 0.5
    scores = cross_val_score(MKLDiscriminantAnalysis(kernels), TABLE, Y, cv=4)
    assert scores.mean() > 0.9
    persist.save(model, tmp_path / "model.skops")
    again = persist.load(tmp_path / "model.skops")
    assert np.array_equal(
        again.decision_function(TABLE), model.decision_function(TABLE)
    )
    polars = pytest.importorskip("polars")
    same = MKLDiscriminantAnalysis(kernels).fit(polars.from_pandas(TABLE), Y)
    assert same.weights_ == pytest.approx(model.weights_)


def test_one_column_for_two_kernels():
    kernels = [Spectrum(columns="dna"), Overlap(columns=["dna"]), Linear(columns="x")]
    model = MKLRidge(kernels).fit(TABLE, Y)
    assert model.solution_.converged
    assert model.predict(TABLE[:3].assign(dna="AAAA")).shape == (3,)


def test_rows_without_a_sequence():
    some = TABLE.assign(dna=[None, *SEQUENCES[1:]])
    kernels = [Spectrum(columns="dna", name="dna"), Linear(columns="x")]
    with pytest.raises(ValueError, match="'dna': 1 of 40 rows have no text"):
        MKLRidge(kernels).fit(some, Y)
    kernels[0].set_params(missing="mean")
    model = MKLRidge(kernels).fit(some, Y)
    # The kernel tells nothing of that row: it is at the mean of the others.
    contributions = model.contributions(some[:1])[0]
    assert contributions[0] == pytest.approx(0, abs=1e-10)
    assert model.predict(some.assign(dna=None)).shape == (40,)


def test_what_is_wrong():
    with pytest.raises(ValueError, match=r"texts of one column.*hold 0 of text"):
        MKLRidge([Spectrum(columns="x", name="s")]).fit(TABLE, Y)
    with pytest.raises(ValueError, match="length must be a whole number"):
        MKLRidge([Spectrum(0, columns="dna")]).fit(TABLE, Y)
    with pytest.raises(ValueError, match="computes with numbers"):
        MKLRidge([RBF()]).fit(TABLE, Y)
    model = MKLRidge([Spectrum(columns="dna")]).fit(TABLE, Y)
    with pytest.raises(ValueError, match="pass a DataFrame"):
        model.predict(np.zeros((2, 2)))
    short = MKLRidge([Spectrum(columns="dna")]).fit(TABLE, Y).predict
    assert np.isfinite(short(TABLE[:2].assign(dna=["A", ""]))).all()
