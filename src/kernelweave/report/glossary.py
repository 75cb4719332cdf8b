"""The words of the report, explained at its foot."""

from __future__ import annotations

from .facts import Facts
from .markup import Markup, join, prose, tag

WORDS = {
    "view": "A part of the data, such as a table: the kernels whose names begin alike.",
    "kernel": "A measure of how alike two samples are; a view may have several.",
    "left out": "Predicted by a model that was not fitted to the sample.",
    "contribution": "The part of the targets that a view predicts in left-out samples: "
    "⟨c, H⟩/⟨H, H⟩ with c the view's part of the predictions and H the targets. About "
    "0 for a view that tells nothing; all of them add up to what the model predicts.",
    "lost if removed": "How much the score falls if the model is learned again without "
    "the view. Two views that tell the same both contribute, and neither is missed.",
    "alone": "The score of a model of this view only.",
    "weight": "The view's share of the sum of the learned weights. It is what "
    "minimises the training objective; many columns of noise can have a large one.",
    "p": "The share of permutations of the view's rows, with the data as they are "
    "counted in, that contribute as much as the view. Small: chance is no explanation.",
    "halves": "Random halves of the samples; how far an answer varies among them is "
    "about how far it would vary with other samples.",
    "chance": "The score of a model that knows how frequent the classes are, or the "
    "mean of the target, and nothing else.",
    "balanced accuracy": "The mean over the classes of the share that is found, so "
    "that a large class counts no more than a small one.",
    "concordance": "The share of pairs of samples, of which one is known to have had "
    "its event before the other, that the predicted risks put in that order: 0.5 is "
    "chance, 1 the right order.",
    "censored": "A sample without an event so far: it is known only to have had none "
    "until its time.",
    "plain average": "The same weight for all kernels.",
    "certificate": "A bound, computed from the data, on how much better any other "
    "weights could fit. It is about the training objective, not about new samples.",
}

# What "weight" means where weights do not minimise the training objective.
LEARNED = (
    "The view's share of the sum of the weights, with which the kernels are added up. "
    "Many columns of noise can have a large one."
)


def glossary(facts: Facts) -> list[Markup]:
    """The words that this report uses."""
    balanced = facts.evaluation is not None and any(
        one.metric == "balanced accuracy" for one in facts.evaluation.comparisons
    )
    unused = [] if balanced else ["balanced accuracy"]
    unused += [] if facts.task == "survive" else ["concordance", "censored"]
    words = {word: WORDS[word] for word in WORDS if word not in unused}
    if facts.unproved:
        words |= {"weight": LEARNED}
        del words["certificate"]
    pairs = join(
        tag("div", tag("dt", word), tag("dd", prose(meaning)))
        for word, meaning in words.items()
    )
    return [tag("dl", pairs)]
