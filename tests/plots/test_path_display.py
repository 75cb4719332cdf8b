"""Paths: what the grid saw, on an axis on which its values can be told apart."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import problems
from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    Problem,
)
from kernelweave.grams import DenseStack
from kernelweave.kernels import rbf_grid
from kernelweave.losses import Square, discriminant_targets
from kernelweave.plots import PathDisplay
from kernelweave.selection import NORMS
from kernelweave.solve import path
from kernelweave.weights import LpBall, Simplex

KERNELS = rbf_grid(factors=(0.5, 1, 2), prefix="all: ")


@pytest.fixture(scope="module")
def chosen():
    X, y = problems.blobs()
    return MKLDiscriminantAnalysisCV(KERNELS, norms=NORMS).fit(X, y)


@pytest.mark.parametrize(
    ("parameter", "scale"), [(None, "log"), ("alpha", "log"), ("norm", "linear")]
)
def test_grid_by_leave_one_out(chosen, parameter, scale, legible):
    display = PathDisplay.from_estimator(chosen, parameter)
    name = parameter or "alpha"
    other, best = (
        ("norm", chosen.norm_) if name == "alpha" else ("alpha", chosen.alpha_)
    )
    results = chosen.cv_results_
    at = np.flatnonzero(results[f"param_{other}"] == best)
    at = at[np.argsort(results[f"param_{name}"][at])]
    (line,) = [a for a in display.score_ax_.lines if a.get_marker() == "o"]
    assert np.allclose(line.get_ydata(), results["mean_test_score"][at])
    assert display.ax_.get_xscale() == scale
    # Shares of the weight, the heaviest kernel first.
    drawn = np.array([a.get_ydata() for a in display.ax_.lines[:3]]).T
    shares = results["weights"][at] / results["weights"][at].sum(1, keepdims=True)
    assert np.allclose(np.sort(drawn), np.sort(shares))
    assert "leave-one-out" in display.score_ax_.get_ylabel()
    legible(display)


def test_at_the_end_of_a_pipeline(chosen):
    X, y = problems.blobs()
    pipe = make_pipeline(StandardScaler(), chosen)
    display = PathDisplay.from_estimator(pipe.fit(X, y))
    assert display.chosen == chosen.alpha_


def test_grid_by_folds_has_scores_only(legible):
    X, y = problems.blobs()
    model = MKLSVCCV(KERNELS, vs=[0, 0.5, 1], Cs=[1, 10], cv=2).fit(X, y)
    display = PathDisplay.from_estimator(model, "v")
    assert display.weights is None and display.ax_ is display.score_ax_
    at = model.cv_results_["param_C"] == model.C_
    assert np.allclose(display.spread, model.cv_results_["std_test_score"][at])
    assert "2 folds" in display.ax_.get_ylabel()
    legible(display)


def test_grid_search(legible):
    X, y = problems.blobs()
    grid = {"weights__p": [1, 1.5, 2], "normalize": ["trace", "variance"]}
    search = GridSearchCV(MKLSVC(KERNELS, LpBall(2)), grid, cv=2).fit(X, y)
    display = PathDisplay.from_estimator(search, "weights__p")
    assert list(display.values) == [1, 1.5, 2]
    assert "normalize = " in display.ax_.get_xlabel()
    legible(display)
    with pytest.raises(ValueError, match="no numbers"):
        PathDisplay.from_estimator(search, "normalize")
    with pytest.raises(ValueError, match="must be one of"):
        PathDisplay.from_estimator(search, "alpha")


@pytest.mark.parametrize(("p", "n_views"), [(1, 1), (10, 3), (50, 4), (800, 5)])
def test_solutions_of_any_number_of_kernels(p, n_views, view_names, legible):
    rng = np.random.default_rng(p)
    K = problems.random_psd(rng, p, 8, 2)
    loss = Square(discriminant_targets(np.arange(8) % 2, 2), 1.0, True)
    values = [100.0, 10.0, 1.0]
    solutions = path(Problem(DenseStack(K), loss, Simplex()), values, tol=1e-2)
    display = PathDisplay.from_path(values, solutions, view_names(p, n_views))
    assert list(display.values) == [1, 10, 100]
    assert np.allclose(display.weights[0], solutions[-1].weights)
    assert len(display.ax_.lines) == p
    assert len(display.ax_.get_legend().get_texts()) == min(p, 10)
    assert ("790 more in grey" in display.ax_.get_ylabel()) == (p == 800)
    legible(display)


def test_infinite_norm_and_one_value(legible):
    display = PathDisplay([1, 2, np.inf], np.eye(3), [0.1, 0.2, 0.3], chosen=np.inf)
    shown = [label.get_text() for label in display.plot().ax_.get_xticklabels()]
    assert shown == ["1", "2", "inf"]
    legible(display)
    legible(PathDisplay([1.0], [[0.5, 0.5]], [0.1]).plot())


def test_nothing_to_draw():
    X, y = problems.blobs()
    with pytest.raises(ValueError, match="no grid of scores"):
        PathDisplay.from_estimator(MKLDiscriminantAnalysis().fit(X, y))
    with pytest.raises(ValueError, match="nothing to draw"):
        PathDisplay([1.0])
    with pytest.raises(ValueError, match="one of the values, got 3"):
        PathDisplay([1.0, 2.0], scores=[1.0, 2.0], chosen=3)
    with pytest.raises(ValueError, match="one row for each of the 2 values"):
        PathDisplay([1.0, 2.0], scores=[1.0])
