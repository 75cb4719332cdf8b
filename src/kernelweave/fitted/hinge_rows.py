"""Training rows that the squared hinge reads again at every step."""

from __future__ import annotations

from dataclasses import dataclass

from ..inputs.rows import Reader
from ..kernels import Kernel
from ..kernels.fitting import names_of
from ..problem import Array
from ..streamed.squared_hinge import FeatureRows


@dataclass(frozen=True)
class HingeData:
    """Kernels with features, and rows that come in chunks: `stack` has both."""

    stack: FeatureRows
    reader: Reader
    host = True

    @property
    def n(self) -> int:
        return self.stack.n

    @property
    def kernels(self) -> list[Kernel]:
        return self.stack.map.kernels

    @property
    def names(self) -> list[str]:
        return names_of(self.kernels)

    @property
    def alive(self) -> Array:
        """Mask (p,) of the kernels that are not zero or constant."""
        return self.stack.scales > 0
