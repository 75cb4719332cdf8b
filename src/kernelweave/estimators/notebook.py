"""What was learned, in the HTML of a notebook, beside scikit-learn's diagram."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from ..solution import Status
from ..weights import Fixed
from .learned_words import learned_words

# The table lists at most this many kernels: those of the largest weights.
MAX_ROWS = 10

# The text has the colour of the notebook's own, light or dark; the bars stand out from
# both.
STYLE = """
.kw-beside {display: flex; flex-wrap: wrap; gap: 0.5em 2em; align-items: flex-start}
.kw-learned {font: 13px/1.45 system-ui, sans-serif; color: inherit; max-width: 34em}
.kw-learned p {margin: 0.3em 0}
.kw-learned table {border-collapse: collapse; margin: 0.4em 0; font-size: 12px;
  color: inherit; background: none; border: none}
.kw-learned tr {background: none !important}
.kw-learned th, .kw-learned td {border: none; padding: 1px 0.6em 1px 0;
  text-align: left; font-weight: normal; color: inherit; background: none;
  vertical-align: middle}
.kw-learned th {overflow-wrap: anywhere}
.kw-learned .kw-view th, .kw-learned .kw-view td {font-weight: 600; padding-top: 4px}
.kw-learned .kw-view div {opacity: 0.45}
.kw-learned .kw-of-view th {padding-left: 1.2em}
.kw-learned td.kw-number {text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums}
.kw-learned td.kw-bar {width: 11em; padding: 0}
.kw-learned td.kw-bar div {height: 0.8em; border-radius: 1px}
"""


def certificate_words(model: Any) -> str:
    """What is proved about the weights of a fitted estimator, in plain words.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import KernelDiscriminantAnalysis
    >>> model = KernelDiscriminantAnalysis().fit(*load_iris(return_X_y=True))
    >>> certificate_words(model)
    'The weights were given, not learned.'
    """
    from ..plots.model import solutions_of, worst_gap

    if hasattr(model, "descent_"):
        return learned_words(model.descent_)
    if isinstance(model.weights, Fixed):
        return "The weights were given, not learned."
    solutions, gap = solutions_of(model), worst_gap(model)
    late = next((s for s in solutions if not s.converged), None)
    steps = sum(solution.n_iter for solution in solutions)
    seconds = sum(solution.trace[-1].seconds for solution in solutions)
    effort = f"{steps} iteration{'s' * (steps != 1)}, {seconds:.2g} s"
    if gap is None:
        status = (late or solutions[0]).status.value
        return f"Not proved optimal: the problem is not convex; {status}. {effort}."
    share = f"{_at_most(gap):.0e} of its value (duality gap)"
    each = "" if len(solutions) == 1 else " of any class"
    effort += approximation_words(model)
    if late is None:
        return (
            f"Proved optimal: no other weights lower the objective{each} by more than "
            f"{share}. {effort}."
        )
    if late.status is Status.CONTRADICTED:
        return f"Not proved optimal: {late.status.value}. {effort}."
    return (
        f"Not proved optimal: other weights could lower the objective{each} by up to "
        f"{share}; {late.status.value}. {effort}."
    )


def approximation_words(model: Any) -> str:
    """Which kernels the certificate is of, if others stand for those that were asked.

    Beginning with a full stop; empty for exact kernels.
    """
    errors = getattr(model, "approximation_error_", None)
    if errors is None or not np.any(errors):
        return ""
    j = int(np.argmax(errors))
    return (
        ". This is about the kernels as their features give them, which differ from "
        f"the exact ones by at most {errors[j]:.1%} on sampled rows "
        f"({model.kernel_names_[j]})"
    )


def _at_most(gap: float) -> float:
    """The gap rounded up to one digit; below rounding its sign says nothing."""
    gap = max(gap, float(np.finfo(float).eps))
    unit = 10.0 ** np.floor(np.log10(gap))
    return float(np.ceil(gap / unit) * unit)


def beside(diagram: str, model: Any) -> str:
    """Weights by view and the certificate, once fitted, beside the diagram."""
    if not (hasattr(model, "weights_") and hasattr(model, "solution_")):
        return diagram
    learned = f'<div class="kw-learned">{_lead(model)}{_table(model)}'
    learned += f"<p>{escape(certificate_words(model))}</p></div>"
    style = f"<style>{STYLE}</style>"
    return f'{style}<div class="kw-beside"><div>{diagram}</div>{learned}</div>'


def _lead(model: Any) -> str:
    """The weights in a sentence; and what was chosen, if the estimator chooses."""
    weights, names = _mean(model), model.kernel_names_
    used, p = int(np.sum(weights > 0)), len(names)
    noun = "kernel has" if p == 1 else "kernels have"
    text = f"<b>{used} of {p} {noun} weight.</b>"
    if np.ndim(model.weights_) == 2:
        text += f" Means of the {len(model.weights_)} classes' weights:"
    lead = f"<p>{text}</p>"
    results = getattr(model, "cv_results_", None)
    if hasattr(model, "descent_"):
        lead += (
            f"<p>Learned from left-out samples: alpha = {model.alpha_:.4g} "
            f"(R² {model.best_score_:.3f}).</p>"
        )
    elif results is not None:
        best = results["params"][model.best_index_]
        chosen = ", ".join(f"{name} = {value:.4g}" for name, value in best.items())
        lead += (
            f"<p>Chosen of {len(results['params'])} points: {escape(chosen)} "
            f"(score {model.best_score_:.3f}).</p>"
        )
    return lead


def _table(model: Any) -> str:
    from ..plots.style import by_view, number, view_colours

    weights, names = _mean(model), [str(name) for name in model.kernel_names_]
    heaviest = {int(j) for j in np.argsort(-weights, kind="stable")[:MAX_ROWS]}
    views, colours = by_view(names), view_colours(names)
    grouped = len(views) < len(names)
    shown = list(views)
    if len(views) > MAX_ROWS:
        shown = [view for view in views if heaviest.intersection(views[view])]
    # The longest bar is that of a view, or of a kernel if there are no views.
    totals = [float(weights[views[view]].sum()) for view in shown]
    longest = max(totals) or 1.0
    body = ""
    for view, total in zip(shown, totals, strict=True):
        ink = colours[views[view][0]]
        if grouped:
            body += _row("kw-view", view, total, longest, ink)
        for j in views[view]:
            if j in heaviest:
                kind = "kw-of-view" if grouped else "kw-kernel"
                name = names[j].partition(": ")[2] if grouped else names[j]
                body += _row(kind, name or names[j], weights[j], longest, ink)
    rest = np.delete(weights, sorted(heaviest))
    if len(rest):
        more = f"and {len(rest)} more, together {number(float(rest.sum()))}"
        body += f'<tr><td colspan="3">{more}</td></tr>'
    return f"<table>{body}</table>"


def _row(kind: str, name: str, weight: float, longest: float, ink: str) -> str:
    from ..plots.style import number

    # Seen on light and on dark: black becomes the colour of the text.
    ink = "currentColor" if ink == "#000000" else ink
    return (
        f'<tr class="{kind}"><th scope="row">{escape(name)}</th>'
        f'<td class="kw-number">{number(weight)}</td><td class="kw-bar">'
        f'<div style="width:{100 * weight / longest:.1f}%;background:{ink}"></div>'
        "</td></tr>"
    )


def _mean(model: Any) -> Any:
    """The weights; of a set for every class, their mean."""
    return np.atleast_2d(model.weights_).mean(axis=0)
