"""Yang, Xu, Ye, King and Lyu (2011), Efficient sparse generalized multiple kernel
learning, IEEE Transactions on Neural Networks 22.

    compare            Tables IV and V: GMKL, ℓ1, ℓ2 and uniform weights
    average_weights    Figure 1: which kernels of the toy examples get weight
    sweep              Figure 2: accuracy and number of kernels against v

Each returns rows, a list of dicts, and prints nothing. `TABLES` has them one split at
a time, for `kernelweave reproduce`; `readings` tries out what print leaves open. The
protein sets of Figures 3 and 4 are not at hand.
"""

from .protocol import average_weights, compare, measure, printed, sweep
from .tables import TABLES
from .tasks import Task, base_kernels, split, table, tasks, toy

__all__ = [
    "TABLES",
    "Task",
    "average_weights",
    "base_kernels",
    "compare",
    "measure",
    "printed",
    "split",
    "sweep",
    "table",
    "tasks",
    "toy",
]
