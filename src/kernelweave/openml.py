"""Data sets from OpenML, by number, and only those whose content is known.

What arrives is compared with the sha256 of the table that the experiments here were
run on, so that another version, another order of rows or a wrong number is never taken
for the set that was asked for.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Source:
    """Where a table is, and how to know that it is the one.

    Attributes
    ----------
    number : int
        Of the data set on OpenML.
    sha256 : str
        See `checksum`.
    labels : mapping
        OpenML's name of a class → ours. Without it the names are kept, as whole numbers
        where they are numbers.
    """

    number: int
    sha256: str
    labels: Mapping[str, int] = field(default_factory=dict)


SOURCES: Mapping[str, Source] = {
    "australian": Source(
        40981,
        "1d898847c069da62eafc6d3dc2ad53271b0d82c5e31b4c678efc8f0d74a34b2a",
    ),
    "banana": Source(
        1460,
        "d5696db9b9f131d260824d9331db2bac6f9af5fdeef1fab05614b2865184c639",
        {"1": -1, "2": 1},
    ),
    "cancer": Source(
        15,
        "04f4fa6fe5b6e8eadfb7fd5e7198bd3ff6160abf22df305613ab0230695051e9",
        {"benign": 0, "malignant": 1},
    ),
    "heart": Source(
        53,
        "8c3308a4bd7ae3d15f43f125e8aa018710d986787e57aac77fabd289971654e7",
        {"absent": 0, "present": 1},
    ),
    "ionosphere": Source(
        59,
        "61b6ec6a4b146fc10704c433795889fa6098d3bdbc789ee451607d3beef47778",
        {"b": 0, "g": 1},
    ),
    "letter": Source(
        6,
        "bfa39f36899916f7af45496c17449990e3a61f143c4032e166d74644c4265741",
    ),
    "pima": Source(
        37,
        "f13233e93c8feb469d27f9a201fd6e2e781c8ebb3de483454783377491ebc684",
        {"tested_negative": 0, "tested_positive": 1},
    ),
    "satimage": Source(
        182,
        "fd80b413fa9c251f92e757f5d2fbcb054a3c4b7ec30eb5dcbe536a2e0c0e597b",
    ),
    "sonar": Source(
        40,
        "0692fa5f90f1e720de73da3b0ab0bb008247cbc0ab75d5320e19f0d5aab117c2",
        {"Rock": 0, "Mine": 1},
    ),
    "spambase": Source(
        44,
        "6a9d51b4f1a6eea709779499090c38b877e177b71369797a2e939308e737cbbd",
    ),
    "thyroid": Source(
        40682,
        "f4a806f774303cb7b701f9532a7084315a631441a3a385849808a43990201e21",
        {"1": 0, "2": 1, "3": 1},
    ),
    "titanic": Source(
        40704,
        "0f6bad1ead0ef56a85480ef791307381c0f35c6f2fafbf630412bec9e1b598d2",
    ),
}


def download(name: str) -> tuple[NDArray[np.float64], NDArray]:
    """Features (n, d) and labels (n,) of one of the SOURCES.

    Rows with missing values are left out. scikit-learn keeps what it has downloaded in
    its own data folder, so that a set is fetched once.

    Raises
    ------
    FileNotFoundError
        If OpenML cannot be reached, or has another table under that number.
    """
    source = SOURCES[name]
    place = f"data set {source.number} of OpenML"
    try:
        X, y = _table(_fetch(source.number), source.labels)
    except (OSError, ValueError) as error:
        raise FileNotFoundError(f"{place} could not be fetched: {error}") from error
    found = checksum(X, y)
    if found != source.sha256:
        raise FileNotFoundError(
            f"{place} is not the {name!r} that is known here: its sha256 is {found}, "
            f"and should be {source.sha256}"
        )
    return X, y


def checksum(X: NDArray[np.float64], y: NDArray) -> str:
    """The sha256 of a table's rows, in their order, each number to six figures.

    Examples
    --------
    >>> import numpy as np
    >>> checksum(np.eye(2), np.array([0, 1]))[:8]
    'b8ab1467'
    """
    lines = (
        ",".join([*(f"{value + 0.0:.6g}" for value in row), str(label)])
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _fetch(number: int) -> Any:
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # Our own error says what failed, so the warning of every attempt is not shown.
        warnings.filterwarnings("ignore", "A network error occurred")
        return fetch_openml(
            data_id=number,
            as_frame=False,
            parser="liac-arff",
            n_retries=1,
            delay=0.1,
        )


def _table(
    found: Any, labels: Mapping[str, int]
) -> tuple[NDArray[np.float64], NDArray]:
    """Numbers and labels, without incomplete rows.

    Nominal features come as places in the list of their values: numbers if the values
    are numbers.
    """
    X = np.array(found.data, dtype=float)
    for j, name in enumerate(found.feature_names):
        if name in (found.categories or {}):
            values = np.array(found.categories[name], dtype=float)
            known = ~np.isnan(X[:, j])
            X[known, j] = values[X[known, j].astype(int)]
    complete = ~np.isnan(X).any(axis=1)
    names = [str(name) for name in np.asarray(found.target)[complete]]
    if labels:
        strange = sorted(set(names) - set(labels))
        if strange:
            raise ValueError(f"it has the classes {', '.join(strange)}")
        return X[complete], np.array([labels[name] for name in names])
    return X[complete], as_labels(np.array(names))


def as_labels(names: NDArray) -> NDArray:
    """Whole numbers, where all names are numbers; else the names.

    Examples
    --------
    >>> import numpy as np
    >>> as_labels(np.array(["1.", "2."])), as_labels(np.array(["T", "1"]))
    (array([1, 2]), array(['T', '1'], dtype='<U1'))
    """
    try:
        return names.astype(float).astype(int)
    except ValueError:
        return names
