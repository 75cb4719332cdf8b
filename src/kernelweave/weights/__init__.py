"""Sets of kernel weights Θ."""

from .elastic_net import ElasticNet
from .fixed import Fixed
from .group_simplex import GroupSimplex
from .lp import LpBall
from .penalty import LpPenalty
from .simplex import Simplex

__all__ = ["ElasticNet", "Fixed", "GroupSimplex", "LpBall", "LpPenalty", "Simplex"]
