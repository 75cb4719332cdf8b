"""What a pass over the rows leaves: the moments of features and targets."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..problem import Array
from .features import FeatureMap
from .folds import Folds
from .moments import Moments
from .sample import RowSample

# Bytes of features that are made at a time.
CHUNK = 2**27


@dataclass
class FeatureSums:
    """Σ over rows of (z, t)(z, t)ᵀ, by folds; and how many rows each kernel has.

    Parameters
    ----------
    map : FeatureMap
    targets : callable
        From y of some rows to T (m, q): outputs, or zeros and ones for the classes.
    folds : Folds
    present : ndarray of int (p,)

    Attributes
    ----------
    sample : RowSample
        The rows that the kernels were fitted to, if they are to be looked at again.
    """

    map: FeatureMap
    targets: Callable[[Any], Array]
    folds: Folds
    present: Array
    sample: RowSample = field(init=False, repr=False)

    @classmethod
    def empty(
        cls, map: FeatureMap, targets: Callable[[Any], Array], origin: Array
    ) -> FeatureSums:
        return cls(map, targets, Folds.empty(origin), np.zeros(len(map.blocks), int))

    def add(self, X: Any, y: Any, first: int) -> None:
        """Count rows whose numbers are first, first + 1, ..."""
        D = self.map.width
        T = self.targets(y)
        m, q = X.shape[0], len(self.folds.parts[0].origin) - D
        if T.shape[1] != q:
            raise ValueError(
                f"y has {T.shape[1]} columns, and that of the rows before has {q}"
            )
        part = max(1, CHUNK // (8 * (D + T.shape[1])))
        for start in range(0, m, part):
            rows = slice(start, min(start + part, m))
            U = np.empty((rows.stop - start, D + T.shape[1]))
            self.map(X[rows], out=U[:, :D])
            U[:, D:] = T[rows]
            self.folds.add(U, first + start)
        self.present += self.map.present(X)

    def copy(self) -> FeatureSums:
        """Sums of the same rows, to which others can be added."""
        other = replace(
            self, folds=deepcopy(self.folds), present=np.array(self.present)
        )
        if hasattr(self, "sample"):
            other.sample = self.sample
        return other

    def merge(self, other: FeatureSums) -> None:
        self.folds.merge(other.folds)
        self.present += other.present

    def arrays(self) -> dict[str, Array]:
        """The sums as plain arrays, from which `restore` makes the same."""
        out = {"present": self.present, "origin": self.folds.parts[0].origin}
        for f, part in enumerate(self.folds.parts):
            out[f"count{f}"] = np.array(part.count)
            out |= {f"sum{f}": part.sum, f"second{f}": part.second}
        return out

    def restore(self, arrays: dict[str, Array]) -> None:
        """Become what `arrays` were made of, if the features are the same."""
        old, new = arrays["origin"], self.folds.parts[0].origin
        # The mean features of the sample: other eigenvectors have another mean.
        same = old.shape == new.shape and f"sum{len(self.folds.parts)}" not in arrays
        if not same or np.max(abs(old - new)) > 1e-9 * np.max(abs(old)):
            raise ValueError(
                "the features of the kernels are not those that the sums were made of: "
                "another machine, number of threads or version of the libraries?"
            )
        self.present = arrays["present"]
        for f in range(len(self.folds.parts)):
            count, sum, second = (arrays[f"{n}{f}"] for n in ("count", "sum", "second"))
            self.folds.parts[f] = Moments(old, int(count), sum, second)

    @property
    def count(self) -> int:
        return self.folds.count


def origin(
    map: FeatureMap, targets: Callable[[Any], Array], sample: RowSample
) -> Array:
    """The mean of (z, t) over the sample: what the moments are taken about."""
    Z, T = map(sample.X), targets(sample.y)
    return np.r_[Z.mean(axis=0), T.mean(axis=0)]
