"""The sentences of the report."""

from __future__ import annotations

from ..estimators.notebook import approximation_words
from ..solution import Status
from ..weights import Fixed
from .comparison import interval_text
from .facts import Facts
from .markup import number, plural


def lead(facts: Facts) -> str:
    """What was learned, in one sentence."""
    task = {
        "classify": "tell {} apart",
        "regress": "predict a number",
        "novelty": "tell usual samples from unusual ones",
    }[facts.task]
    if facts.task == "classify":
        task = task.format(plural(len(facts.core.classes_), "class", "classes"))
    shares = {view: share for view, share in facts.view_shares.items() if share > 0}
    parts = [f"{view} {100 * share:.0f} %" for view, share in shares.items()]
    first, share = next(iter(shares.items()))
    total = len(facts.view_shares)
    if total == 1:
        how = f"all kernels are of one view, {first}"
        if len(facts.names) == 1:
            how = f"there is one kernel, {first}"
    elif len(parts) == 1:
        how = f"{first} has all of the weight, and {total - 1} other "
        how += f"{facts.noun}{'s have' if total > 2 else ' has'} none"
    elif len(parts) <= 4:
        rest = parts[1:]
        if len(parts) < total:
            none = [view for view in facts.view_shares if view not in shares]
            rest.append(
                f"{none[0] if len(none) == 1 else plural(len(none), facts.noun)} none"
            )
        how = f"{first} has {100 * share:.0f} % of the weight, {_and(rest)}"
    else:
        led = [f"{view} ({100 * share:.0f} %)" for view, share in shares.items()]
        count = f"{len(parts)} of {total}" if len(parts) < total else f"all {total}"
        how = f"{count} {facts.noun}s share the weight, led by "
        how += _and(led[:3])
    learned = facts.core.n_samples_fit_
    said = f"From {plural(learned, 'sample')} the model learned to {task}: {how}."
    if facts.n == learned:
        return said
    shown = plural(facts.n, "sample")
    return f"{said} Scores and pictures are of {shown}, not of these."


def expectation(facts: Facts) -> str:
    """What to expect for new samples."""
    evaluation = facts.evaluation
    if evaluation is None:
        return ""
    mean, ends = interval_text(evaluation, evaluation.learned)
    interval = f" (95 % interval {ends})"
    if evaluation.metric == "accuracy":
        return f"In cross-validation it gets {mean} of new samples right{interval}."
    return f"In cross-validation it reaches R² = {mean} on new samples{interval}."


def protocol(facts: Facts) -> str:
    """How the scores came about."""
    evaluation = facts.evaluation
    if evaluation is None:
        return ""
    times = f", {evaluation.repeats} times with other folds" * (evaluation.repeats > 1)
    return (
        f"Scores are of {plural(evaluation.n_samples, 'sample')} in {evaluation.cv} "
        f"folds{times}: each fold was predicted by models that were fitted, weights "
        "and all, to the others. All rows saw the same folds. The intervals are of the "
        "samples, not of the folds, and allow for the overlap of the training sets. "
        "Where intervals overlap, rows may still differ: the sentences above compare "
        "them sample by sample."
    )


def proof(facts: Facts) -> tuple[str, list[str]]:
    """A heading that can stand alone, and the sentences that explain it."""
    certificate = facts.certificate
    if certificate is None:
        return "No proof of the optimum", [
            "This form of the problem is not convex: the weights are such that no "
            "small change of them helps, and others far away may be better."
        ]
    # Smaller than this is rounding.
    gap = max(certificate.relative_gap, 1e-12)
    what_not = (
        "This is about the weights for these samples and settings. How well new "
        "samples are predicted is another question, which cross-validation answers."
    )
    if isinstance(facts.core.weights, Fixed):
        return "The weights were given, not learned", [
            "So there is nothing to prove about them."
        ]
    if facts.unfinished is Status.CONTRADICTED:
        return "No proof of the optimum", [
            f"The solver ended, and {facts.unfinished.value}. More regularisation, or "
            "kernels of another scale, may help.",
            what_not,
        ]
    if facts.unfinished is not None:
        return "Stopped before the optimum was proved", [
            f"The solver ended because {facts.unfinished.value}.",
            f"The objective is {number(certificate.primal)}, and other weights might "
            f"lower it by up to {share_text(gap)}. Raise max_iter, or tol if that is "
            "near enough.",
            what_not,
        ]
    many = len(facts.solutions)
    whose = f" of the worst of {many} classes" if many > 1 else ""
    proved = (
        f"The objective{whose} is {number(certificate.primal)}. No other weights of "
        f"these kernels can lower it by more than {share_text(gap)}: a relative "
        f"duality gap of {gap:.0e}".replace("e-", "e−")
    )
    return f"Proved optimal, to {share_text(gap)}", [
        proved + approximation_words(facts.core) + ".",
        "This bound is computed from the samples and not taken from the solver, so "
        "nobody has to trust the solver.",
        what_not,
    ]


def share_text(share: float) -> str:
    """A small share in words."""
    if share >= 1e-4:
        return f"{number(float(f'{100 * share:.2g}'))} %"
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if 1 / share >= size:
            return f"1 part in {1 / share / size:.0f} {word}"
    return f"1 part in {1 / share:,.0f}"


def _and(items: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
