"""What scikit-learn's estimators around a model keep, beyond what skops trusts."""

from __future__ import annotations

from inspect import isfunction

from sklearn import feature_selection
from sklearn.metrics import get_scorer, get_scorer_names

# Calibration, searches, votes and stacks, tuned thresholds, imputers, and one class
# against the rest where there is one class only. Some exist in newer versions alone;
# skops trusts the experimental ones only where a program has enabled them.
RECORDS = (
    "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.impute._iterative.IterativeImputer",
    "sklearn.impute._iterative._ImputerTriplet",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._MultimetricScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.model_selection._search_successive_halving.HalvingGridSearchCV",
    "sklearn.model_selection._search_successive_halving.HalvingRandomSearchCV",
    "sklearn.model_selection._split._CVIterableWrapper",
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)


def around_a_model() -> list[str]:
    """Names of these records, and of the functions by which scikit-learn scores.

    They score predictions (`scoring=`) and columns (`SelectKBest`).

    Examples
    --------
    >>> "sklearn.metrics._regression.r2_score" in around_a_model()
    True
    """
    scorers = map(get_scorer, get_scorer_names())
    scores = [getattr(scorer, "_score_func", None) for scorer in scorers]
    scores += [getattr(feature_selection, name) for name in feature_selection.__all__]
    functions = {f"{f.__module__}.{f.__qualname__}" for f in scores if isfunction(f)}
    return [*RECORDS, *sorted(functions)]
