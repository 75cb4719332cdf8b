"""What scikit-learn's estimators around a model keep, beyond what skops trusts."""

from __future__ import annotations

from sklearn.metrics import get_scorer, get_scorer_names

# Calibration, searches, votes and stacks, tuned thresholds, and one class against the
# rest where there is one class only. Some exist in newer versions alone.
RECORDS = (
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.calibration._TemperatureScaling",
    "sklearn.metrics._scorer._CurveScorer",
    "sklearn.metrics._scorer._MultimetricScorer",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
)


def around_a_model() -> list[str]:
    """Names of these records, and of the functions by which scikit-learn scores.

    Examples
    --------
    >>> "sklearn.metrics._regression.r2_score" in around_a_model()
    True
    """
    scorers = map(get_scorer, get_scorer_names())
    scores = [getattr(scorer, "_score_func", None) for scorer in scorers]
    functions = {f"{f.__module__}.{f.__qualname__}" for f in scores if f is not None}
    return [*RECORDS, *sorted(functions)]
