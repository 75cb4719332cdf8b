"""The report as one file."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ..evaluation import Evaluation
from ..persist.atomic import check_output, written_whole
from ..views import absent_counts, one_table
from .absent import absent_table
from .comparison import comparison_table, whiskers
from .facts import Facts, facts_of
from .heatmap import alike, heat_map, similarity
from .markup import Markup, join, plural, prose, tag, text
from .samples import samples_picture
from .settings import checksum, estimator_text, shape_text, versions
from .weights import kernel_table, scale_note, view_bars
from .words import expectation, lead, proof, protocol


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    evaluation: Evaluation | None = None,
    title: str | None = None,
    command: str | None = None,
    absent: Mapping[str, int] | None = None,
) -> Path:
    """Write what a model learned, and how good it is, to one HTML file.

    The file needs no network and no script, prints, and is read by screen readers.

    Parameters
    ----------
    model : fitted estimator, or a Pipeline that ends in one
    X, y
        The samples to show it on, as for `fit`. y may be None for `MKLOneClassSVM`.
    path : path
        Written whole or not at all; an older report there is replaced.
    evaluation : Evaluation, optional
        Of `kernelweave.evaluation.evaluate`: single views against the combination.
    title : str, optional
    command : str, optional
        How to make the report again, such as the command line.
    absent : mapping of view to int, optional
        How many samples lack a view; by default counted in X.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal")]
    >>> model = MKLDiscriminantAnalysis(views).fit(X, y)
    >>> path = write_report(model, X, y, Path(tempfile.mkdtemp()) / "report.html")
    >>> "the model learned to tell 3 classes apart" in path.read_text("utf-8")
    True
    """
    path = check_output(path)
    model, X, y, _ = one_table(model, X, y)
    facts = facts_of(model, X, y, evaluation)
    absent = absent_counts(facts.core, facts.X) if absent is None else dict(absent)
    title = f"{type(facts.core).__name__} report" if title is None else title
    sections = [
        _weights(facts),
        _comparison(facts),
        _certificate(facts),
        _samples(facts),
        _similarity(facts),
        _absent(facts, absent),
        _settings(facts, model, X, y, command),
    ]
    page = Template(_file("page.html")).substitute(
        title=text(title),
        style=_file("style.css"),
        script=_file("script.js"),
        lead=prose(lead(facts)),
        expectation=prose(expectation(facts)),
        contents=join(
            tag("li", tag("a", name, href=f"#{key}")) for key, name, _ in sections
        ),
        sections=join(_section(*section) for section in sections),
        date=datetime.date.today().isoformat(),
    )
    with written_whole(path) as part:
        part.write_text(page, encoding="utf-8")
    return path


Section = tuple[str, str, list[Any]]


def _section(key: str, heading: str, parts: list[Any]) -> Markup:
    name = tag("h2", heading, id=f"{key}-heading")
    return tag("section", name, *parts, id=key, aria_labelledby=f"{key}-heading")


def _weights(facts: Facts) -> Section:
    used = int((facts.weights > 0).sum())
    have = "has" if used == 1 else "have"
    note = f"{used} of {plural(len(facts.names), 'kernel')} {have} weight. "
    parts = [
        view_bars(facts),
        tag("p", note, scale_note(facts)),
        kernel_table(facts),
    ]
    return "weights", f"What each {facts.noun} is worth", parts


def _comparison(facts: Facts) -> Section:
    evaluation = facts.evaluation
    heading = "Is the combination worth it?"
    if evaluation is None:
        note = "The model was not cross-validated for this report."
        return "comparison", heading, [tag("p", note, class_="quiet")]
    sentences = [evaluation.verdict]
    if evaluation.average is not None:
        sentences.append(evaluation.sentence(evaluation.average))
    parts = [
        *(tag("p", prose(sentence), class_="verdict") for sentence in sentences),
        whiskers(evaluation),
        comparison_table(evaluation) if len(evaluation.rows) > 1 else "",
        tag("p", prose(protocol(facts)), class_="quiet"),
    ]
    return "comparison", heading, parts


def _certificate(facts: Facts) -> Section:
    claim, sentences = proof(facts)
    bad = facts.certificate is None or facts.unfinished is not None
    box = [
        tag("p", prose(claim), class_="claim"),
        *(tag("p", prose(s)) for s in sentences),
    ]
    kind = "box warning" if bad else "box"
    return "certificate", "Is it the best?", [tag("div", *box, class_=kind)]


def _samples(facts: Facts) -> Section:
    note = "Samples that the model was fitted to look better placed than new ones."
    if facts.evaluation is not None:
        note += " What to expect of new ones is in the comparison above."
    parts = [samples_picture(facts), tag("p", note, class_="quiet")]
    return "samples", "The samples as the model sees them", parts


def _similarity(facts: Facts) -> Section:
    heading = "How alike the kernels are"
    answer = similarity(facts)
    if answer is None:
        note = "It takes the Gram matrices of the samples among themselves."
        return "similarity", heading, [tag("p", note, class_="quiet")]
    A, samples = answer
    picture = heat_map(facts, A, samples) if len(A) > 1 else ""
    return "similarity", heading, [tag("p", alike(facts, A)), picture]


def _absent(facts: Facts, absent: Mapping[str, int]) -> Section:
    return "absent", "Samples absent from views", absent_table(facts, absent)


def _settings(facts: Facts, model: Any, X: Any, y: Any, command: str | None) -> Section:
    facts_about = {"Samples": shape_text(facts), "SHA-256 of X": checksum(X)}
    if y is not None:
        facts_about["SHA-256 of y"] = checksum(y)
    facts_about |= versions()
    pairs = join(
        tag("div", tag("dt", name), tag("dd", value))
        for name, value in facts_about.items()
    )
    parts: list[Any] = []
    if command is not None:
        parts += [tag("h3", "Command"), tag("pre", command, class_="wrap")]
    parts += [
        tag("h3", "Estimator"),
        tag("pre", estimator_text(model), tabindex=0),
        tag("h3", "Data and versions"),
        tag("dl", pairs),
    ]
    return "settings", "To get it again", parts


def _file(name: str) -> str:
    return files("kernelweave.report").joinpath(name).read_text(encoding="utf-8")
