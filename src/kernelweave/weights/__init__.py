"""Sets of kernel weights Θ."""

from .elastic_net import ElasticNet
from .fixed import Fixed
from .lp import LpBall
from .penalty import LpPenalty
from .simplex import Simplex

__all__ = ["ElasticNet", "Fixed", "LpBall", "LpPenalty", "Simplex"]
