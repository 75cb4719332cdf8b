"""What is installed beside kernelweave, for reports of problems."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_info

from .extras import EXTRAS

BASE = (
    "array-api-compat",
    "clarabel",
    "numpy",
    "scikit-learn",
    "scipy",
    "skops",
    "threadpoolctl",
)
# In no extra, but tables may come from it.
ALSO = ("polars",)


def show_versions() -> None:
    """Print the versions of Python, of what kernelweave is built on, and of extras.

    Examples
    --------
    >>> show_versions()  # doctest: +ELLIPSIS
    kernelweave ...
    """
    extras = [name.replace("_", "-") for name in EXTRAS]
    rows = {
        "kernelweave": _version("kernelweave"),
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
    } | {name: _version(name) for name in (*BASE, *extras, *ALSO)}
    width = max(map(len, rows))
    for name, text in rows.items():
        print(f"{name:{width}} {text}")
    for pool in threadpool_info():
        name, threads = pool["internal_api"], pool["num_threads"]
        # OpenMP does not say its version, but which of several libraries it is.
        which = pool["version"] or pool["prefix"]
        print(f"{name:{width}} {which}, {threads} threads")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
