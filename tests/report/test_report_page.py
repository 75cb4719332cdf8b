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
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.evaluation import evaluate
from kernelweave.importance import view_importance
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
    """A report whose importances, unless it is about them, cost little."""
    if options.pop("quick", True) and "importance" not in options:
        try:
            few = {"n_subsamples": 0, "n_permutations": 0}
            options["importance"] = view_importance(model, X, y, **few)
        except ValueError:
            pass  # estimators without importances
    return Page(write_report(model, X, y, tmp_path / "report.html", **options))


def between(page, start, end):
    """What stands between two headings; their names are in the contents as well."""
    return page.text.rpartition(start)[2].partition(end)[0]


def marks(page):
    classes = [a.get("class", "") for a in page.all("svg")]
    return [c for c in classes if c.startswith("mark c") and " k" in c]


def test_classifier_with_evaluation(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES)
    evaluation = evaluate(model, X, SPECIES, cv=3)
    page = report(
        tmp_path, model, evaluation=evaluation, title="Irises", command="make irises"
    )
    said = "From 150 samples and 2 views with 3 kernels the model learned to tell 3"
    assert f"{said} classes apart." in page.text
    assert evaluation.verdict in page.text
    assert f"{100 * evaluation.learned.mean:.1f} %" in page.text
    assert "chance has 33.3 %" in page.text
    for row in evaluation.rows:
        assert row.label in page.text
    assert "Proved optimal, to 1 part in" in page.text
    assert "make irises" in page.text
    assert "MKLDiscriminantAnalysis(kernels=[RBF(" in page.text
    assert len(marks(page)) == 150
    # Hollow marks and the list are of left-out samples, not of the training fit.
    wrong = np.sum(evaluation.left_out.answer() != SPECIES)
    assert wrong > 0
    assert sum("wrong" in mark for mark in marks(page)) == wrong
    assert f"{wrong} of 150 samples" in page.text
    for name, counts in evaluation.confusion().iterrows():
        assert f"{name} {' '.join(f'{c:.0f}' for c in counts)}" in page.text


def test_answers_come_in_the_order_of_the_questions(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES)
    page = report(tmp_path, model)
    ids = [a["id"] for name, a in page.tags if name == "section"]
    assert ids == ["worth", "views", "errors", "samples", "made", "glossary"]
    assert " worth " not in between(page, "Is it worth it?", "Glossary")


def test_noise_is_last_and_its_weight_is_called_a_weight(tmp_path):
    rng = np.random.default_rng(0)
    table = np.hstack([X, rng.normal(size=(150, 300))])
    kernels = [KERNELS[2], RBF(columns=slice(4, None), name="noise: rbf")]
    model = MKLDiscriminantAnalysis(kernels).fit(table, SPECIES)
    importance = view_importance(model, table, SPECIES, n_subsamples=4)
    page = report(tmp_path, model, table, importance=importance)
    views = between(page, "matter, and how sure", "How it errs")
    assert views.index("petal 0.") < views.index("noise 0.00")
    assert "noise is not told from views whose rows are permuted" in views
    assert abs(importance.loc["noise", "contribution"]) < 0.01
    ends = importance.loc["noise", ["null_low", "null_high"]]
    assert ends.iloc[0] <= importance.loc["noise", "contribution"] <= ends.iloc[1]
    assert "−0.00" not in page.text


def test_importances_are_measured_by_default(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS[1:]).fit(X[::3], SPECIES[::3])
    page = report(tmp_path, model, X[::3], SPECIES[::3], quick=False)
    assert "p is from 39 permutations" in page.text
    assert "20 halves" in page.text


def test_the_average_is_called_so(tmp_path):
    model = MKLDiscriminantAnalysisCV(KERNELS, norms=[np.inf], alphas=[1])
    page = report(tmp_path, model.fit(X, SPECIES))
    assert "The plain average was chosen" in page.text


