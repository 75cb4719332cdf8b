"""A kernel of one's own: codes that begin alike."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from kernelweave.kernels import TextKernel


@dataclass(eq=False, repr=False)
class Prefix(TextKernel):
    """k(x, z) = l/√(|x||z|), l the number of letters with which x and z begin alike.

    For codes in which every letter narrows down what the ones before it say, such as
    those of diseases: "E11.9" and "E11.2" have more in common than "E11.9" and "I10".
    It is a scalar product over all beginnings of a text, so it is a kernel.

    A kernel of numbers derives from `Kernel` in the same way, its `compare` has arrays
    of numbers, and `learn(X)` sees the training rows first.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"code": ["E11.9", "E11.2", "I10"]})
    >>> Prefix(columns="code").fit(table)(table).round(2)
    array([[1. , 0.8, 0. ],
           [0.8, 1. , 0. ],
           [0. , 0. , 1. ]])
    """

    columns: Any = None
    name: Any = None
    missing: str = "error"

    def compare(self, X, Y):
        alike = [[shared(x, z) / np.sqrt(len(x) * len(z) or 1) for z in Y] for x in X]
        return np.array(alike).reshape(len(X), len(Y))


def shared(x: str, z: str) -> int:
    """The number of letters with which two texts begin alike."""
    both = zip(x, z, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
