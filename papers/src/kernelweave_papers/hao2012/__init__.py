"""Hao, Yuan, Yang and Chen (2012), A primal method for multiple kernel learning, Neural
Computing and Applications.

    directions         Figure 1: truncated Newton against nonlinear PCG
    machines           the same at given weights
    trace_norms        Table 1: kernels with and without unit trace
    six_sets           Table 2: accuracy and kernels selected
    digit_pairs        Table 3: USPS digits, 6 labels a class
    few_labels         Table 4: a fifth of the rows labelled
    evolution          Figure 2: the weights, iteration by iteration
    kernel_counts      Figure 3 (a): seconds against the number of kernels
    penalty_times      Figure 3 (b): seconds against λ

Figure 3 (c) is `few_labels` with other graphs. Each returns rows, a list of dicts, and
prints nothing. `TABLES` has them one split at a time, for `kernelweave reproduce`;
`readings` has what supports our reading of the data and of the stopping rule.
"""

from .protocol import printed, six_sets, trace_norms
from .speed import directions, evolution, kernel_counts, machines, penalty_times
from .tables import TABLES
from .tasks import WIDTHS, gaussians, table
from .transduction import digit_pairs, few_labels

__all__ = [
    "TABLES",
    "WIDTHS",
    "digit_pairs",
    "directions",
    "evolution",
    "few_labels",
    "gaussians",
    "kernel_counts",
    "machines",
    "penalty_times",
    "printed",
    "six_sets",
    "table",
    "trace_norms",
]
