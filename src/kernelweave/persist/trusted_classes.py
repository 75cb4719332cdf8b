"""Which classes a model file may hold: those of kernelweave, and a user's own."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from .manifest import ModelFileError
from .scikit_learn import around_a_model


def trusted_types() -> list[str]:
    """Names of the classes that a model file may hold, beyond those of skops.

    The public kernels, sets of weights, solvers and estimators, and the records that
    fitted estimators keep, those of scikit-learn around them included. No functions but
    scikit-learn's scores.

    Examples
    --------
    >>> "kernelweave.kernels.distance.RBF" in trusted_types()
    True
    """
    from scipy.sparse import csr_array, csr_matrix
    from sklearn import model_selection

    from .. import estimators, kernels, solvers, weights
    from ..estimators.gaussian import GaussianClasses
    from ..estimators.label_gaussians import LabelGaussians
    from ..fitted.expansion import (
        FeatureExpansion,
        KernelExpansion,
        KernelTerm,
        MatrixExpansion,
    )
    from ..fitted.model import FittedModel
    from ..inputs.arrays import ArrayReader
    from ..inputs.columns import TableColumns
    from ..inputs.matrices import MatrixReader
    from ..inputs.mixed_table import MixedTable
    from ..inputs.table import TableReader
    from ..kernels.ranks import Ranks
    from ..kernels.spectrum import Sequences
    from ..kernels.text_kernel import PreparedTexts
    from ..selection.descent import Descent
    from ..selection.widths import LearnedWidths
    from ..solve import Certificate, Solution, TraceRow
    from ..solvers.tied import TiedRow, TiedSolution
    from ..streamed.features import FeatureMap
    from ..streamed.folds import Folds
    from ..streamed.moments import Moments
    from ..streamed.sample import RowSample
    from ..streamed.sums import FeatureSums
    from ..streamed.targets import Indicators, Outputs, Signs
    from ..survival import Steps

    public = [
        getattr(package, name)
        for package in (estimators, kernels, solvers, weights)
        for name in package.__all__
    ]
    records = [Certificate, FittedModel, GaussianClasses, LabelGaussians]
    records += [Solution, KernelTerm]
    records += [ArrayReader, MatrixReader, MixedTable, TableColumns, TableReader]
    records += [Descent, LearnedWidths, Ranks, Sequences]
    records += [PreparedTexts]
    records += [FeatureExpansion, KernelExpansion, MatrixExpansion]
    records += [TiedRow, TiedSolution, TraceRow, csr_array, csr_matrix]
    records += [FeatureMap, FeatureSums, Folds, Indicators, Moments, Outputs]
    records += [RowSample, Signs, Steps]
    splitters = [
        value
        for name in model_selection.__all__
        if name.endswith(("Fold", "Split", "Out"))
        and isinstance(value := getattr(model_selection, name), type)
    ]
    ours = [
        f"{cls.__module__}.{cls.__qualname__}"
        for cls in (*public, *records, *splitters)
        if isinstance(cls, type)
    ]
    selector = "sklearn.compose._column_transformer.make_column_selector"
    return [*ours, selector, *around_a_model()]


def own_classes(trusted: Iterable[type | str]) -> dict[str, type | str]:
    """The classes that a user trusts, by their names, "module.Class".

    Examples
    --------
    >>> from fractions import Fraction
    >>> list(own_classes([Fraction, "my_module.MyKernel"]))
    ['fractions.Fraction', 'my_module.MyKernel']
    """
    if isinstance(trusted, str | type):
        raise ValueError(f"trusted must be a list of classes, got {trusted!r}")
    own: dict[str, type | str] = {}
    for item in trusted:
        if isinstance(item, type):
            own[f"{item.__module__}.{item.__name__}"] = item
        elif isinstance(item, str) and "." in item:
            own[item] = item
        else:
            raise ValueError(
                "trusted must hold classes, or their names such as "
                f"'my_module.MyKernel'; got {item!r}"
            )
    return own


def check_own(held: Iterable[str], own: dict[str, type | str]) -> None:
    """Refuse what is no class, or not the one that is found under its name."""
    for name in held:
        if name not in own:
            continue
        try:
            found = named(name)
        except Exception as error:
            raise ModelFileError(
                f"the trusted class {name} cannot be imported: {error}"
            ) from error
        module, _, short = name.rpartition(".")
        if found is None or (isinstance(own[name], type) and found is not own[name]):
            raise ModelFileError(
                f"the trusted class {own[name]!r} is not {short} of {module}, where a "
                "model file looks for it: define it at the top level of its module"
            )
        if not isinstance(found, type):
            raise ModelFileError(f"{name} is no class: only classes can be trusted")


def named(name: str) -> Any:
    """What a module calls so, "module.Class"; None if there is no such thing."""
    module, _, short = name.rpartition(".")
    return getattr(import_module(module), short, None)
