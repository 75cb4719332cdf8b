"""The squared hinge by proximal Newton steps over chunks, against the exact machine."""

import numpy as np
import pytest

import verify
from kernelweave import MKLSVC, MKLSVCCV
from kernelweave.estimators import hinge_streaming
from kernelweave.estimators.streaming import fit_to_chunks
from kernelweave.fitted import features
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.problem import Problem
from kernelweave.solvers import Primal
from kernelweave.streamed.chunks import ArrayChunks
from kernelweave.streamed.squared_hinge import ProximalNewton
from kernelweave.weights import ElasticNet, Fixed, LpBall, LpPenalty, Simplex
from problems import blobs

KERNELS = [
    Linear(columns=[0, 1], name="a"),
    Linear(columns=[2, 3], name="b"),
    Nystroem(RBF(gamma=0.2), n_components=30, name="c"),
    Nystroem(RBF(gamma=1.0, columns=[4]), n_components=10, name="d"),
]


@pytest.fixture
def sums_for_all(monkeypatch):
    """Features however few the rows are."""
    monkeypatch.setattr(features, "MANY", 0)


def task(k, n=240, seed=0):
    X, y = blobs(n, d=5, k=k, seed=seed)
    return X, np.array(["red", "green", "blue"])[y]


class Halves(ArrayChunks):
    """Sums of every other chunk apart, merged at the end, as two machines would."""

    def accumulate(self, make):
        parts = make(), make()
        for i, (first, X, y) in enumerate(self):
            parts[i % 2].add(X, y, first)
        parts[0].merge(parts[1])
        return parts[0]


def exact(model, X, y, *args, monkeypatch):
    """The same parameters on Gram matrices."""
    with monkeypatch.context() as patch:
        patch.setattr(features, "MANY", len(X))
        other = MKLSVC(**model.get_params(deep=False)).fit(X, y, *args)
    assert not hasattr(other, "coef_")
    return other


SETS = [
    (Simplex(), verify.Simplex(np.ones(4))),
    (LpBall(1.5), verify.LpBall(1.5)),
    (ElasticNet(0.5), verify.ElasticNet(0.5)),
]


@pytest.mark.parametrize("weights, oracle_set", SETS)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("C", [0.05, 20.0])
def test_bounds_are_those_of_the_rows(weights, oracle_set, k, C, sums_for_all):
    X, y = task(k)
    model = MKLSVC(KERNELS, weights, C=C, loss="squared_hinge", tol=1e-7).fit(X, y)
    # The Gram matrices and targets that the sums stand for, written down again.
    Z = [kernel.features(X) for kernel in model.kernels_]
    K = np.stack([(V - V.mean(axis=0)) @ (V - V.mean(axis=0)).T for V in Z])
    K *= (len(X) / np.trace(K, axis1=1, axis2=2))[:, None, None]
    Y = np.where(y[:, None] == model.classes_, 1.0, -1.0)
    Y = Y[:, 1:] if k == 2 else Y
    oracle = verify.squared_hinge(K, Y, C)
    f = model.decision_function(X).reshape(len(X), -1)
    A = oracle.into_domain(C * Y * np.maximum(1 - Y * f, 0))
    certificate = model.solution_.certificate
    primal = oracle.primal(model.weights_)
    assert oracle_set.cost(model.weights_) == pytest.approx(1, abs=1e-9)
    assert certificate.relative_gap <= 1e-7
    # F(θ), which (w, b) attains; and D(A) of the errors that (w, b) makes.
    assert certificate.primal == pytest.approx(primal, rel=1e-7)
    assert oracle.fitted(model.weights_, A) >= primal * (1 - 1e-12)
    assert primal - oracle.bound(A, oracle_set) <= 2e-6 * primal
    assert certificate.dual <= primal * (1 + 1e-10)


