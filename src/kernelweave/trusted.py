"""Which classes a model file may hold."""

from __future__ import annotations


def trusted_types() -> list[str]:
    """Names of the classes that a model file may hold, beyond those of skops.

    The public kernels, sets of weights, solvers and estimators, and the records that
    fitted estimators keep. No functions.

    Examples
    --------
    >>> "kernelweave.kernels.distance.RBF" in trusted_types()
    True
    """
    from scipy.sparse import csr_array, csr_matrix
    from sklearn import model_selection

    from . import estimators, kernels, solvers, weights
    from .estimators.gaussian import GaussianClasses
    from .grams.normalise import Statistics
    from .kernels.labels import LabelCodes
    from .scale.features import FeatureMap
    from .scale.folds import Folds
    from .scale.moments import Moments
    from .scale.sample import RowSample
    from .scale.sums import FeatureSums
    from .scale.targets import Indicators, Outputs
    from .solve import Certificate, Solution, TraceRow
    from .solvers.tied import TiedRow, TiedSolution

    public = [
        getattr(package, name)
        for package in (estimators, kernels, solvers, weights)
        for name in package.__all__
    ]
    records = [Certificate, GaussianClasses, LabelCodes, Solution, Statistics]
    records += [TiedRow, TiedSolution, TraceRow, csr_array, csr_matrix]
    records += [FeatureMap, FeatureSums, Folds, Indicators, Moments, Outputs, RowSample]
    splitters = [
        value
        for name in model_selection.__all__
        if name.endswith(("Fold", "Split", "Out"))
        and isinstance(value := getattr(model_selection, name), type)
    ]
    return [
        f"{cls.__module__}.{cls.__qualname__}"
        for cls in (*public, *records, *splitters)
        if isinstance(cls, type)
    ] + ["sklearn.compose._column_transformer.make_column_selector"]
