"""What a pass over the rows leaves: the moments of features and targets."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..problem import Array
from ..threads import blas_threads_unless_busy
from .features import FeatureMap, OtherFeatures
from .folds import Folds
from .sample import RowSample
from .targets import Targets

# Bytes of features that are made at a time, at most.
CHUNK = 2**27

# Rows whose features are made at a time: few enough that what a feature goes through
# stays in a core's cache. Of D features four times as many, so that to add a product
# (D, D) to the sums takes less time than the product.
ROWS = 4096


@dataclass
class FeatureSums:
    """Σ over rows of (z, t)(z, t)ᵀ, by folds; and how many rows each kernel has.

    Parameters
    ----------
    map : FeatureMap
    targets : Targets
        From y of some rows to T (m, q): outputs, or zeros and ones for the classes.
    folds : Folds
    present : ndarray (p,)

    Attributes
    ----------
    sample : RowSample
        The rows that the kernels were fitted to, if they are to be looked at again.
    """

    map: FeatureMap
    targets: Targets
    folds: Folds
    present: Array
    sample: RowSample = field(init=False, repr=False)

    @classmethod
    def empty(cls, map: FeatureMap, targets: Targets, origin: Array) -> FeatureSums:
        return cls(map, targets, Folds.empty(origin), np.zeros(len(map.blocks), int))

    def add(self, X: Any, y: Any, first: int, v: Array | None = None) -> None:
        """Count rows whose numbers are first, first + 1, ..., each as its weight v."""
        D = self.map.width
        T = self.targets(y)
        m, q = X.shape[0], len(self.folds.parts[0].origin) - D
        if T.shape[1] != q:
            raise ValueError(
                f"y has {T.shape[1]} columns, and that of the rows before has {q}"
            )
        part = max(1, min(CHUNK // (8 * (D + T.shape[1])), max(ROWS, 4 * D)))
        for start in range(0, m, part):
            rows = slice(start, min(start + part, m))
            U = np.empty((rows.stop - start, D + T.shape[1]))
            U[:, D:] = T[rows]
            with blas_threads_unless_busy():
                self.map(X[rows], out=U[:, :D])
                self.folds.add(U, first + start, None if v is None else v[rows])
        self.present = self.present + self.map.present(X, v)

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
        return out | {f"map.{n}": array for n, array in self.map.arrays().items()}

    def restore(self, arrays: dict[str, Array]) -> None:
        """Become what `arrays` were made of, the features of the map too."""
        here = self.folds.parts[0].origin[: self.map.width][self.map.repeated]
        kept = {n: a for n, a in arrays.items() if n.startswith("map.")}
        self.map.restore({n.removeprefix("map."): a for n, a in kept.items()})
        self.present = arrays["present"]
        self.folds = Folds.empty(arrays["origin"])
        for f, part in enumerate(self.folds.parts):
            part.count = int(arrays[f"count{f}"])
            part.sum, part.second = arrays[f"sum{f}"], arrays[f"second{f}"]
        # The mean of the sample must be the same, in units of each feature.
        D, repeated = self.map.width, self.map.repeated
        total = self.folds.total()
        sizes = abs(total.origin) + total.sizes(total.origin) / np.sqrt(total.count)
        there = total.origin[:D][repeated]
        if len(here) != len(there) or np.any(
            abs(here - there) > 1e-6 * sizes[:D][repeated]
        ):
            raise OtherFeatures()

    @property
    def count(self) -> int:
        return self.folds.count


def origin(map: FeatureMap, targets: Targets, sample: RowSample) -> Array:
    """The mean of (z, t) over the sample: what the moments are taken about."""
    Z, T = map(sample.X), targets(sample.y)
    return np.r_[Z.mean(axis=0), T.mean(axis=0)]
