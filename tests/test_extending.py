"""The examples of parts of one's own: one file each, and public names only."""

import ast
import doctest
import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

import problems
from kernelweave import (
    MKLSVC,
    MKLDiscriminantAnalysis,
    MKLRidge,
    Problem,
    persist,
    solve,
)
from kernelweave.grams import DenseStack
from kernelweave.kernels import Kernel, Linear
from kernelweave.losses import Hinge, Square
from kernelweave.problem import Loss, WeightSet
from kernelweave.solvers import SILP, Newton, ProjectedNewton
from kernelweave.weights import GroupSimplex, LpBall, Simplex

FILES = sorted((Path(__file__).parents[1] / "examples" / "extending").glob("*.py"))
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def _module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    # Models of these classes are pickled and saved.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


MODULES = {path.stem: _module(path) for path in FILES}
Logistic = MODULES["logistic_loss"].Logistic
CappedSimplex = MODULES["capped_simplex"].CappedSimplex
FrankWolfe = MODULES["frank_wolfe"].FrankWolfe
Prefix = MODULES["prefix_kernel"].Prefix
SignRegression = MODULES["sign_regression"].SignRegression


@every_file
def test_docstrings_run(path):
    result = doctest.testmod(MODULES[path.stem])
    assert result.attempted and not result.failed


@every_file
def test_no_private_name_of_the_package(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not any(part[0] == "_" for part in node.module.split("."))
            assert not any(alias.name[0] == "_" for alias in node.names)
        if isinstance(node, ast.Attribute) and re.match("_(?!_)", node.attr):
            # A method of the class itself.
            assert isinstance(node.value, ast.Name) and node.value.id == "self"


X, LABELS = problems.blobs(60, 4)
SIGNS = 2.0 * LABELS - 1
GRAMS = np.stack([x @ x.T for x in (X[:, :2], X[:, 2:])] + [np.exp(X @ X.T / 9)])


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_loss_with_one_kernel_is_logistic_regression(C):
    assert isinstance(Logistic(SIGNS), Loss)
    problem = Problem(DenseStack(GRAMS[:1]), Logistic(SIGNS, C), Simplex())
    solution = solve(problem, tol=1e-9)
    assert solution.converged
    model = LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000)
    w = model.fit(X[:, :2], LABELS).coef_[0]
    value = 0.5 * w @ w + C * np.sum(np.logaddexp(0, -SIGNS * (X[:, :2] @ w)))
    assert solution.certificate.primal == pytest.approx(value, rel=1e-7)
    assert X[:, :2].T @ solution.A[:, 0] == pytest.approx(w, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2), GroupSimplex([0, 0, 1])])
def test_the_loss_in_every_solver_that_takes_it(weights):
    problem = Problem(DenseStack(GRAMS), Logistic(SIGNS, 1.0), weights)
    values = [solve(problem, s).certificate for s in (None, ProjectedNewton(), SILP())]
    for c in values:
        assert abs(c.relative_gap) <= 1e-6
        assert c.primal == pytest.approx(values[0].primal, rel=2e-6)


def test_derivatives_of_the_loss():
    problem = Problem(DenseStack(GRAMS), Logistic(SIGNS, 1.0), Simplex())
    theta, h = np.array([0.5, 0.3, 0.2]), 1e-4
    point = problem.at(theta)
    ahead, behind = ([problem.at(theta + t * e) for e in np.eye(3)] for t in (h, -h))
    pairs = list(zip(ahead, behind, strict=True))
    slopes = [(a.value - b.value) / (2 * h) for a, b in pairs]
    assert point.gradient == pytest.approx(slopes, rel=1e-5)
    bends = [(a.gradient - b.gradient) / (2 * h) for a, b in pairs]
    assert point.hessian() == pytest.approx(np.array(bends), rel=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_the_set(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 9))
    weights = CappedSimplex(float(rng.uniform(1 / p, 1)))
    assert isinstance(weights, WeightSet)
    s, t = rng.exponential(size=p), rng.normal(size=p)
    nearest = weights.project(t)
    for theta in (weights.start(p), weights.maximiser(s), nearest):
        assert np.all((theta >= 0) & (theta <= weights.cap))
        assert theta.sum() == pytest.approx(1, abs=1e-12)
        assert theta @ s <= weights.support(s) + 1e-12
        assert (t - nearest) @ (theta - nearest) <= 1e-12


@pytest.mark.parametrize("loss", [Square(SIGNS[:, None], 0.1), Hinge(SIGNS[:, None])])
def test_the_set_without_a_cap_is_the_simplex(loss):
    own = solve(Problem(DenseStack(GRAMS), loss, CappedSimplex(1.0)))
    simplex = solve(Problem(DenseStack(GRAMS), loss, Simplex()))
    assert own.converged
    assert own.certificate.primal == pytest.approx(simplex.certificate.primal, rel=2e-6)