OPTIONS = [
    {},
    {"weights": LpBall(2), "class_weight": "balanced"},
    {"class_weight": {"red": 5.0}, "normalize": "trace", "C": 50.0, "center": True},
    {"multiclass": "per_class", "normalize": "spherical"},
    {"weights": Fixed(), "normalize": None, "C": 0.3},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("k", [2, 3])
def test_the_machine_of_gram_matrices(options, k, sums_for_all, monkeypatch):
    X, y = task(k)
    model = MKLSVC(KERNELS, loss="squared_hinge", tol=1e-7).set_params(**options)
    other = exact(model, X, y, monkeypatch=monkeypatch)
    model.fit(X, y)
    assert model.coef_.shape == (44, 1 if k == 2 else 3)
    assert model.weights_ == pytest.approx(other.weights_, abs=1e-3)
    size = np.max(np.abs(other.decision_function(X)))
    assert model.decision_function(X) == pytest.approx(
        other.decision_function(X), abs=1e-3 * size
    )
    assert np.mean(model.predict(X) == other.predict(X)) >= 0.995


def test_weights_of_rows(sums_for_all, monkeypatch):
    X, y = task(3)
    weight = np.random.default_rng(0).uniform(0, 2, len(X))
    weight[::7] = 0
    model = MKLSVC(KERNELS, loss="squared_hinge", tol=1e-7)
    other = exact(model, X, y, weight, monkeypatch=monkeypatch)
    model.fit(X, y, weight)
    assert model.weights_ == pytest.approx(other.weights_, abs=1e-3)
    unweighted = MKLSVC(KERNELS, loss="squared_hinge", tol=1e-7).fit(X, y)
    assert np.max(np.abs(model.weights_ - unweighted.weights_)) > 1e-2


@pytest.mark.parametrize("k", [2, 3])
def test_chunks_and_machines_do_not_matter(k, sums_for_all):
    X, y = task(k)
    model = MKLSVC(KERNELS, loss="squared_hinge", class_weight="balanced", tol=1e-7)
    whole = MKLSVC(**model.get_params(deep=False)).fit(X, y)
    fit_to_chunks(model, Halves(X, y, 17), X.shape[1], None)
    assert model.weights_ == pytest.approx(whole.weights_, rel=1e-8, abs=1e-10)
    assert model.coef_ == pytest.approx(whole.coef_, rel=1e-6, abs=1e-8)


def test_a_pass_or_two_a_step(sums_for_all):
    passes = []

    class Counted(ArrayChunks):
        def accumulate(self, make):
            passes.append(0)
            return super().accumulate(make)

    X, y = task(2)
    model = MKLSVC(KERNELS, loss="squared_hinge", tol=1e-6)
    fit_to_chunks(model, Counted(X, y), X.shape[1], None)
    assert model.solution_.converged
    assert model.n_iter_ <= 8
    assert len(passes) <= 2 + 2 * model.n_iter_


def test_dask(sums_for_all):
    da = pytest.importorskip("dask.array")
    X, y = task(3)
    model = MKLSVC(KERNELS, loss="squared_hinge", tol=1e-7)
    whole = MKLSVC(**model.get_params(deep=False)).fit(X, y)
    lazy = da.from_array(X, chunks=(50, 5))
    model.fit(lazy, da.from_array(y, chunks=70))
    assert model.weights_ == pytest.approx(whole.weights_, rel=1e-8, abs=1e-10)
    assert np.array_equal(model.predict(lazy).compute(), whole.predict(X))
    with pytest.raises(ValueError, match="class_weight"):
        model.fit(lazy, da.from_array(y, chunks=70), np.ones(len(X)))
    with pytest.raises(ValueError, match="on some of the rows"):
        MKLSVCCV(KERNELS, loss="squared_hinge").fit(lazy, y)


def test_a_kernel_without_variance_is_left_out(sums_for_all):
    X, y = task(2)
    X[:, 4] = 3.0
    with pytest.warns(UserWarning, match="get weight 0: 'd'"):
        model = MKLSVC(KERNELS, loss="squared_hinge").fit(X, y)
    assert model.weights_[3] == 0
    assert model.solution_.converged


def test_classes_that_are_far_apart(sums_for_all):
    X, y = task(2)
    X[y == "red"] += 20
    model = MKLSVC(KERNELS, loss="squared_hinge", C=1e3, tol=1e-6).fit(X, y)
    assert model.solution_.converged
    assert model.score(X, y) == 1


def test_chosen_by_folds(sums_for_all):
    X, y = task(2, n=150)
    model = MKLSVCCV(KERNELS, vs=[0, 1], Cs=[0.1, 1], loss="squared_hinge", cv=2)
    model.fit(X, y)
    assert model.coef_.shape[1] == 1
    assert np.all(model.cv_results_["relative_gap"] <= 1e-3)


def test_fitted_again_with_another_loss(sums_for_all):
    X, y = task(2)
    model = MKLSVC(KERNELS, loss="squared_hinge").fit(X, y)
    assert not hasattr(model, "support_")
    model.set_params(loss="hinge").fit(X, y)
    assert not hasattr(model, "coef_")
    assert len(model.support_) < len(X)


def test_a_solver_that_was_asked_for_is_used(sums_for_all):
    X, y = task(2)
    model = MKLSVC(KERNELS, loss="squared_hinge", solver=Primal()).fit(X, y)
    assert not hasattr(model, "coef_")
    assert model.solution_.converged


def _chunked(model, k=2):
    X, y = task(k)
    return fit_to_chunks(model, ArrayChunks(X, y), X.shape[1], None)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"loss": "hinge"}, "loss='squared_hinge'"),
        ({"C": "learn"}, "given C"),
        ({"solver": Primal()}, "solver=None"),
        ({"kernels": [RBF()]}, "Nystroem"),
        ({"class_weight": {"pink": 2}}, "'pink'"),
        ({"class_weight": {"red": 0}}, "two classes"),
        ({"class_weight": "equal"}, "'balanced'"),
    ],
)
def test_what_chunks_cannot_do(options, message):
    model = MKLSVC(KERNELS, loss="squared_hinge").set_params(**options)
    with pytest.raises(ValueError, match=message):
        _chunked(model)


def test_too_many_sums_are_refused(monkeypatch, sums_for_all):
    monkeypatch.setattr(hinge_streaming, "_SUMS", 20_000)
    model = MKLSVC(KERNELS, loss="squared_hinge")
    with pytest.raises(ValueError, match="MKLDiscriminantAnalysis"):
        _chunked(model, k=3)
    _chunked(model, k=2)
    # In memory there is another way.
    assert not hasattr(model.fit(*task(3)), "coef_")


def test_a_penalty_on_the_weights_is_refused(sums_for_all):
    model = MKLSVC(KERNELS, LpPenalty(2), loss="squared_hinge")
    with pytest.raises(TypeError, match="LpBall"):
        model.fit(*task(2))


def test_only_for_rows():
    problem = Problem(None, None, Simplex())
    with pytest.raises(TypeError, match="FeatureRows"):
        next(ProximalNewton().iterates(problem, 1e-6, None))
