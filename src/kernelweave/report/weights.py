"""The weights of the kernels: how they were combined, not what they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from .facts import Facts
from .markup import Markup, number, plural, text
from .tables import Column, table


def kernel_table(facts: Facts) -> Markup:
    """Every kernel with its weight, the heaviest first."""
    order = np.argsort(-facts.weights, kind="stable")
    columns = [
        Column("No.", numeric=True),
        Column("Kernel"),
        Column("Weight", numeric=True),
        Column("Share", numeric=True),
    ]
    own = np.ndim(facts.core.weights_) == 2
    if own:
        columns += [Column(f"{c}", numeric=True) for c in facts.core.classes_]
    rows = []
    for j in order:
        weight, share = float(facts.weights[j]), 100 * facts.shares[j]
        row: list[Any] = [j + 1, facts.names[j], weight_text(weight), f"{share:.1f} %"]
        if own:
            row += [weight_text(w) for w in facts.core.weights_[:, j]]
        rows.append(row)
    caption = f"The weights of {plural(len(rows), 'kernel')}"
    if own:
        caption += ", the mean over the classes, and those of every class"
    return table(caption, columns, rows)


def weight_text(weight: float) -> str:
    return (
        number(round(float(weight), 4)) if weight == 0 or weight >= 1e-4 else "<0.0001"
    )


def scale_note(facts: Facts) -> Markup:
    """Whether weights of different kernels may be compared."""
    if facts.comparable:
        how = (
            "the kernels are added up"
            if facts.unproved
            else ("the training objective is best served")
        )
        return text(
            "All kernels were brought to the same scale before. A weight says how "
            f"{how}, not what a kernel is good for."
        )
    return text(
        "The kernels were taken as they are (normalize=None), so a weight also depends "
        "on the scale of its kernel: compare with care."
    )