def test_the_set_in_estimators():
    for model in (MKLRidge(), MKLSVC(), MKLSVC(loss="squared_hinge")):
        model.set_params(weights=CappedSimplex(0.3)).fit(X, LABELS)
        assert model.solution_.converged and model.weights_.max() <= 0.3
    search = GridSearchCV(
        MKLRidge(weights=CappedSimplex()), {"weights__cap": [0.3, 1.0]}, cv=3
    )
    assert np.all(np.isfinite(search.fit(X, LABELS).cv_results_["mean_test_score"]))
    with pytest.raises(ValueError, match="CappedSimplex"):
        MKLRidge(weights=CappedSimplex(0.01)).fit(X, LABELS)


@pytest.mark.parametrize("weights", [Simplex(), GroupSimplex([0, 0, 1])], ids=repr)
def test_the_solver(weights):
    problem = Problem(DenseStack(GRAMS), Square(SIGNS[:, None], 10.0), weights)
    own = solve(problem, FrankWolfe(), tol=1e-3, max_iter=5000)
    assert own.converged
    best = solve(problem, tol=1e-8).certificate.primal
    assert own.certificate.primal == pytest.approx(best, rel=1e-3)
    model = clone(MKLDiscriminantAnalysis(solver=FrankWolfe(3.0), tol=1e-2))
    assert model.set_params(solver__a=2.0).fit(X, LABELS).solution_.converged


TABLE = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
TABLE["code"] = [f"{'AB'[label]}{i % 7}.{i % 3}" for i, label in enumerate(LABELS)]


def test_the_kernel():
    kernel = Prefix(columns="code", name="codes: prefix").fit(TABLE)
    assert np.linalg.eigvalsh(kernel(TABLE))[0] > -1e-12
    model = MKLDiscriminantAnalysis([kernel, Linear(columns=["a", "b"])])
    model.fit(TABLE, LABELS)
    assert model.solution_.converged and model.score(TABLE, LABELS) == 1
    # A text that no training row has is compared letter by letter.
    new = TABLE[:2].assign(code=["B9.9", "A9.9"])
    assert model.predict(new).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"'codes: prefix'.*2 of 60 rows have no text"):
        clone(model).fit(TABLE.assign(code=[None, None, *TABLE["code"][2:]]), LABELS)


def test_a_kernel_of_numbers():
    class Minimum(Kernel):
        def __init__(self, columns=None, name=None):
            self.columns, self.name = columns, name

        def learn(self, X):
            self.least_ = X.min(axis=0)

        def compare(self, X, Y):
            return np.minimum(X[:, None] - self.least_, Y - self.least_).sum(axis=2)

    model = MKLRidge([Minimum(), Linear()]).fit(X, SIGNS)
    assert model.solution_.converged and model.score(X, SIGNS) > 0.5
    with pytest.raises(TypeError, match=r"must define compare\(X, Y\)"):
        type("Empty", (Minimum,), {"compare": Kernel.compare})().fit(X)(X)


def test_the_estimator():
    model = SignRegression().fit(X, LABELS)
    same = MKLSVC(loss="squared_hinge", center=True, tol=1e-6).fit(X, LABELS)
    assert model.solution_.certificate.primal == pytest.approx(
        same.solution_.certificate.primal, rel=1e-5
    )
    assert model.decision_function(X) == pytest.approx(
        same.decision_function(X), abs=1e-3
    )
    check_estimator(SignRegression(), on_skip=None)


def test_all_five_are_saved_and_loaded(tmp_path):
    own = MODULES["prefix_kernel"].Prefix(columns="code")
    model = MKLRidge(
        [own, Linear(columns=["a", "b"])],
        weights=CappedSimplex(0.8),
        solver=FrankWolfe(),
        tol=1e-2,
        max_iter=1000,
    ).fit(TABLE, SIGNS)
    trusted = [Prefix, CappedSimplex, FrankWolfe]
    persist.save(model, tmp_path / "model.skops", trusted=trusted)
    again = persist.load(tmp_path / "model.skops", trusted=trusted)
    assert np.array_equal(again.predict(TABLE), model.predict(TABLE))
    model = SignRegression(Logistic, tol=1e-5).fit(X, LABELS)
    trusted = [SignRegression, Logistic]
    persist.save(model, tmp_path / "own.skops", trusted=trusted)
    again = persist.load(tmp_path / "own.skops", trusted=trusted)
    assert np.array_equal(again.predict(X), model.predict(X))


def test_newton_says_what_it_lacks():
    problem = Problem(DenseStack(GRAMS), Logistic(SIGNS), CappedSimplex())
    with pytest.raises(TypeError, match=r"CappedSimplex has none; use ProjectedNewton"):
        solve(problem, Newton())
