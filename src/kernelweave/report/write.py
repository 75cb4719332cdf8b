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
from ..evaluation.copies import copied_words
from ..persist.atomic import check_output, written_whole
from ..views import absent_counts, one_table
from .absent import absent_table
from .comparison import comparison_table, other_scores, whiskers
from .errors import confusion_table, recall_table, reliability
from .facts import Facts, facts_of
from .glossary import glossary
from .heatmap import alike, heat_map, similarity
from .importance import importance_picture, importance_table, importance_words
from .look_at import samples_to_look_at
from .markup import Markup, join, number, plural, prose, tag, text
from .samples import left_out_picture
from .settings import checksum, estimator_text, shape_text, versions
from .weights import kernel_table, scale_note
from .words import expectation, lead, proof, protocol

OPTIMUM = "Is the training objective at its optimum?"


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
    importance: Any = None,
    groups: Any = None,
) -> Path:
    """Write what a model is good for, and what it learned from, to one HTML file.

    In this order: is it worth it; which data matter, and how sure that is; how it errs;
    which samples to look at; how it was made. All scores and pictures are of samples
    that were left out.

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
    importance : DataFrame, optional
        Of `kernelweave.importance.view_importance`; by default it is measured here, if
        X is what the model was fitted to and not too large.
    groups : array-like (n,), optional
        Samples that are left out together, for the importance; by default those of
        the evaluation.

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
    model, X, y, groups = one_table(model, X, y, groups)
    facts = facts_of(model, X, y, evaluation, importance, groups)
    absent = absent_counts(facts.core, facts.X) if absent is None else dict(absent)
    title = f"{type(facts.core).__name__} report" if title is None else title
    sections = [
        _worth(facts),
        _views(facts),
        _errors(facts),
        _look_at(facts),
        _made(facts, model, X, y, command, absent),
        ("glossary", "Glossary", glossary(facts)),
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


def _worth(facts: Facts) -> Section:
    evaluation = facts.evaluation
    heading = "Is it worth it?"
    if evaluation is None:
        note = "The model was not cross-validated for this report."
        return "worth", heading, [tag("p", note, class_="quiet")]
    sentences = [evaluation.verdict]
    if evaluation.average is not None and evaluation.main.beats_chance:
        sentences.append(evaluation.sentence(evaluation.average))
    parts = [
        _copies(evaluation),
        *(tag("p", prose(sentence), class_="verdict") for sentence in sentences),
        whiskers(evaluation),
        comparison_table(evaluation) if len(evaluation.rows) > 1 else "",
    ]
    if len(evaluation.comparisons) > 1:
        parts.append(other_scores(evaluation))
    parts.append(tag("p", prose(protocol(facts)), class_="quiet"))
    return "worth", heading, parts


def _copies(evaluation: Evaluation) -> Markup | str:
    if not evaluation.copied:
        return ""
    claim = tag("p", "The scores cannot be trusted", class_="claim")
    said = tag("p", prose(f"{copied_words(evaluation.copied)}."))
    return tag("div", claim, said, class_="box warning")


def _views(facts: Facts) -> Section:
    heading = (
        f"Which {'data' if facts.noun == 'view' else 'kernels'} matter, and how sure"
    )
    if facts.importance is None:
        note = f"Importances were not measured. {facts.unmeasured}"
        return "views", heading, [tag("p", note, class_="quiet"), kernel_table(facts)]
    parts = [
        *(tag("p", prose(sentence)) for sentence in importance_words(facts)),
        importance_picture(facts),
        importance_table(facts),
    ]
    return "views", heading, parts


def _errors(facts: Facts) -> Section:
    parts: list[Any] = []
    left_out = facts.left_out
    if left_out is not None and left_out.classes is not None:
        parts += [confusion_table(facts), recall_table(facts), reliability(facts)]
    parts.append(left_out_picture(facts))
    parts = [part for part in parts if part]
    if not parts:
        note = "It takes a cross-validation to know."
        if facts.task == "novelty":
            inside = int((facts.core.predict(facts.X) == 1).sum())
            note = (
                "There are no targets that could be missed. Of the samples shown "
                f"{inside:,} of {facts.n:,} are inside the region that was learned."
            )
        parts = [tag("p", note, class_="quiet")]
    return "errors", "How it errs", parts


def _look_at(facts: Facts) -> Section:
    return "samples", "Which samples to look at", samples_to_look_at(facts)


def _made(
    facts: Facts,
    model: Any,
    X: Any,
    y: Any,
    command: str | None,
    absent: Mapping[str, int],
) -> Section:
    parts: list[Any] = [tag("h3", "Settings"), tag("dl", _settings(facts))]
    if command is not None:
        parts += [tag("h3", "Command"), tag("pre", command, class_="wrap")]
    if facts.importance is not None:
        parts += [
            tag("h3", "Kernels"),
            tag("p", scale_note(facts)),
            kernel_table(facts),
        ]
    parts += [
        tag("h3", "How the weights came about" if facts.unproved else OPTIMUM),
        _certificate(facts),
    ]
    answer = similarity(facts)
    if answer is not None and len(answer[0]) > 1:
        A, samples = answer
        parts += [tag("h3", "How alike the kernels are"), tag("p", alike(facts, A))]
        parts.append(heat_map(facts, A, samples))
    parts += [tag("h3", "Samples absent from views"), *absent_table(facts, absent)]
    parts += [
        tag("h3", "Estimator"),
        tag("pre", estimator_text(model), tabindex=0),
        tag("h3", "Data and versions"),
        tag("dl", _pairs(_origin(facts, X, y))),
    ]
    return "made", "How it was made", parts


def _settings(facts: Facts) -> Markup:
    """Norm, alpha and the like, in words."""
    core, found = facts.core, {"Estimator": type(facts.core).__name__}
    if getattr(core, "descent_", None) is not None and not facts.averaged:
        found["Weights"] = (
            "equal, of the kernels that left-out samples chose"
            if getattr(core.descent_, "widest", False)
            else "learned from left-out samples, from equal ones on"
        )
    elif hasattr(core, "norm_"):
        norm = "∞: the plain average" if facts.averaged else number(core.norm_)
        found["Norm"] = f"{norm}, chosen by left-out samples"
    elif core.weights is not None:
        found["Weights"] = repr(core.weights)
    for name, words in (("alpha", "Regularisation (alpha)"), ("C", "C")):
        value = getattr(core, f"{name}_", getattr(core, name, None))
        if isinstance(value, float | int):
            found[words] = number(float(value))
    used = int((facts.weights > 0).sum())
    have = "has" if used == 1 else "have"
    found["Kernels"] = f"{used} of {plural(len(facts.names), 'kernel')} {have} weight"
    found["Samples"] = shape_text(facts)
    return _pairs(found)


def _pairs(values: Mapping[str, Any]) -> Markup:
    return join(
        tag("div", tag("dt", name), tag("dd", value)) for name, value in values.items()
    )


def _certificate(facts: Facts) -> Markup:
    claim, sentences = proof(facts)
    bad = facts.certificate is None or facts.unfinished is not None
    kind = "box warning" if bad else "box plain" if facts.unproved else "box"
    box = [
        tag("p", prose(claim), class_="claim"),
        *(tag("p", prose(s)) for s in sentences),
    ]
    return tag("div", *box, class_=kind)


def _origin(facts: Facts, X: Any, y: Any) -> dict[str, str]:
    found = {"SHA-256 of X": checksum(X)}
    if y is not None:
        found["SHA-256 of y"] = checksum(y)
    return found | versions()


def _file(name: str) -> str:
    return files("kernelweave.report").joinpath(name).read_text(encoding="utf-8")
