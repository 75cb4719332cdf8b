"""Ways to the saddle point."""

from .alternating import Alternating
from .conic import QCQP, SDP
from .cutting_plane import SILP
from .dual_lbfgs import DualLBFGS
from .interleaved import Interleaved
from .newton import Newton
from .smo import SMO

__all__ = [
    "QCQP",
    "SDP",
    "SILP",
    "SMO",
    "Alternating",
    "DualLBFGS",
    "Interleaved",
    "Newton",
]
