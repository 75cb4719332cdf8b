"""What a fit of many rows costs: operations, bytes, memory and seconds.

A row of d columns becomes D = pm features, m of each of p kernels, and then a term of
ZᵀZ. With t targets and w = D + t this takes

    pm                      kernel values,
    2pmd + 2pm²             operations for distances and for features,
    w²                      operations for its term of ZᵀZ, ZᵀT and TᵀT,

and leaves F·8w² bytes of sums, for F folds, whatever the number of rows is. What is
solved afterwards takes a number of operations in proportion to D³.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from .folds import fold_count
from .sums import CHUNK

# Time of the small problem in units of D³ operations of products: a fit to 1e-6 with
# its held-out folds, 14 to 24, and a point of the default grid of norms and λ, 3.6 and
# 4.8. Measured at D = 2000 and 1000 on 40,000 rows with much noise.
SOLVE, POINT = 18.0, 4.0
# Points of the default grid of the estimators that choose norm and λ.
GRID = 120


@dataclass(frozen=True)
class Work:
    """A table, and the kernels that are learned from it.

    Parameters
    ----------
    rows, columns : float
        n and d.
    kernels, components : int
        p and m: Nyström's approximation with so many landmarks a kernel.
    targets : int
        Classes, or outputs of a regression.
    block : float
        Rows of a block: a task of the cluster, whose sums are then added up.
    """

    rows: float
    columns: int = 20
    kernels: int = 10
    components: int = 200
    targets: int = 3
    block: float = 100_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 1 <= value < float("inf"):
                raise ValueError(f"{name} must be a number of at least 1, got {value}")

    @property
    def features(self) -> int:
        """D."""
        return self.kernels * self.components

    @property
    def width(self) -> int:
        """Features and targets, w = D + t."""
        return self.features + self.targets

    @property
    def values(self) -> float:
        """Kernel values a row."""
        return self.features

    @property
    def map_operations(self) -> float:
        """Operations a row for distances and whitening."""
        return 2 * self.features * (self.columns + self.components)

    @property
    def product_operations(self) -> float:
        """Operations a row for ZᵀZ, ZᵀT and TᵀT: of 2w² the half, by symmetry."""
        return self.width**2

    @property
    def row_bytes(self) -> float:
        """Bytes of a row; they are read twice."""
        return 8 * (self.columns + 1)

    @property
    def sum_bytes(self) -> float:
        """Bytes of the sums of all folds."""
        return 8 * fold_count(self.width) * self.width**2

    @property
    def blocks(self) -> int:
        return ceil(self.rows / self.block)

    @property
    def gram_bytes(self) -> float:
        """Bytes of the kernel matrices, which are not formed."""
        return 8 * self.kernels * self.rows**2

    @property
    def task_bytes(self) -> float:
        """Most that a task holds: sums, a block, and a part of its features.

        Of that part there is a kernel's share twice and a fold's share once more.
        """
        part = min(CHUNK, 8 * self.width * self.block)
        copies = 1 + 2 / self.kernels + 1 / fold_count(self.width)
        return self.sum_bytes + self.row_bytes * self.block + copies * part

    @property
    def solve_bytes(self) -> float:
        """Most that is held to solve: the sums, and about 27 matrices (w, w)."""
        return self.sum_bytes + 27 * 8 * self.width**2


@dataclass(frozen=True)
class Node:
    """A machine of the cluster.

    Parameters
    ----------
    cores : int
    flops : float
        Operations a second of a core, in `Moments.add`.
    values : float
        Kernel values a second of a core, put in their place.
    read : float
        Bytes a second from disk or store.
    network : float
        Bytes a second.
    """

    cores: int = 16
    # A core of an AMD EPYC of 2.6 GHz (Zen 4, AVX-512) with OpenBLAS: `measure`.
    flops: float = 45e9
    values: float = 1e8
    # No machine's: a modest disk, and ten gigabits.
    read: float = 2e8
    network: float = 1.25e9

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} must be a positive number, got {value}")


@dataclass(frozen=True)
class Plan:
    """Seconds of the parts of a fit on some nodes, all of whose cores are used.

    Examples
    --------
    >>> from kernelweave.streamed.plan import Plan, Work
    >>> plan = Plan(Work(rows=1e9, kernels=10, components=200), nodes=100)
    >>> f"{plan.work.sum_bytes / 1e6:.0f} MB of sums"
    '160 MB of sums'
    >>> f"{plan.seconds / 60:.0f} minutes"
    '2 minutes'
    """

    work: Work
    nodes: int = 1
    node: Node = Node()

    def __post_init__(self) -> None:
        if self.nodes < 1:
            raise ValueError(f"nodes must be at least 1, got {self.nodes}")

    @property
    def workers(self) -> int:
        """Cores that have something to do: a block is one task."""
        return min(self.nodes * self.node.cores, self.work.blocks)

    @property
    def _rows(self) -> float:
        """Rows of the busiest core: whole blocks."""
        if self.workers < self.work.blocks:
            return ceil(self.work.blocks / self.workers) * self.work.block
        return min(self.work.block, self.work.rows)

    @property
    def reading(self) -> float:
        """Two passes over the rows of a node."""
        return 2 * self.work.row_bytes * self.work.rows / self.nodes / self.node.read

    @property
    def mapping(self) -> float:
        """From rows to features."""
        work, node = self.work, self.node
        a_row = work.values / node.values + work.map_operations / node.flops
        return self._rows * a_row

    @property
    def products(self) -> float:
        """ZᵀZ, ZᵀT and TᵀT."""
        return self._rows * self.work.product_operations / self.node.flops

    @property
    def sent(self) -> float:
        """Bytes that a node sends at most: the sums of all its blocks."""
        if self.nodes == 1:
            return 0.0
        return ceil(self.work.blocks / self.nodes) * self.work.sum_bytes

    @property
    def adding(self) -> float:
        """The sums of the blocks, added up over the network."""
        return self.sent / self.node.network

    @property
    def solving(self) -> float:
        """The small problem, on one core."""
        return SOLVE * self.work.features**3 / self.node.flops

    @property
    def grid(self) -> float:
        """All norms and λ, on one core, from the same sums."""
        return GRID * POINT * self.work.features**3 / self.node.flops

    @property
    def seconds(self) -> float:
        """A fit; the grid is not in it."""
        passes = self.reading + self.mapping + self.products
        return passes + self.adding + self.solving

    @property
    def process_bytes(self) -> float:
        """Memory of a process: a block, and sums that wait to be added to others.

        They are added in pairs, so that of b blocks log₂b sums may wait.
        """
        waiting = ceil(log2(max(2, self.work.blocks / self.workers)))
        return self.work.task_bytes + waiting * self.work.sum_bytes

    @property
    def node_bytes(self) -> float:
        """Memory of a node with a process for every core."""
        return min(self.node.cores, self.workers) * self.process_bytes
