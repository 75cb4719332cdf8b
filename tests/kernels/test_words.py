"""Words of texts, and which columns of text are sentences or sequences."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV, persist
from kernelweave.cli import main
from kernelweave.evaluation import evaluate
from kernelweave.kernels import Linear, Overlap, Spectrum, Words
from kernelweave.views import Views, kernels_for
from kernelweave.views.text_kinds import text_kind

RNG = np.random.default_rng(0)
N = 40
Y = np.arange(N) % 2
VOCABULARY = ["pain", "since", "day", "walks", "acute", "mild", "fever", "cough"]
NOTES = [
    " ".join([*RNG.choice(VOCABULARY, 6), "Tumour" if c else "healthy"]) for c in Y
]
DNA = ["".join(RNG.choice(list("ACGT"), 20)) for _ in Y]
TABLE = pd.DataFrame({"x": RNG.normal(size=N), "note": NOTES, "dna": DNA})


def test_equals_scikit_learn():
    how = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    Z = how.fit_transform(NOTES[:30])
    expected = (how.transform(NOTES[30:]) @ Z.T).toarray()
    kernel = Words(columns="note").fit(TABLE[:30])
    assert np.allclose(kernel(TABLE[30:], TABLE[:30]), expected, rtol=1e-12)
    assert np.allclose(kernel.diagonal(TABLE), 1)


def test_unknown_words_and_empty_texts():
    kernel = Words(columns="note").fit(TABLE)
    new = TABLE[:2].assign(note=["xyz zyx", "!?"])
    assert np.array_equal(kernel(new, TABLE), np.zeros((2, N)))
    assert np.array_equal(kernel.diagonal(new), [0, 0])
    with pytest.raises(ValueError, match="none of the 40 training texts has a word"):
        Words(columns="note").fit(TABLE.assign(note="--"))


def test_in_an_estimator(tmp_path):
    kernels = [
        Words("note", "words"),
        Spectrum(3, "note", "letters"),
        Linear("x", "x"),
    ]
    scores = cross_val_score(MKLDiscriminantAnalysis(kernels), TABLE, Y, cv=4)
    assert scores.mean() > 0.9
    model = MKLDiscriminantAnalysis(kernels).fit(TABLE, Y)
    persist.save(model, tmp_path / "model.skops")
    again = persist.load(tmp_path / "model.skops")
    assert np.array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))


def test_texts_that_are_missing():
    some = TABLE.assign(note=[None, *NOTES[1:]])
    with pytest.raises(ValueError, match="1 of 40 rows have no text"):
        MKLDiscriminantAnalysis([Words("note", "w"), Linear("x")]).fit(some, Y)
    for missing in ("mean", "impute"):
        kernels = kernels_for(some, missing=missing)
        words = next(k for k in kernels if isinstance(k, Words))
        assert words.missing == "mean"
        model = MKLDiscriminantAnalysis(kernels).fit(some, Y)
        assert np.isfinite(model.predict_proba(some)).all()


@pytest.mark.parametrize(
    "values, kind",
    [
        (DNA, "sequence"),
        ([s.lower() for s in DNA], "sequence"),
        (NOTES, "words"),
        (["yes", "no", "no", "yes"], "categorical"),
        # Names: short, or of both cases.
        (["Maria", "Ada", "Emmy", "Sophie"], "categorical"),
        (["Papadopoulos-A", "Featherstone-B", "Schwarzenegger"], "categorical"),
        (["P00001-A-2024-X", "P00002-A-2024-X"], "categorical"),
        # Long, but seen again.
        (["ADENOCARCINOMA", "ADENOCARCINOMA", "CHORIOCARCINOMA"] * 3, "categorical"),
        (["a b c d", "a b c d"], "categorical"),
        ([], "categorical"),
        (["GATTACAGATTACA"], "categorical"),
    ],
)
def test_kinds_of_text(values, kind):
    assert text_kind(values) == kind


def test_kernels_for_texts():
    table = TABLE.assign(
        sex=RNG.choice(["f", "m"], N), protein=[s + "KLMV" for s in DNA]
    )
    kernels = kernels_for(table, {"all": ["x", "note", "dna", "sex", "protein"]})
    labels = [kernel.label for kernel in kernels][6:]
    assert labels == [
        "all: words of note",
        "all: spectrum 3 of dna",
        "all: spectrum 5 of dna",
        "all: spectrum 2 of protein",
        "all: spectrum 3 of protein",
        "all: overlap",
    ]
    assert kernels[-1].columns == ["sex"]
    forced = kernels_for(table, {"n": ["note"]}, kinds={"n": "categorical"})
    assert [type(kernel) for kernel in forced] == [Overlap]
    said = table.assign(note=pd.Categorical(table["note"]))
    assert [type(kernel) for kernel in kernels_for(said, {"n": ["note"]})] == [Overlap]
    forced = kernels_for(table, {"n": ["sex"]}, kinds={"n": "words"})
    assert [type(kernel) for kernel in forced] == [Words]
    with pytest.raises(ValueError, match="'n' cannot be 'words': its column 'x' does"):
        kernels_for(table, {"n": ["x", "note"]}, kinds={"n": "words"})


def test_texts_in_several_tables():
    tables = {"clinic": TABLE[["x"]], "texts": TABLE[["note", "dna"]]}
    model = MKLDiscriminantAnalysisCV().fit(tables, Y)
    assert list(model.kernel_names_)[6:] == [
        "texts: words of note",
        "texts: spectrum 3 of dna",
        "texts: spectrum 5 of dna",
    ]
    assert model.score(Views(tables), Y) > 0.9


def test_one_table_with_text_needs_no_kernels():
    table = TABLE.assign(sex=RNG.choice(["f", "m"], N))
    model = MKLDiscriminantAnalysisCV().fit(table, Y)
    kernels = [kernel.label for kernel in kernels_for(table)]
    assert model.kernel_names_.tolist()[: len(kernels)] == kernels
    assert model.score(table, Y) > 0.9
    scores = cross_val_score(MKLDiscriminantAnalysisCV(), table, Y, cv=3)
    assert scores.mean() > 0.8
    found = evaluate(MKLDiscriminantAnalysisCV(), table, Y, cv=3)
    assert "learned combination" in str(found)


def test_command_line(tmp_path, capsys):
    TABLE.assign(y=np.where(Y, "ill", "well")).to_csv(tmp_path / "a.csv", index=False)
    model = str(tmp_path / "model.skops")
    assert main(["fit", str(tmp_path / "a.csv"), "--target", "y", "-o", model]) == 0
    assert "a: words of note" in capsys.readouterr().out
    # New texts are no unknown categories.
    new = TABLE[:3].assign(
        note="mild fever since the fourth day", dna="ACGTACGTACGTACG"
    )
    new.to_csv(tmp_path / "b.csv", index=False)
    new_table = f"a={tmp_path / 'b.csv'}"
    assert main(["predict", model, new_table]) == 0
    assert "no value that the model knows" not in capsys.readouterr().err
