"""Tables and Gram matrices from files, joined by the ids of their rows."""

from .errors import TableError
from .join import Join, join
from .kernel_file import KernelFile, read_kernels
from .read import UNNAMED, read_table, row_names

__all__ = [
    "UNNAMED",
    "Join",
    "KernelFile",
    "TableError",
    "join",
    "read_kernels",
    "read_table",
    "row_names",
]
