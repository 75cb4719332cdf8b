"""Ye, Ji and Chen (2008), Multi-class discriminant kernel learning via convex
programming, Journal of Machine Learning Research 9.

    TABLES       Tables 2 to 17, Figures 1, 3 and 4, and §5.3, to be run split by split
    task         a split of one of the fourteen data sets, with its ten kernels
    learn        the methods that learn weights, on a task
    run_split    these and the ones that cross-validate, as cells
    LogGabor     views of images, one for each scale and orientation
"""

from .log_gabor import LogGabor
from .protocol import Learned, learn, run_split
from .tables import TABLES
from .tasks import Task, task

__all__ = ["TABLES", "Learned", "LogGabor", "Task", "learn", "run_split", "task"]
