"""Scores of scikit-learn that suit the targets, and the class that they are about."""

from __future__ import annotations

from typing import Any

from sklearn.metrics import get_scorer, get_scorer_names

from ..problem import Array

# Scores that are about one of two classes, the positive one.
OF_ONE_CLASS = (
    *("average_precision", "f1", "precision", "recall", "jaccard"),
    *("positive_likelihood_ratio", "neg_negative_likelihood_ratio"),
)
FOR_NUMBERS = "'r2', 'neg_mean_absolute_error', 'neg_root_mean_squared_error'"
FOR_CLASSES = "'accuracy', 'balanced_accuracy', 'f1_macro', 'neg_log_loss'"


def refuse_unsuitable(scoring: str, classes: Array | None) -> None:
    """Refuse a score of numbers for classes, and the other way round.

    Parameters
    ----------
    scoring : str
        A name; one that scikit-learn does not know passes.
    classes : ndarray or None
        None where the targets are numbers.
    """
    such = FOR_NUMBERS if classes is None else FOR_CLASSES
    if scoring == "concordance":
        raise ValueError(
            f"scoring={scoring!r} is for events and times: use such as {such}"
        )
    if scoring not in get_scorer_names():
        return
    function = getattr(get_scorer(scoring), "_score_func", None)
    of_numbers = "regression" in getattr(function, "__module__", "")
    if classes is None and not of_numbers:
        raise ValueError(
            f"scoring={scoring!r} is for classes, and the target has numbers: use "
            f"such as {such}"
        )
    if classes is None:
        return
    if of_numbers:
        raise ValueError(
            f"scoring={scoring!r} is for numbers, and the target has classes: use such "
            f"as {such}"
        )
    binary = {*OF_ONE_CLASS, "roc_auc"} - {"average_precision"}
    if len(classes) > 2 and scoring in binary:
        mean = {"roc_auc": "roc_auc_ovr"}.get(scoring, f"{scoring}_macro")
        mean = mean if mean in get_scorer_names() else "f1_macro"
        raise ValueError(
            f"scoring={scoring!r} is for two classes, and the target has "
            f"{len(classes)}: use such as {mean!r}, or make one class of all but one "
            "(on the command line --positive CLASS)"
        )
    if scoring.endswith("_samples"):
        raise ValueError(
            f"scoring={scoring!r} is for several labels a sample, and the target has "
            f"one: use such as {such}"
        )


def positive_class(positive: Any, classes: Array | None) -> Any:
    """The positive one of two classes: the second if none is named; else None."""
    if positive is None:
        return classes[1] if classes is not None and len(classes) == 2 else None
    if classes is None:
        raise ValueError(f"positive={positive!r} is a class, and there are none here")
    known = classes.tolist()
    if len(known) != 2 or positive not in known:
        raise ValueError(
            f"positive={positive!r} must be one of two classes; the target has "
            + ", ".join(map(repr, known[:5]))
            + (", ..." if len(known) > 5 else "")
        )
    return classes[known.index(positive)]
