"""Training rows by sums over their features, where the kernels have such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..inputs.columns import TableColumns
from ..inputs.mixed_table import MixedTable
from ..inputs.rows import Reader, Rows
from ..inputs.table import TableReader
from ..kernels import Approximation, Featured, Kernel
from ..kernels.fitting import fit_kernels, names_of
from ..problem import Array
from ..streamed.chunks import Chunks
from ..streamed.features import FeatureMap
from ..streamed.held_out import HeldOut
from ..streamed.reduced import Reduced, find_scaling, reduce
from ..streamed.sample import RowSample
from ..streamed.sums import FeatureSums, origin
from ..streamed.targets import Targets
from ..threads import blas_threads
from .expansion import FeatureExpansion
from .grams import GramData
from .model import Coefficients

# Up to this many rows n×n matrices cost little, and no sums take their place.
MANY = 1000


def have_features(kernels: Any) -> bool:
    """Whether these are kernels, all of which have features."""
    return isinstance(kernels, list | tuple) and all(
        isinstance(kernel, Featured) for kernel in kernels
    )


def width_of(kernels: Sequence[Any], d: int) -> int:
    """How many features the kernels have at most, on d columns."""
    return sum(
        kernel.n_components if isinstance(kernel, Approximation) else d
        for kernel in kernels
    )


def sums_pay(kernels: Any, n: int, d: int) -> bool:
    """Whether D×D numbers of sums are less than n×n of Gram matrices."""
    return have_features(kernels) and n > MANY and 2 * width_of(kernels, d) < n


def columns_of(names: Any) -> TableReader:
    """The reader of new rows for a table of numbers with these columns, or None."""
    return TableReader(TableColumns([] if names is None else list(names), {}))


@dataclass(frozen=True)
class FeatureWork:
    """How rows become sums: the kernels, their scale, and what y becomes.

    Attributes
    ----------
    kernels : sequence of kernels with features
    normalize, center
        As in `kernelweave.grams.normalise.normalise`.
    origin_free : bool
        Whether predictions are the same for xᵀz about any origin.
    targets : callable
        From the sampled rows to how y becomes the columns T whose sums are kept.
    labels : bool
        Whether y holds classes.
    look_again : bool
        Whether the sampled rows are needed after the sums are made.
    """

    kernels: Sequence[Kernel]
    normalize: str | None
    center: bool
    origin_free: bool
    targets: Callable[[RowSample], Targets]
    labels: bool
    look_again: bool = False

    def empty(self, sample: RowSample, names: Any) -> Callable[[], FeatureSums]:
        """Fit the kernels to the sample; what makes empty sums of their features.

        `names` are those of the columns, if they have any.
        """
        X = table = sample.X
        if names is not None:
            table = (X if isinstance(X, MixedTable) else MixedTable(X, {})).frame(names)
        kernels = fit_kernels(self.kernels, X, table, self.origin_free)
        map = FeatureMap(kernels, self.normalize == "spherical", X[:1])
        targets = self.targets(sample)
        about = origin(map, targets, sample)
        return partial(FeatureSums.empty, map, targets, about)

    def sums(self, chunks: Chunks, names: Any = None) -> FeatureSums:
        """Two passes over the rows: a sample for the kernels, and the sums."""
        sample = chunks.accumulate(partial(RowSample, labels=self.labels))
        sums = chunks.accumulate(self.empty(sample, names))
        if self.look_again:
            # Set here, not in the empty sums, which are sent to other machines.
            sums.sample = sample
        return sums

    def weighted_sums(self, rows: Rows, names: Any) -> FeatureSums:
        """The sums of rows in memory, of which every one counts as its weight."""
        assert rows.weights is not None
        sample = RowSample(labels=self.labels)
        sample.add(rows.X, rows.y, 0)
        sums = self.empty(sample, names)()
        sums.add(rows.X, rows.y, 0, rows.weights[rows.weights > 0])
        if self.look_again:
            sums.sample = sample
        return sums

    def data(
        self, sums: FeatureSums, reader: Reader, weights: Array | None = None
    ) -> FeatureData:
        """The small problem of all rows that were counted, or of their weights."""
        total, map = sums.folds.total(), sums.map
        scaling = find_scaling(total, map, sums.present, self.normalize, self.center)
        coding = sums.targets.coding(total.count * total.mean[map.width :])
        with blas_threads(map.width):
            reduced = reduce(total, scaling, coding)
        n = int(total.count) if weights is None else len(weights)
        return FeatureData(n, sums, reduced, coding, reader)


@dataclass(frozen=True)
class FeatureData:
    """K_j = Z_jZ_jᵀ with features Z_j (n, D_j): all is learned from ZᵀZ, ZᵀT, TᵀT."""

    n: int
    sums: FeatureSums
    reduced: Reduced
    coding: Array
    reader: Reader
    host = True
    center = False
    v = None

    @property
    def names(self) -> list[str]:
        return names_of(self.kernels)

    @property
    def kernels(self) -> list[Kernel]:
        return self.sums.map.kernels

    @property
    def errors(self) -> Array:
        """‖K_j − Z_jZ_jᵀ‖_F/‖K_j‖_F on sampled rows; zero for exact features, (p,)."""
        return self.sums.map.errors

    @property
    def stack(self) -> Any:
        return self.reduced.gram

    @property
    def alive(self) -> Array:
        """Mask (p,) of the kernels that are not zero or constant."""
        return self.reduced.scaling.scales > 0

    def coefficients(self, theta: Array, B: Array, bias: Array) -> Coefficients:
        """f = Zᵀcoef + intercept of new rows, from the B of the small problem."""
        coef = self.reduced.coefficients(theta, B)
        intercept = self.reduced.intercept(coef)
        mean = self.reduced.mean[: len(coef)]
        expansion = FeatureExpansion(self.sums.map, coef, intercept, mean)
        return Coefficients(coef, intercept, expansion)

    def held_out(self, rows: tuple[Array, Array] | None = None) -> HeldOut:
        """What predicts the rows of a fold by the others, at any θ and λ."""
        scaling = self.reduced.scaling
        return HeldOut(self.sums.folds, scaling, self.coding, rows)


# Training rows by their Gram matrices, or by sums over their features.
TrainingData = GramData | FeatureData
