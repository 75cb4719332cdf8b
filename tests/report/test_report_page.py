"""What stands in a report, for every kind of model."""

from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelweave import (
    MKLSVC,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.evaluation import evaluate
from kernelweave.kernels import RBF, Linear
from kernelweave.report import write_report
from kernelweave.weights import Fixed

X, y = load_iris(return_X_y=True, as_frame=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[y]
KERNELS = [
    RBF(columns=[0, 1], name="sepal: rbf"),
    Linear(columns=[0, 1], name="sepal: linear"),
    RBF(columns=[2, 3], name="petal: rbf"),
]
VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and keeps what tests ask for."""

    def __init__(self, path):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).replace("\xa0", " ").split())

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def report(tmp_path, model, X=X, y=SPECIES, **options):
    return Page(write_report(model, X, y, tmp_path / "report.html", **options))


def marks(page):
    classes = [a.get("class", "") for a in page.all("svg")]
    return [c for c in classes if c.startswith("mark c") and " k" in c]


def test_classifier_with_evaluation(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES)
    evaluation = evaluate(model, X, SPECIES, cv=3)
    page = report(
        tmp_path, model, evaluation=evaluation, title="Irises", command="make irises"
    )
    shares = model.weights_ / model.weights_.sum()
    petal = f"petal has {100 * shares[2]:.0f} % of the weight"
    assert f"From 150 samples the model learned to tell 3 classes apart: {petal}" in (
        page.text
    )
    assert evaluation.verdict in page.text
    assert f"{100 * evaluation.learned.mean:.1f} %" in page.text
    for row in evaluation.rows:
        assert row.label in page.text
    assert "Proved optimal, to 1 part in" in page.text
    assert "make irises" in page.text
    assert "MKLDiscriminantAnalysis(kernels=[RBF(" in page.text
    assert len(marks(page)) == 150
    wrong = np.sum(model.predict(X) != SPECIES)
    assert sum("wrong" in mark for mark in marks(page)) == wrong
    assert f"{150 - wrong} of 150 samples predicted rightly" in page.text


def test_weights_in_the_table(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES)
    page = report(tmp_path, model)
    for name, weight in zip(model.kernel_names_, model.weights_, strict=True):
        share = 100 * weight / model.weights_.sum()
        small = "0" if weight == 0 else "<0.0001"
        written = f"{round(weight, 4):.4g}" if weight >= 1e-4 else small
        assert f"{name} {written} {share:.1f} %" in page.text


def test_page_is_accessible_and_complete_in_itself(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES)
    page = report(tmp_path, model, evaluation=evaluate(model, X, SPECIES, cv=2))
    headings = [int(name[1]) for name, _ in page.tags if name in ("h1", "h2", "h3")]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(headings))
    assert page.all("html")[0]["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1
    pictures = [a for a in page.all("svg") if a.get("role") == "img"]
    assert len(pictures) == 4
    assert all(len(a["aria-label"]) > 20 for a in pictures)
    assert len(page.all("caption")) == len(page.all("table")) == 2
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(set(ids)) == len(ids)
    for link in page.all("a"):
        assert link["href"].startswith("#")
        assert link["href"][1:] in ids
    assert "http:" not in page.source
    assert "https:" not in page.source
    assert "url(" not in page.source


def test_text_of_users_is_escaped(tmp_path):
    evil = "</title><script>alert(1)</script> & \"'"
    model = MKLDiscriminantAnalysis(
        [RBF(columns=[0], name=f"{evil}: a"), RBF(columns=[2], name=f"{evil}$lead: b")]
    ).fit(X, np.where(y == 0, evil, "fine"))
    page = report(
        tmp_path,
        model,
        y=np.where(y == 0, evil, "fine"),
        evaluation=evaluate(model, X, np.where(y == 0, evil, "fine"), cv=2),
        title=evil,
        command=evil,
        absent={evil: 3},
    )
    assert len(page.all("script")) == 1
    assert evil in page.text
    assert "$lead" in page.text


def test_regression(tmp_path):
    table, target = load_diabetes(return_X_y=True, as_frame=True)
    model = MKLRidge([RBF(columns=["bmi"], name="a"), Linear(name="b")])
    model.fit(table, target)
    evaluation = evaluate(model, table, target, cv=3)
    page = report(tmp_path, model, table, target, evaluation=evaluation)
    assert "predict a number" in page.text
    assert f"R² = {evaluation.learned.mean:.3f}" in page.text
    assert "observed" in page.text
    assert len(marks(page)) == len(target)
    both = MKLRidge([Linear(name="b")]).fit(table, np.column_stack([target, -target]))
    page = report(tmp_path, both, table, np.column_stack([target, -target]))
    assert "The first of 2 outputs." in page.text


@pytest.mark.parametrize("multiclass", ["shared", "per_class"])
def test_support_vector_machine(tmp_path, multiclass):
    model = MKLSVC(KERNELS, multiclass=multiclass).fit(X, SPECIES)
    page = report(tmp_path, model)
    assert "lead over the next best class" in page.text
    assert ("and those of every class" in page.text) == (multiclass == "per_class")
    assert len(marks(page)) == 150
    assert "not cross-validated" in page.text


def test_two_classes(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, y == 0)
    page = report(tmp_path, model, y=y == 0)
    assert "right of zero: predicted as True" in page.text


def test_unlabelled_samples(tmp_path):
    some = np.where(np.arange(150) % 5 == 0, y, -1)
    model = LaplacianMKLSVC(KERNELS).fit(X, some)
    page = report(tmp_path, model, y=some, evaluation=evaluate(model, X, some, cv=2))
    assert "of 30 labelled samples predicted rightly" in page.text
    assert len(marks(page)) == 30
    assert page.source.count('class="mark c0 unlabelled"') == 120
    tied = LaplacianMKLSVC(KERNELS, formulation="tied").fit(X, some)
    assert "No proof of the optimum" in report(tmp_path, tied, y=some).text


def test_novelty(tmp_path):
    model = MKLOneClassSVM([RBF(columns=[0], name="a"), RBF(columns=[1], name="b")])
    page = report(tmp_path, model.fit(X), y=None)
    inside = np.sum(model.predict(X) == 1)
    assert f"{inside} of 150 samples inside" in page.text
    assert "SHA-256 of y" not in page.text


def test_given_gram_matrices(tmp_path):
    parts = X.to_numpy()[:, :2], X.to_numpy()[:, 2:]
    Ks = np.stack([part @ part.T for part in parts])
    model = MKLDiscriminantAnalysis("precomputed").fit(Ks, SPECIES)
    page = report(tmp_path, model, Ks)
    assert "2 Gram matrices of 150 × 150" in page.text
    assert "Gram matrices do not tell" in page.text
    new = report(tmp_path, model, Ks[:, :40], SPECIES[:40])
    assert "It takes the Gram matrices of the samples among themselves" in new.text


def test_one_kernel(tmp_path):
    model = KernelDiscriminantAnalysis().fit(X, SPECIES)
    page = report(tmp_path, model, evaluation=evaluate(model, X, SPECIES, cv=2))
    assert "there is one kernel" in page.text
    assert "1 of 1 kernel has weight" in page.text


def test_given_weights_and_unfinished_ones(tmp_path):
    given = MKLDiscriminantAnalysis(KERNELS, weights=Fixed()).fit(X, SPECIES)
    assert "The weights were given, not learned" in report(tmp_path, given).text
    with pytest.warns(UserWarning, match="stopped at a relative duality gap"):
        early = MKLDiscriminantAnalysis(KERNELS, max_iter=1, tol=1e-12).fit(X, SPECIES)
    page = report(tmp_path, early)
    assert "Stopped before the optimum was proved" in page.text
    assert "limit on iterations was reached" in page.text


def test_kernels_without_a_common_scale(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS, normalize=None).fit(X, SPECIES)
    assert "compare with care" in report(tmp_path, model).text


def test_hundreds_of_kernels_stay_small(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 300))
    labels = rng.permutation(np.arange(60) % 2)
    kernels = [Linear(columns=[j], name=f"view {j // 60}: {j}") for j in range(300)]
    model = MKLDiscriminantAnalysis(kernels).fit(table, labels)
    page = report(tmp_path, model, table, labels)
    assert len(page.source) < 400_000
    assert len(page.all("image")) == 1
    assert "61–120 view 1" in page.text


def test_many_samples_are_thinned(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1600, 2))
    model = MKLDiscriminantAnalysis([Linear(columns=[j]) for j in (0, 1)])
    labels = (table[:, 0] > 0).astype(int)
    model.fit(table[:200], labels[:200])
    page = report(tmp_path, model, table, labels)
    assert len(marks(page)) == 1500
    assert "1,500 of 1,600 samples are drawn" in page.text


def test_absent_samples_are_counted(tmp_path):
    table = X.to_numpy().copy()
    table[:7, 2:] = np.nan
    kernels = [
        RBF(columns=[0, 1], name="sepal: rbf"),
        RBF(columns=[2, 3], name="petal: rbf", missing="mean"),
        RBF(columns=[1, 2, 3], name="petal: all but one", missing="mean"),
        RBF(columns=[3], name="width: rbf", missing="mean"),
    ]
    model = MKLDiscriminantAnalysis(kernels).fit(table, SPECIES)
    text = report(tmp_path, model, table).text
    # A sample lacks a view if it lacks all of it.
    assert "petal 150 0 0.0 %" in text
    assert "width 143 7 4.7 %" in text


def test_absent_samples_are_told(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES)
    assert "None: every view has all 150 samples" in report(tmp_path, model).text
    page = report(tmp_path, model, absent={"petal": 9, "sepal": 0})
    assert "petal 141 9 6.0 %" in page.text
    assert "sepal 150 0 0.0 %" in page.text


def test_pipeline(tmp_path):
    pipeline = make_pipeline(StandardScaler(), MKLDiscriminantAnalysis(KERNELS))
    page = report(tmp_path, pipeline.fit(X.to_numpy(), SPECIES), X.to_numpy())
    assert "Pipeline(steps=" in page.text
    right = np.sum(pipeline.predict(X.to_numpy()) == SPECIES)
    assert f"{right} of 150 samples predicted rightly" in page.text


def test_a_class_the_model_does_not_know(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X[:100], SPECIES[:100])
    page = report(tmp_path, model)
    assert "other classes" in page.text
    assert "50 of 150" not in page.text


def test_nothing_is_written_on_an_error(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    model = MKLDiscriminantAnalysis(KERNELS)
    with pytest.raises(NotFittedError):
        write_report(model, X, SPECIES, path)
    model.fit(X, SPECIES)
    with pytest.raises(ValueError, match="X has 150 samples and y has 3"):
        write_report(model, X, SPECIES[:3], path)
    with pytest.raises(ValueError, match="needs y"):
        write_report(model, X, None, path)
    with pytest.raises(ValueError, match="no folder"):
        write_report(model, X, SPECIES, tmp_path / "none" / "report.html")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_checksum_sees_the_values_only(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X.to_numpy(), SPECIES)

    def sums(table, labels):
        words = report(tmp_path, model, table, labels).text.split()
        return [w for w in words if len(w) == 64]

    plain = sums(X.to_numpy(), SPECIES)
    assert sums(X.to_numpy(dtype=object).astype(float), pd.Series(SPECIES)) == plain
    changed = X.to_numpy().copy()
    changed[0, 0] += 1e-9
    assert sums(changed, SPECIES)[0] != plain[0]
    assert sums(changed, SPECIES)[1] == plain[1]
