"""Yan, Kittler, Mikolajczyk and Tahir (2012), Non-sparse multiple kernel Fisher
discriminant analysis, JMLR 13.

    simulation         Figure 1: more and more kernels that know a little each
    mixtures           Figures 2 and 6: informative against random kernels
    flower_methods     Table 2: ways to combine seven kernels of flowers
    training_time      Figures 7 and 8: seconds against samples and kernels
    time_accuracy      Figure 9: accuracy against seconds, tolerance by tolerance

Each returns rows, a list of dicts, and prints nothing. `TABLES` has them one split at
a time, for `kernelweave reproduce`.
"""

from .protocol import flower_methods, mixtures, simulation, simulation_weights
from .speed import time_accuracy, training_time
from .tables import TABLES
from .tasks import Task, flowers, handwritten, random_kernels, simulated

__all__ = [
    "TABLES",
    "Task",
    "flower_methods",
    "flowers",
    "handwritten",
    "mixtures",
    "random_kernels",
    "simulated",
    "simulation",
    "simulation_weights",
    "time_accuracy",
    "training_time",
]
