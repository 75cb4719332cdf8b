"""Packages that only some of the work needs, and how to install them."""

from __future__ import annotations

from importlib.util import find_spec

# The package and the extra of kernelweave that has it.
EXTRAS = {
    "cvxpy": "conic",
    "dask": "dask",
    "kernelweave_papers": "papers",
    "matplotlib": "plot",
    "numba": "fast",
    "openpyxl": "excel",
    "pandas": "tables",
    "pyarrow": "parquet",
    "torch": "torch",
}


def remedy(package: str) -> str:
    """How to install a package.

    Examples
    --------
    >>> remedy("pandas")
    "pip install 'kernelweave[tables]'"
    """
    return f"pip install 'kernelweave[{EXTRAS[package]}]'"


def require(package: str, work: str, beside: str | None = None) -> None:
    """Say what the work needs, if it is not there.

    `beside`: another package that it will need next, whose extra has both, so that
    nobody installs twice.

    Examples
    --------
    >>> require("numpy", "this")
    """
    if find_spec(package) is None:
        packages = package if beside is None else f"{package} and {beside}"
        how = remedy(beside or package)
        raise ImportError(f"{work} needs {packages}: {how}", name=package)
