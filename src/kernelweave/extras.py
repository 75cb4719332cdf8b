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


def require(package: str, work: str) -> None:
    """Say what the work needs, if it is not there.

    Examples
    --------
    >>> require("numpy", "this")
    """
    if find_spec(package) is None:
        raise ImportError(f"{work} needs {package}: {remedy(package)}", name=package)
