"""Data larger than memory: features, sums over chunks, and small problems.

    Z = [Z_1 … Z_p] (n, D),   K_j = Z_jZ_jᵀ

For the square loss all that the data say is in ZᵀZ, ZᵀT and TᵀT, which add up over
chunks and machines.
"""

from .files import FileSource
from .sources import ArraySource, FunctionSource, Source
from .stream import fit_chunks

__all__ = ["ArraySource", "FileSource", "FunctionSource", "Source", "fit_chunks"]