def test_misled_views_and_large_errors(tmp_path):
    flipped = SPECIES.copy()
    flipped[0] = "virginica"
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, flipped)
    evaluation = evaluate(model, X, flipped, cv=3)
    page = report(tmp_path, model, X, flipped, evaluation=evaluation)
    samples = between(page, "Which samples to look at", "How it was made")
    # The mislabelled flower is found, and the petals say so.
    assert "1 virginica setosa" in samples
    assert "petal" in samples.partition("1 virginica setosa")[2][:30]


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
    # The comparison, the importances, reliability, the plane, the heat map.
    assert len(pictures) == 5
    assert all(len(a["aria-label"]) > 20 for a in pictures)
    assert len(page.all("caption")) == len(page.all("table")) >= 5
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
    table, target = table[:150], target[:150]
    model = MKLRidge([RBF(columns=["bmi"], name="a"), Linear(name="b")])
    model.fit(table, target)
    evaluation = evaluate(model, table, target, cv=3)
    page = report(tmp_path, model, table, target, evaluation=evaluation)
    assert "predict a number" in page.text
    assert f"an R² of {evaluation.learned.mean:.3f}" in page.text
    assert "Mean absolute error" in page.text
    assert len(marks(page)) == len(target)
    # The points are left-out predictions, with the R² of cross-validation.
    assert f"R² is {evaluation.learned.mean:.2f}" in page.text
    assert "The 15 largest errors of left-out samples" in page.text
    # Without a cross-validation every sample is left out by the formula.
    page = report(tmp_path, model, table, target)
    assert len(marks(page)) == len(target)
    both = MKLRidge([Linear(name="b")]).fit(table, np.column_stack([target, -target]))
    page = report(tmp_path, both, table, np.column_stack([target, -target]))
    assert "The first of 2 outputs." in page.text


@pytest.mark.parametrize("multiclass", ["shared", "per_class"])
def test_support_vector_machine(tmp_path, multiclass):
    model = MKLSVC(KERNELS, multiclass=multiclass).fit(X, SPECIES)
    evaluation = evaluate(model, X, SPECIES, cv=2)
    page = report(tmp_path, model, evaluation=evaluation)
    assert "lead of the true class over the next best" in page.text
    assert ("and those of every class" in page.text) == (multiclass == "per_class")
    assert len(marks(page)) == 150
    page = report(tmp_path, model)
    assert "not cross-validated" in page.text
    assert marks(page) == []


def test_two_classes(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, y == 0)
    page = report(tmp_path, model, y=y == 0, evaluation=evaluate(model, X, y == 0))
    assert "probability of True" in page.text
    # One class has half as many samples.
    assert "a balanced accuracy of" in page.text


def test_unlabelled_samples(tmp_path):
    some = np.where(np.arange(150) % 5 == 0, y, -1)
    model = LaplacianMKLSVC(KERNELS).fit(X, some)
    page = report(tmp_path, model, y=some, evaluation=evaluate(model, X, some, cv=2))
    # Only samples with a label can be right.
    assert "of 30 samples rightly" in page.text
    assert len(marks(page)) == 30
    assert "targets that LaplacianMKLSVC lacks" in page.text
    tied = LaplacianMKLSVC(KERNELS, formulation="tied").fit(X, some)
    assert "No proof of the optimum" in report(tmp_path, tied, y=some).text


def test_novelty(tmp_path):
    model = MKLOneClassSVM([RBF(columns=[0], name="a"), RBF(columns=[1], name="b")])
    page = report(tmp_path, model.fit(X), y=None)
    inside = np.sum(model.predict(X) == 1)
    assert f"{inside} of 150 are inside" in page.text
    assert marks(page) == []
    assert "SHA-256 of y" not in page.text


def test_given_gram_matrices(tmp_path):
    parts = X.to_numpy()[:, :2], X.to_numpy()[:, 2:]
    Ks = np.stack([part @ part.T for part in parts])
    model = MKLDiscriminantAnalysis("precomputed").fit(Ks, SPECIES)
    page = report(tmp_path, model, Ks)
    assert "2 Gram matrices of 150 × 150" in page.text
    assert "Gram matrices do not tell" in page.text
    new = report(tmp_path, model, Ks[:, :40], SPECIES[:40])
    assert "They need the samples that the model was fitted to" in new.text


def test_one_kernel(tmp_path):
    model = KernelDiscriminantAnalysis().fit(X, SPECIES)
    page = report(tmp_path, model, evaluation=evaluate(model, X, SPECIES, cv=2))
    assert "From 150 samples and 1 kernel the model learned" in page.text
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
    evaluation = evaluate(model, table, labels, cv=2)
    page = report(tmp_path, model, table, labels, evaluation=evaluation)
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
    assert "petal" in between(page, "matter, and how sure", "How it errs")
    assert len(marks(page)) == 150


