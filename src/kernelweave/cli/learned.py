"""What `fit` says of the model that it learned."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from ..estimators import MKLLogisticRegression
from ..estimators.learned_words import learned_words
from ..plots.text import text_bar
from ..survival import concordance_index
from ..views import view_of
from .data import Data
from .output import WIDTH, plural, print_table, shortened
from .target import SURVIVAL

# Rows of the table at most.
SHOWN = 20

OPTIMAL = "OPTIMAL"

# What to do about a model that did not converge, and the exit code that says so.
REMEDY = (
    "Predictions may be as good as others, which `kernelweave evaluate` tells, but do "
    "not rely on the weights: fit again with --norm 2, which makes the problem easier, "
    "or leave out columns that repeat others (--drop)"
)
NOT_CONVERGED = 3

# From here on a norm weighs all kernels alike.
LARGE = 1e6


def facts_of(model: Any, data: Data) -> dict[str, Any]:
    """What `fit --json` says."""
    certificate = model.solution_.certificate
    share = model.weights_ / max(float(model.weights_.sum()), np.finfo(float).tiny)
    views = dict.fromkeys(map(view_of, data.names), 0.0)
    for name, value in zip(data.names, share, strict=True):
        views[view_of(name)] += float(value)
    return {
        "task": data.task,
        "samples": model.n_samples_fit_,
        "classes": model.classes_.tolist() if hasattr(model, "classes_") else None,
        "norm": _number(getattr(model, "norm_", None)),
        **_strength(model),
        **_left_out(model, data),
        "views": views,
        "weights": dict(zip(data.names, model.weights_.tolist(), strict=True)),
        "relative_gap": certificate.relative_gap,
        "status": model.solution_.status.name,
        "iterations": model.n_iter_,
        **_errors(model, data.names),
    }


def _strength(model: Any) -> dict[str, Any]:
    """alpha, or C of a logistic regression, where it was chosen."""
    if isinstance(model, MKLLogisticRegression):
        return {"C": getattr(model, "C_", None)}
    return {"alpha": getattr(model, "alpha_", None)}


def _left_out(model: Any, data: Data) -> dict[str, Any]:
    """The score of left-out samples by which norm and alpha were chosen."""
    score = getattr(model, "best_score_", None)
    if data.task == SURVIVAL:
        risk = getattr(model, "left_out_", None)
        if risk is None:
            return {"left_out_concordance": None}
        y = data.y
        found = concordance_index(y["event"], y["time"], risk)
        return {"left_out_concordance": found, "events": int(y["event"].sum())}
    if data.task == "probability":
        return {"left_out_log_loss": None if score is None else -score}
    return {"left_out_d2" if data.task == "count" else "left_out_r2": score}


def _errors(model: Any, names: list[str]) -> dict[str, Any]:
    """How far the kernels are from what approximates them, if it is so."""
    if not hasattr(model, "approximation_error_"):
        return {}
    errors = model.approximation_error_.tolist()
    return {"approximation_error": dict(zip(names, errors, strict=True))}


def _number(norm: float | None) -> float | str | None:
    """JSON has no infinity."""
    return "inf" if norm == np.inf else norm


def _in_words(norm: float | str) -> tuple[str, str]:
    """A norm, and what it means."""
    if float(norm) >= LARGE:
        return "∞", " (all kernels alike)"
    return f"{norm:.4g}", " (few kernels)" if norm == 1 else ""


def print_facts(model: Any, data: Data, facts: dict[str, Any]) -> None:
    """The same in words, in 80 columns."""
    labels = facts["classes"]
    aim = f"to tell {len(labels)} classes apart" if labels else "to predict a number"
    if data.task == SURVIVAL:
        aim = "who is at risk"
    print(
        f"\nLearned {aim}, {data.metadata['target']}, from "
        f"{plural(facts['samples'], 'sample')},\n{plural(len(data.names), 'kernel')} "
        f"in {plural(len(facts['views']), 'view')}.\n"
    )
    if len(facts["views"]) > 1:
        _print_views(model, data, facts["views"])
    else:
        _print_kernels(model, data)
    print()
    exact = "approximation_error" not in facts
    if hasattr(model, "descent_"):
        print(textwrap.fill(learned_words(model.descent_), WIDTH))
        how = "leave-one-out" if exact else "left-out folds"
        print(f"Alpha {facts['alpha']:.3g}, by {how}, too.")
        if not exact:
            _print_errors(facts)
        return
    if facts["norm"] is not None:
        norm, meaning = _in_words(facts["norm"])
        strength = "C" if "C" in facts else "alpha"
        value = f"{facts[strength]:.3g}"
        how = "leave-one-out" if exact else "left-out folds"
        how = how if data.groups is None else "left-out groups"
        print(f"Chosen by {how}: norm {norm}{meaning}, {strength} {value}.")
        if facts.get("left_out_concordance") is not None:
            index = facts["left_out_concordance"]
            print(f"Concordance of left-out samples: {index:.3f} (0.5 is chance).")
    gap = max(facts["relative_gap"], 0)
    if facts["status"] == OPTIMAL:
        print(
            "The weights are proved optimal: no others lower the objective by more "
            f"than\n{gap:.1e} of its value (duality gap)."
        )
    elif facts["status"] == "CONTRADICTED":
        print("NOT CONVERGED: rounding is larger than the gap; nothing is proved.")
    else:
        print(f"NOT CONVERGED: the weights may be off by {gap:.1e} of the objective.")
    if not exact:
        _print_errors(facts)


def _print_errors(facts: dict[str, Any]) -> None:
    """How far the kernels that have a weight are from what approximates them."""
    weights, errors = facts["weights"], facts["approximation_error"]
    worst = max((n for n in errors if weights[n] > 0), key=lambda name: errors[name])
    print(
        "That is for the kernels as their landmarks see them: off by at most "
        f"{errors[worst]:.1%}\n({shortened(worst, 40)}; more --components: less)."
    )


def _print_views(model: Any, data: Data, shares: dict[str, float]) -> None:
    """A line a view, with the kernel that carries most of it."""
    heaviest: dict[str, tuple[float, str]] = {}
    for name, weight in zip(data.names, model.weights_, strict=True):
        view, _, kernel = name.partition(": ")
        kernel = kernel if weight > 0 else ""
        largest, _ = heaviest.get(view, (0.0, ""))
        if weight > 0 and np.isclose(weight, largest, rtol=1e-3):
            heaviest[view] = largest, "several alike"
        elif weight > largest:
            heaviest[view] = float(weight), kernel
        else:
            heaviest.setdefault(view, (0.0, ""))
    order = sorted(shares, key=lambda view: -shares[view])
    names = [shortened(view, 24) for view in order[:SHOWN]]
    # What names, shares and bars leave of a line.
    room = WIDTH - max(map(len, names)) - 37
    rows = [
        [
            name,
            f"{shares[view]:.3f}",
            _bar(shares, view),
            shortened(heaviest[view][1], room),
        ]
        for name, view in zip(names, order, strict=False)
    ]
    mostly = "mostly" if any(row[-1] for row in rows) else ""
    print_table(["view", "weight", "", mostly], rows)
    _print_rest([shares[view] for view in order[SHOWN:]], "view")


def _print_kernels(model: Any, data: Data) -> None:
    total = max(float(model.weights_.sum()), np.finfo(float).tiny)
    shares = dict(zip(data.names, (model.weights_ / total).tolist(), strict=True))
    order = sorted(shares, key=lambda name: -shares[name])
    rows = [
        [shortened(name, 40), f"{shares[name]:.3f}", _bar(shares, name)]
        for name in order[:SHOWN]
    ]
    print_table(["kernel", "weight", ""], rows)
    _print_rest([shares[name] for name in order[SHOWN:]], "kernel")


def _bar(shares: dict[str, float], name: str) -> str:
    return text_bar(shares[name] / max(shares.values()))


def _print_rest(shares: list[float], noun: str) -> None:
    if shares:
        print(
            f"and {plural(len(shares), noun)} more, weight {sum(shares):.3f} together"
        )
