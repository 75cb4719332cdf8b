"""The sentences of the report."""

from __future__ import annotations

from ..estimators.learned_words import learned_words
from ..estimators.notebook import approximation_words
from ..solution import Status
from ..weights import Fixed
from .comparison import interval_text, score_text
from .facts import Facts
from .markup import number, plural


def lead(facts: Facts) -> str:
    """What was learned, and from what, in one sentence."""
    task = {
        "classify": "tell {} apart",
        "regress": "predict a number",
        "survive": "say who is at risk",
        "novelty": "tell usual samples from unusual ones",
    }[facts.task]
    if facts.task == "classify":
        task = task.format(plural(len(facts.core.classes_), "class", "classes"))
    learned, views = facts.core.n_samples_fit_, list(facts.view_shares)
    what = f"{plural(len(views), facts.noun)} with {plural(len(facts.names), 'kernel')}"
    if facts.noun == "kernel":
        what = plural(len(views), "kernel")
    said = f"From {plural(learned, 'sample')} and {what} the model learned to {task}."
    if facts.averaged and len(views) > 1:
        said += " The plain average was chosen: all kernels have the same weight."
    if facts.n == learned:
        return said
    shown = plural(facts.n, "sample")
    return f"{said} Scores and pictures are of {shown}, not of these."


def expectation(facts: Facts) -> str:
    """What to expect for new samples, and whether it is worth it."""
    evaluation = facts.evaluation
    if evaluation is None:
        return ""
    mean, ends = interval_text(evaluation, evaluation.learned)
    chance = score_text(evaluation, evaluation.chance)
    said = (
        f"In cross-validation it reaches {_article(evaluation.metric)} of {mean} on "
        f"new samples (95 % interval {ends}); chance has {chance}"
    )
    if evaluation.average is not None:
        average = score_text(evaluation, evaluation.average.mean)
        said += f", and the plain average of all kernels {average}"
    if evaluation.copied:
        said += ". These scores cannot be trusted, for the reason below"
    return said + "."


def _article(metric: str) -> str:
    if metric == "R²":
        return "an R²"
    return f"{'an' if metric[0] in 'aeiou' else 'a'} {metric}"


def protocol(facts: Facts) -> str:
    """How the scores came about."""
    evaluation = facts.evaluation
    if evaluation is None:
        return ""
    times = f", {evaluation.repeats} times with other folds" * (evaluation.repeats > 1)
    groups = ""
    if evaluation.n_groups is not None:
        groups = f" of {evaluation.n_groups} groups, each of which was left out whole"
    return (
        f"Scores are of {plural(evaluation.n_samples, 'sample')} in {evaluation.cv} "
        f"folds{groups}{times}: each fold was predicted by models that were fitted, "
        "weights and all, to the others. All rows saw the same folds. The intervals "
        "are of the samples, not of the folds, and allow for the overlap of the "
        "training sets. "
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
    if hasattr(facts.core, "descent_"):
        return "Learned for prediction, not proved", [
            learned_words(facts.core.descent_)
        ]
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
