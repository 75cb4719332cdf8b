"""The command line: kernelweave fit, predict, evaluate, report, reproduce, ..."""

from .main import main

__all__ = ["main"]
