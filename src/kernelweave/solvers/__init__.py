"""Ways to the saddle point."""

from .alternating import Alternating
from .conic import QCQP, SDP
from .cutting_plane import SILP
from .dual_lbfgs import DualLBFGS
from .galerkin import Galerkin
from .interleaved import Interleaved
from .level import Level
from .newton import Newton
from .primal import Primal
from .projected_newton import ProjectedNewton
from .reduced_gradient import ReducedGradient
from .smo import SMO

__all__ = [
    "QCQP",
    "SDP",
    "SILP",
    "SMO",
    "Alternating",
    "DualLBFGS",
    "Galerkin",
    "Interleaved",
    "Level",
    "Newton",
    "Primal",
    "ProjectedNewton",
    "ReducedGradient",
]
