"""Samples to look at: those that are predicted wrongly when they are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from .facts import Facts
from .markup import fixed, number, plural, tag
from .samples import regression_left_out
from .survival import surprising_samples
from .tables import Column, table

# Nobody looks at more.
MOST = 50
LARGEST = 15


def samples_to_look_at(facts: Facts) -> list[Any]:
    """In words, and as a table if there are any."""
    if facts.task == "regress":
        return _large_errors(facts)
    if facts.task == "survive":
        return surprising_samples(facts)
    left_out = facts.left_out
    if facts.task != "classify" or left_out is None or left_out.classes is None:
        note = "It takes a cross-validation to know them."
        return [tag("p", note, class_="quiet")]
    answer, chances = left_out.answer(), left_out.probabilities()
    wrong = np.flatnonzero(answer != left_out.truth)
    if len(wrong) == 0:
        count = plural(len(answer), "sample")
        return [tag("p", f"None: all {count} are predicted rightly when left out.")]
    sure = None if chances is None else chances.max(axis=1)
    order = wrong if sure is None else wrong[np.argsort(-sure[wrong], kind="stable")]
    who, misled = facts.names_of_samples, _misled(facts)
    columns = [Column("Sample"), Column("True"), Column("Predicted")]
    if sure is not None:
        columns.append(Column("Probability", numeric=True))
    if misled is not None:
        columns.append(Column("Misled by"))
    rows = []
    for i in order[:MOST]:
        row = int(left_out.rows[i])
        cells = [who[row], str(left_out.truth[i]), str(answer[i])]
        if sure is not None:
            cells.append(fixed(float(sure[i]), 2))
        if misled is not None:
            cells.append(misled(row, left_out.truth[i], answer[i]))
        rows.append(cells)
    share = 100 * len(wrong) / len(answer)
    note = (
        f"{len(wrong):,} of {plural(len(answer), 'sample')} ({share:.1f} %) are "
        "predicted as another class by models that were not fitted to them. A slip in "
        "the label, a sample mixed up or a measurement gone wrong shows here first."
    )
    if misled is not None:
        note += (
            f" The {facts.noun} that misled is the one that spoke most for the wrong "
            "class against the true one."
        )
    if len(wrong) > MOST:
        note += f" The {MOST} that the model was surest of are listed."
    caption = "Samples predicted as another class when left out, the surest first"
    return [tag("p", note), table(caption, columns, rows)]


def _misled(facts: Facts) -> Any:
    """From a sample, its class and the predicted one to the view that spoke for it."""
    says = facts.says
    if says is None or says.columns.nlevels < 2:
        return None
    views = list(dict.fromkeys(says.columns.get_level_values(0)))
    if len(views) < 2:
        return None
    values = says.to_numpy().reshape(len(says), len(views), -1)
    place = {c: k for k, c in enumerate(facts.core.classes_.tolist())}

    def misled(row: int, true: Any, predicted: Any) -> str:
        t, p = place.get(_plain(true)), place.get(_plain(predicted))
        if t is None or p is None:
            return ""
        against = values[row, :, p] - values[row, :, t]
        return str(views[int(np.argmax(against))]) if against.max() > 0 else "none"

    return misled


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _large_errors(facts: Facts) -> list[Any]:
    found = regression_left_out(facts)
    if found is None:
        note = "It takes a cross-validation to know them."
        return [tag("p", note, class_="quiet")]
    samples, observed, predicted = found
    error = predicted[:, 0] - observed[:, 0]
    order = np.argsort(-np.abs(error), kind="stable")[:LARGEST]
    who, misled = facts.names_of_samples, _pushed(facts)
    columns = [Column("Sample"), Column("Observed", numeric=True)]
    columns += [Column("Predicted", numeric=True), Column("Error", numeric=True)]
    if misled is not None:
        columns.append(Column("Misled by"))
    rows = []
    for i in order:
        cells = [who[samples[i]], number(float(observed[i, 0]))]
        cells += [number(float(predicted[i, 0])), number(float(error[i]))]
        if misled is not None:
            cells.append(misled(int(samples[i]), float(error[i])))
        rows.append(cells)
    spread = number(float(np.sqrt(np.mean(error**2))))
    note = (
        f"The {len(order)} largest errors of left-out samples; their root mean square "
        f"over all is {spread}."
    )
    if misled is not None:
        note += (
            f" The {facts.noun} that misled is the one whose part of the prediction "
            "goes farthest the wrong way."
        )
    caption = "Samples with the largest errors when left out"
    return [tag("p", note), table(caption, columns, rows)]


def _pushed(facts: Facts) -> Any:
    says = facts.says
    if says is None or says.columns.nlevels > 1 or says.shape[1] < 2:
        return None
    values: Array = says.to_numpy()
    views = [str(view) for view in says.columns]

    def pushed(row: int, error: float) -> str:
        along = values[row] * np.sign(error)
        return views[int(np.argmax(along))] if along.max() > 0 else "none"

    return pushed
