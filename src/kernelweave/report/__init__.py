"""A report of a fitted model: one HTML file that needs nothing else.

`write_report(model, X, y, "report.html", evaluation=evaluate(model, X, y))`
"""

from .write import write_report

__all__ = ["write_report"]
