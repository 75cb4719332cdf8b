"""Estimators of scikit-learn around ours: saved, loaded, and the same predictions."""

import subprocess
import sys

import numpy as np
import pytest
import skops.io
from scipy.stats import loguniform
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import SelectKBest, mutual_info_regression
from sklearn.impute import SimpleImputer
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from sklearn.multioutput import (
    ClassifierChain,
    MultiOutputClassifier,
    MultiOutputRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import problems
from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear
from kernelweave.persist import ModelFileError, load, save
from kernelweave.persist.model_file import _foreign

X, Y = problems.blobs(45, 3, 3)
NEW = X + 0.125
NUMBERS = X @ [1.0, -2.0, 0.5] + 4
TWO = np.column_stack([Y > 0, Y > 1]).astype(int)


def kernels():
    return [RBF(), Linear()]


def svc():
    return MKLSVC(kernels())


def discriminant():
    return MKLDiscriminantAnalysis(kernels())


def ridge():
    return MKLRidge(kernels())


CASES = {
    "calibrated": (CalibratedClassifierCV(svc(), cv=2), Y),
    "isotonic": (CalibratedClassifierCV(svc(), cv=2, method="isotonic"), Y),
    "calibrated pipeline": (
        CalibratedClassifierCV(make_pipeline(StandardScaler(), svc()), cv=2),
        Y,
    ),
    "search": (GridSearchCV(svc(), {"C": [0.1, 1.0]}, cv=2), Y),
    "search, by name": (
        GridSearchCV(ridge(), {"alpha": [0.1, 1.0]}, cv=KFold(2), scoring="r2"),
        NUMBERS,
    ),
    "search, two scores": (
        GridSearchCV(
            discriminant(),
            {"alpha": [0.1, 1.0]},
            cv=2,
            scoring=["balanced_accuracy", "f1_macro"],
            refit="f1_macro",
        ),
        Y,
    ),
    "random search": (
        RandomizedSearchCV(
            ridge(), {"alpha": [0.1, 1.0]}, n_iter=1, cv=2, random_state=0
        ),
        NUMBERS,
    ),
    "vote": (
        VotingClassifier([("a", discriminant()), ("b", discriminant())], voting="soft"),
        Y,
    ),
    "mean": (VotingRegressor([("a", ridge()), ("b", ridge())]), NUMBERS),
    "stack": (StackingClassifier([("a", discriminant()), ("b", svc())], cv=2), Y),
    "stacked numbers": (StackingRegressor([("a", ridge())], cv=2), NUMBERS),
    "one against rest": (OneVsRestClassifier(svc()), Y),
    "one against one": (OneVsOneClassifier(svc()), Y),
    "codes": (OutputCodeClassifier(svc(), random_state=0), Y),
    "several classes": (MultiOutputClassifier(svc()), TWO),
    "chain": (ClassifierChain(svc()), TWO),
    "several numbers": (
        MultiOutputRegressor(ridge()),
        np.column_stack([NUMBERS, X[:, 0]]),
    ),
    "logarithms": (
        TransformedTargetRegressor(ridge(), func=np.exp, inverse_func=np.log),
        np.abs(NUMBERS) / 10,
    ),
    "scaled target": (
        TransformedTargetRegressor(ridge(), transformer=StandardScaler()),
        NUMBERS,
    ),
    "bag": (BaggingClassifier(discriminant(), n_estimators=2, random_state=0), Y),
    "threshold": (TunedThresholdClassifierCV(discriminant(), cv=2), TWO[:, 0]),
    "listed splits": (GridSearchCV(svc(), {"C": [1.0]}, cv=[*KFold(2).split(X)]), Y),
    "imputed": (make_pipeline(SimpleImputer(), discriminant()), Y),
    "best columns": (make_pipeline(SelectKBest(k=2), discriminant()), Y),
    "columns by information": (
        make_pipeline(SelectKBest(mutual_info_regression, k=2), ridge()),
        NUMBERS,
    ),
    # Its dtype, np.float64, is a class that looks like an array.
    "one-hot": (
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), discriminant()),
        Y,
    ),
    "columns": (
        make_pipeline(
            ColumnTransformer(
                [("scale", StandardScaler(), [0, 1])], remainder="passthrough"
            ),
            discriminant(),
        ),
        Y,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:The feature names:UserWarning")
def test_the_same_predictions(name, tmp_path):
    model, y = CASES[name]
    model.fit(X, y)
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(
            again.predict_proba(NEW), model.predict_proba(NEW)
        )
    if hasattr(model, "best_params_"):
        assert again.best_params_ == model.best_params_
        assert again.score(X, y) == model.score(X, y)


@pytest.mark.parametrize(
    "model",
    [
        svc(),
        discriminant(),
        MKLDiscriminantAnalysisCV(kernels()),
        MKLSVCCV(kernels(), Cs=[1.0], cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_skops_alone(model):
    """What skops itself writes and reads, without our files."""
    content = skops.io.dumps(model.fit(X, Y))
    held = skops.io.get_untrusted_types(data=content)
    assert _foreign(held, ()) == []
    again = skops.io.loads(content, trusted=held)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    assert again.solution_.status is model.solution_.status
    assert again.solution_.converged


def _own_score(y, f):
    return 0.0


def test_scores_of_ones_own_are_functions(tmp_path):
    search = GridSearchCV(svc(), {"C": [1.0]}, cv=2, scoring=make_scorer(_own_score))
    with pytest.raises(ModelFileError, match=r"_own_score.*by a function.*'r2'"):
        save(search.fit(X, Y), tmp_path / "model.skops")
    assert not (tmp_path / "model.skops").exists()


def test_distributions_run_text_of_the_file_and_stay_outside(tmp_path):
    """SciPy's `rv_generic.__setstate__` gives an attribute to exec."""
    grid = {"C": loguniform(0.1, 1.0)}
    search = RandomizedSearchCV(svc(), grid, n_iter=1, cv=2, random_state=0).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"reciprocal_gen.*best_estimator_ alone"):
        save(search, tmp_path / "model.skops")
    save(search.best_estimator_, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(NEW), search.predict(NEW))


EXPERIMENTAL = """
import sys
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer
from sklearn.impute import IterativeImputer
from sklearn.model_selection import HalvingGridSearchCV
from sklearn.pipeline import make_pipeline
from kernelweave import MKLRidge
from kernelweave.persist import save
model = make_pipeline(IterativeImputer(), MKLRidge())
search = HalvingGridSearchCV(model, {"mklridge__alpha": [0.1, 1.0]}, cv=2)
X = [[i, i % 3 or float("nan")] for i in range(40)]
save(search.fit(X, [float(row[0]) for row in X]), sys.argv[1])
"""


def test_experimental_estimators_are_read_where_nobody_enabled_them(tmp_path):
    path = tmp_path / "model.skops"
    subprocess.run([sys.executable, "-c", EXPERIMENTAL, path], check=True)
    assert load(path).predict([[3.0, np.nan]]).shape == (1,)
