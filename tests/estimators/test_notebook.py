"""The HTML of fitted estimators: weights, proof, and nothing that could run."""

import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

import problems
from kernelweave import (
    MKLSVC,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
)
from kernelweave.estimators.notebook import MAX_ROWS, certificate_words
from kernelweave.kernels import RBF, Linear, rbf_grid
from kernelweave.weights import Fixed

KERNELS = [*rbf_grid(prefix="first: ", columns=[0, 1]), Linear([2], name="other: lin")]


class _Rows(HTMLParser):
    """The rows of the table as lists of texts, and the widths of the bars."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.widths, self._inside = [], [], False
        self.feed(html[html.rindex('class="kw-learned"') :])

    def handle_starttag(self, tag, attrs):
        style = dict(attrs).get("style", "")
        if tag == "tr":
            self.rows.append([])
        self._inside = tag in ("td", "th")
        if "width" in style:
            self.widths.append(float(re.findall(r"width:([\d.]+)%", style)[0]))

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.rows[-1].append(data)


def _html(model):
    html = model._repr_mimebundle_()["text/html"]
    # The counter of scikit-learn's containers is the only difference.
    number = r"sk-container-id-\d+|sk-estimator-id-\d+"
    assert re.sub(number, "", html) == re.sub(number, "", model._repr_html_())
    return html


def test_weights_by_view():
    X, y = problems.blobs()
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    html = _html(model)
    assert "sk-container" in html and "<style>" in html
    parsed = _Rows(html)
    shown = {row[0]: float(row[1]) for row in parsed.rows}
    w = model.weights_
    assert shown["first"] == pytest.approx(w[:5].sum(), abs=6e-4)
    assert shown["other"] == pytest.approx(w[5], abs=6e-4)
    for name, weight in zip(model.kernel_names_, w, strict=True):
        assert shown[name.partition(": ")[2]] == pytest.approx(weight, abs=6e-4)
    totals = np.array([w[:5].sum(), *w[:5], w[5], w[5]])
    assert np.allclose(parsed.widths, 100 * totals / totals.max(), atol=0.06)
    assert f"{np.sum(w > 0)} of 6 kernels have weight" in html
    assert "Proved optimal" in html


def test_names_are_escaped():
    X, y = problems.blobs()
    name = "<script>alert(1)</script> & <b>"
    html = _html(MKLDiscriminantAnalysis([RBF(name=name), Linear()]).fit(X, y))
    part = html[html.rindex('class="kw-learned"') :]
    assert "<script" not in part
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;" in part


def test_the_heaviest_of_many():
    K = problems.random_psd(np.random.default_rng(0), 60, 12)
    y = np.arange(12) % 2
    model = MKLDiscriminantAnalysis("precomputed", Fixed()).fit(K, y)
    rows = _Rows(_html(model)).rows
    assert len(rows) == MAX_ROWS + 1
    assert rows[-1] == ["and 50 more, together 0.833"]


def test_every_view_is_there():
    """Of equal weights the first are shown, but the sums of all views."""
    X, y = problems.blobs()
    kernels = [*rbf_grid(np.arange(1.0, 13), prefix="first: "), Linear(name="last: k")]
    model = MKLDiscriminantAnalysis([*kernels, Linear(name="last: l")], Fixed())
    rows = _Rows(_html(model.fit(X, y))).rows
    assert [row[0] for row in rows if row[0] in ("first", "last")] == ["first", "last"]


def test_before_fit_and_as_text():
    X, y = problems.blobs()
    model = MKLSVC()
    assert "kw-learned" not in _html(model)
    with config_context(display="text"):
        assert "text/html" not in model.fit(X, y)._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_weights_of_each_class():
    X, y = problems.blobs(60, 3, 3)
    model = MKLSVC([RBF(), Linear()], multiclass="per_class").fit(X, y)
    html = _html(model)
    assert "Means of the 3 classes" in html and "of any class" in html
    weights = [float(row[1]) for row in _Rows(html).rows]
    assert np.allclose(weights, model.weights_.mean(axis=0), atol=6e-4)


def test_what_was_chosen():
    X, y = problems.blobs()
    model = MKLDiscriminantAnalysisCV(norms=[1, 2], alphas=[1, 10]).fit(X, y)
    wanted = f"Chosen of 4 points: norm = {model.norm_:g}, alpha = {model.alpha_:g}"
    assert wanted in _html(model)


def test_certificates_in_words():
    X, y = problems.blobs()
    model = MKLDiscriminantAnalysis().fit(X, y)
    words = certificate_words(model)
    gap = max(model.solution_.certificate.relative_gap, np.finfo(float).eps)
    stated = float(re.findall(r"more than (\S+) of its value", words)[0])
    assert words.startswith("Proved optimal") and gap <= stated <= 2 * gap
    assert f"{model.n_iter_} iterations" in words
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(max_iter=1).fit(X, y)
    words = certificate_words(model)
    assert words.startswith("Not proved optimal: other weights could lower")
    assert "the limit on iterations was reached. 1 iteration," in words
    tied = LaplacianMKLSVC(formulation="tied").fit(X, y)
    assert "not convex; no direction falls" in certificate_words(tied)
    given = KernelDiscriminantAnalysis().fit(X, y)
    assert certificate_words(given) == "The weights were given, not learned."


def test_the_diagram_links_to_the_page_of_the_estimator():
    page = "kernelweave.readthedocs.io/en/stable/api/kernelweave.MKLSVC.html"
    assert page in MKLSVC()._repr_html_()
