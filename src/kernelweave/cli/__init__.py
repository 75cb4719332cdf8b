"""The command line: kernelweave fit, predict, evaluate, report, methods, demo."""

from .main import main

__all__ = ["main"]
