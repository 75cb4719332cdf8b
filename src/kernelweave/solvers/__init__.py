"""Ways to the saddle point."""

from .alternating import Alternating
from .conic import QCQP, SDP
from .cutting_plane import SILP
from .newton import Newton

__all__ = ["QCQP", "SDP", "SILP", "Alternating", "Newton"]
