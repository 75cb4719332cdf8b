"""Every estimator that kernelweave exports, so that a new one is not forgotten.

But those whose y is events and times: see test_outcomes.py.
"""

import inspect

from sklearn.base import BaseEstimator

import kernelweave

ESTIMATORS = [
    item
    for item in (getattr(kernelweave, name) for name in kernelweave.__all__)
    if inspect.isclass(item)
    and issubclass(item, BaseEstimator)
    and hasattr(item, "fit")
    and not issubclass(item, kernelweave.MKLCoxRegression)
]
