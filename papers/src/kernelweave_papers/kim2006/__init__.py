"""Kim, Magnani and Boyd (2006), Optimal kernel selection in kernel Fisher discriminant
analysis, ICML.

    TABLES             Table 1 and Figure 1, to be run split by split
    task               a partition of one of the four data sets, with its ten kernels
    optimal_weights    (8) on a task
    chosen_kernel      the rival: one kernel, by cross-validation
"""

from .protocol import chosen_kernel, optimal_weights, scores, scores_of_both, task
from .tables import TABLES

__all__ = [
    "TABLES",
    "chosen_kernel",
    "optimal_weights",
    "scores",
    "scores_of_both",
    "task",
]
