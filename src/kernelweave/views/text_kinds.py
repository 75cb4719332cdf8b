"""What a column of text holds: categories, sequences of letters, or sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

# Letters of a sequence at least, and words of a text, by their medians. Names of people
# and of categories are shorter.
LETTERS = 12
WORDS = 4

# Letters, all of one case; gaps and stops of sequences are written - and *.
_SEQUENCE = re.compile(r"[A-Z*-]+|[a-z*-]+")


def text_kind(values: Sequence[str]) -> str:
    """ "categorical", "sequence" or "words".

    Categories are seen again: where half of the values or fewer are different, nothing
    else is thought of.

    Examples
    --------
    >>> text_kind(["GATTACAGATTA", "GATTACACATTA", "CCGCCGAAATTA"])
    'sequence'
    >>> text_kind(["no pain at all", "acute pain since Monday", "pain when he walks"])
    'words'
    >>> text_kind(["benign", "malignant", "benign", "not known"])
    'categorical'
    """
    if 2 * len(set(values)) <= len(values) or len(values) < 2:
        return "categorical"
    letters = median(map(len, values)) >= LETTERS
    if letters and all(map(_SEQUENCE.fullmatch, values)):
        return "sequence"
    many = median(len(value.split()) for value in values) >= WORDS
    return "words" if many else "categorical"
