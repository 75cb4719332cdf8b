"""What takes an estimator of kernelweave says so where it gets another one."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import evaluate
from kernelweave.importance import feature_importance, per_sample, view_importance
from kernelweave.kernels import RBF, Linear
from kernelweave.report import write_report

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NUMBERS = X[:, 0] + 0.1 * RNG.normal(size=40)
CLASSES = (NUMBERS > 0).astype(int)
KERNELS = [Linear(name="a"), RBF(name="b")]
RIDGE = MKLRidge(KERNELS)
FISHER = MKLDiscriminantAnalysis(KERNELS)

AROUND = {
    "search": (GridSearchCV(RIDGE, {"alpha": [1, 2]}, cv=2), ".best_estimator_"),
    "search of pipelines": (
        GridSearchCV(
            make_pipeline(StandardScaler(), RIDGE), {"mklridge__alpha": [1]}, cv=2
        ),
        ".best_estimator_",
    ),
    "calibrated": (CalibratedClassifierCV(FISHER, cv=2), ".estimator, not fitted"),
    "transformed": (TransformedTargetRegressor(RIDGE), ".regressor_"),
    "pipeline": (make_pipeline(GridSearchCV(RIDGE, {"alpha": [1]}, cv=2)), "best_"),
    "another": (Ridge(), "in one$"),
}


@pytest.mark.parametrize("name", AROUND)
def test_an_estimator_around_ours_is_named(name, tmp_path):
    model, said = AROUND[name]
    y = CLASSES if name == "calibrated" else NUMBERS
    model = clone(model).fit(X, y)
    words = f"combines no kernels: pass an estimator of kernelweave, or.*{said}"
    for measure in (view_importance, per_sample, feature_importance):
        with pytest.raises(TypeError, match=words):
            measure(model, X, y)
    with pytest.raises(TypeError, match=words):
        evaluate(model, X, y)
    with pytest.raises(TypeError, match=words):
        write_report(model, X, y, tmp_path / "r.html")


def test_what_is_named_will_do():
    search = clone(AROUND["search of pipelines"][0]).fit(X, NUMBERS)
    frame = view_importance(search.best_estimator_, X, NUMBERS, n_permutations=1)
    assert set(frame.index) == {"a", "b"}
