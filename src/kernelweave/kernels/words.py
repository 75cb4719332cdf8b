"""The words of texts, weighed by how rare they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from ..problem import Array
from .text_kernel import TextKernel
from .texts import mixed

# What counts as a word.
WORD = r"(?u)\b\w+\b"


@dataclass(eq=False, repr=False)
class Words(TextKernel):
    """k(x, z) = ⟨w(x), w(z)⟩, w(x) the words of x as a vector of length one.

    A word that x has c times has the entry (1 + log c)·(1 + log((1 + n)/(1 + n_w))),
    n_w being how many of the n training texts have it; then the vector is divided by
    its length. Words are letters, digits and underscores between anything else, upper
    and lower case alike. Words that no training text has do not count, and a text
    without any other is like no other.

    Parameters
    ----------
    columns : name or number
        The column of text.
    name, missing
        See `Kernel`; missing="impute" is not for texts.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"note": ["no pain", "no pain at all", "acute pain"]})
    >>> Words(columns="note").fit(table)(table).round(2)
    array([[1.  , 0.56, 0.31],
           [0.56, 1.  , 0.18],
           [0.31, 0.18, 1.  ]])
    """

    columns: Any = None
    name: Any = None
    missing: str = "error"

    def _fit_texts(self, X: Any) -> None:
        super()._fit_texts(X)
        texts = next(iter(mixed(X, self._table, self.columns_).values()))
        present = [text for text in texts if text is not None]
        analyse = CountVectorizer(token_pattern=WORD).build_analyzer()
        words = [set(analyse(text)) for text in present]
        found = Counter(chain.from_iterable(words))
        if present and not found:
            raise ValueError(
                f"kernel {self.label!r}: none of the {len(present)} training texts has "
                "a word, that is, a letter or a digit: leave the kernel out"
            )
        self._words = sorted(found)
        seen = np.array([found[word] for word in self._words], dtype=float)
        self._rarity = 1 + np.log((1 + len(present)) / (1 + seen))

    def prepare(self, texts: Array) -> Any:
        if not self._words:
            return csr_matrix((len(texts), 0))
        count = CountVectorizer(token_pattern=WORD, vocabulary=self._words, dtype=float)
        counts = count.transform(texts)
        counts.data = 1 + np.log(counts.data)
        return normalize(counts.multiply(self._rarity).tocsr())

    def compare(self, X: Any, Y: Any) -> Array:
        return (X @ Y.T).toarray()

    def _diagonal(self, X: Any) -> Array:
        return np.asarray(X.rows.multiply(X.rows).sum(axis=1)).ravel()