def test_a_class_the_model_does_not_know(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X[:100], SPECIES[:100])
    page = report(tmp_path, model, evaluation=evaluate(model, X, SPECIES, cv=2))
    assert "Scores and pictures are of 150 samples, not of these" in page.text
    assert "virginica" in between(page, "How it errs", "Which samples to look at")


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


def test_weights_learned_by_prediction_are_not_called_the_average(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(120, 12))
    target = table[:, 0] + 0.1 * rng.normal(size=120)
    kernels = [
        Linear(columns=[0], name="told"),
        RBF(columns=slice(1, 12), name="noise", factor=0.3),
    ]
    model = MKLRidgeCV(kernels).fit(table, target)
    assert model.descent_.accepted
    page = report(tmp_path, model, table, target)
    assert "plain average was chosen" not in page.text
    assert "the plain average, chosen" not in page.text
    assert "learned from left-out samples" in page.text


def test_what_is_not_missed_is_said(tmp_path):
    """Two copies of a view contribute alike, and neither is missed."""
    table = np.hstack([X, X.to_numpy()[:, 2:]])
    kernels = [
        RBF(columns=[2, 3], name="petal: rbf"),
        RBF(columns=[4, 5], name="again: rbf"),
    ]
    model = MKLDiscriminantAnalysis(kernels, Fixed([0.5, 0.5]), alpha=0.01)
    model.fit(table, SPECIES)
    page = report(
        tmp_path,
        model,
        table,
        importance=view_importance(
            model, table, SPECIES, n_permutations=39, n_subsamples=2
        ),
    )
    said = "learned again without any one of them, the model is not surely worse"
    assert said in page.text
    assert "to" in between(page, "Lost if removed", "How it errs")


def test_copies_are_told_where_the_scores_are(tmp_path):
    copies, species = np.repeat(X[::5], 3, axis=0), np.repeat(SPECIES[::5], 3)
    model = MKLDiscriminantAnalysis(KERNELS).fit(copies, species)
    with pytest.warns(UserWarning, match="equal to rows"):
        evaluation = evaluate(model, copies, species, cv=3)
        page = report(tmp_path, model, copies, species, evaluation=evaluation)
    worth = between(page, "Is it worth it?", "Which data matter")
    assert "The scores cannot be trusted" in worth
    assert "cannot be trusted, for the reason below" in page.text
    honest = evaluate(model, X, SPECIES, cv=3)
    page = report(tmp_path, model.fit(X, SPECIES), evaluation=honest)
    assert "cannot be trusted" not in page.text


def test_what_was_learned_for_prediction_is_no_green_proof(tmp_path):
    model = MKLDiscriminantAnalysisCV(KERNELS).fit(X, SPECIES)
    page = report(tmp_path, model)
    boxes = [a["class"] for a in page.all("div") if "box" in a.get("class", "")]
    assert boxes == ["box plain"]
    assert "How the weights came about" in page.text
    assert "training objective" not in page.text
    page = report(tmp_path, MKLDiscriminantAnalysis(KERNELS).fit(X, SPECIES))
    boxes = [a["class"] for a in page.all("div") if "box" in a.get("class", "")]
    assert boxes == ["box"]


def test_many_views_are_told_of_chance(tmp_path):
    rng = np.random.default_rng(0)
    table = np.hstack([X, rng.normal(size=(150, 18))])
    kernels = [Linear(columns=[j], name=f"v{j}") for j in range(20)]
    model = MKLDiscriminantAnalysis(kernels).fit(table, SPECIES)
    importance = view_importance(model, table, SPECIES, n_subsamples=2)
    page = report(tmp_path, model, table, importance=importance)
    assert "Of 20 kernels that tell nothing, about 1 would have p" in page.text


def test_probabilities_that_are_all_alike_make_no_picture(tmp_path):
    table = np.repeat([[0.0], [1.0]], 60, axis=0)
    table = table + 1e-6 * np.random.default_rng(0).normal(size=table.shape)
    classes = np.repeat(["a", "b"], 60)
    model = MKLDiscriminantAnalysis([Linear(name="one"), RBF(name="two")], alpha=1e-6)
    model.fit(table, classes)
    evaluation = evaluate(model, table, classes, cv=3)
    page = report(tmp_path, model, table, classes, evaluation=evaluation)
    errors = between(page, "How it errs", "Which samples to look at")
    assert "about the same probability of the predicted class" in errors
    assert "share that is right" not in errors
