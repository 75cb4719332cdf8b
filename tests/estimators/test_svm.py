"""MKLSVC and MKLSVR against scikit-learn's SVC and SVR, and their own conventions."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR

import problems
from kernelweave import MKLSVC, MKLSVCCV, MKLSVR, MKLSVRCV
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.solvers import SILP
from kernelweave.weights import ElasticNet, Fixed, LpBall, Simplex

X, Y = problems.blobs(120, 4, 2, seed=1)
X3, Y3 = problems.blobs(120, 4, 3, seed=2)
NEW = np.random.default_rng(0).normal(size=(40, 4))
D, T = load_diabetes(return_X_y=True)
D, T = scale(D[:150]), T[:150] / 50
KERNELS = [RBF(gamma=0.05), RBF(gamma=0.5), Linear(), RBF(gamma=5.0)]


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("center", [False, True])
def test_one_kernel_is_svc(C, center):
    ours = MKLSVC([RBF(gamma=0.2)], normalize=None, C=C, center=center).fit(X, Y)
    theirs = SVC(gamma=0.2, C=C, tol=1e-8).fit(X, Y)
    assert ours.decision_function(NEW) == pytest.approx(
        theirs.decision_function(NEW), abs=1e-3
    )
    assert np.array_equal(ours.predict(NEW), theirs.predict(NEW))
    assert np.array_equal(ours.support_, theirs.support_)
    assert np.array_equal(ours.n_support_, theirs.n_support_)
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, abs=1e-4 * C)
    assert ours.support_vectors_ == pytest.approx(theirs.support_vectors_)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_one_kernel_is_svr(C, epsilon):
    ours = MKLSVR([RBF(gamma=0.05)], normalize=None, C=C, epsilon=epsilon).fit(D, T)
    theirs = SVR(gamma=0.05, C=C, epsilon=epsilon, tol=1e-8).fit(D, T)
    assert ours.predict(D) == pytest.approx(theirs.predict(D), abs=1e-3)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("outputs", [1, 2])
def test_targets_in_the_tube_are_predicted_by_a_constant(loss, center, outputs):
    y = np.linspace(3, 4, len(D))
    y = y if outputs == 1 else np.c_[y, -y]
    model = MKLSVR(loss=loss, center=center, epsilon=1.0).fit(D, y)
    assert len(model.support_) == 0
    f = model.predict(D[:7] + 1)
    assert f.shape == y[:7].shape
    assert np.array_equal(f, np.broadcast_to(f[0], f.shape))
    # The constant leaves every target in the tube.
    assert np.all(np.abs(y - f[0]) <= 1.0)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_three_classes_with_one_kernel_are_three_machines(loss):
    kernel = [RBF(gamma=0.2)]
    ours = MKLSVC(kernel, normalize=None, loss=loss).fit(X3, Y3)
    each = OneVsRestClassifier(MKLSVC(kernel, normalize=None, loss=loss)).fit(X3, Y3)
    assert ours.decision_function(NEW) == pytest.approx(
        each.decision_function(NEW), abs=1e-8
    )
    alone = MKLSVC(kernel, normalize=None, loss=loss, multiclass="per_class")
    assert alone.fit(X3, Y3).decision_function(NEW) == pytest.approx(
        each.decision_function(NEW), abs=1e-8
    )
    assert ours.dual_coef_.shape == (3, len(ours.support_))
    assert ours.n_support_.sum() == len(ours.support_)


def test_weights_of_samples_and_classes_are_those_of_svc():
    weight = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    ours = MKLSVC([RBF(gamma=0.2)], normalize=None, class_weight={0: 2.0, 1: 0.5})
    theirs = SVC(gamma=0.2, tol=1e-8, class_weight={0: 2.0, 1: 0.5})
    ours.fit(X, Y, sample_weight=weight)
    theirs.fit(X, Y, sample_weight=weight)
    assert ours.decision_function(NEW) == pytest.approx(
        theirs.decision_function(NEW), abs=1e-3
    )
    assert not np.any(weight[ours.support_] == 0)
    ours = MKLSVC([RBF(gamma=0.2)], normalize=None, class_weight="balanced").fit(X, Y)
    theirs = SVC(gamma=0.2, tol=1e-8, class_weight="balanced").fit(X, Y)
    assert ours.decision_function(NEW) == pytest.approx(
        theirs.decision_function(NEW), abs=1e-3
    )


def test_weights_of_samples_of_a_regression():
    weight = np.random.default_rng(0).uniform(0, 3, len(T))
    ours = MKLSVR([RBF(gamma=0.05)], normalize=None).fit(D, T, sample_weight=weight)
    theirs = SVR(gamma=0.05, tol=1e-8).fit(D, T, sample_weight=weight)
    assert ours.predict(D) == pytest.approx(theirs.predict(D), abs=1e-3)


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2), ElasticNet(0.5)])
@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
@pytest.mark.parametrize("center", [False, True])
def test_tables_and_gram_matrices_agree(weights, normalize, center):
    options = {"weights": weights, "normalize": normalize, "center": center, "C": 10.0}
    model = MKLSVC(KERNELS, **options).fit(X, Y)
    if normalize != "spherical":
        stack = np.stack([kernel.fit(X, X)(X) for kernel in KERNELS])
        cross = np.stack([kernel(NEW, X) for kernel in KERNELS])
        given = MKLSVC("precomputed", **options).fit(stack, Y)
        assert given.decision_function(cross) == pytest.approx(
            model.decision_function(NEW), abs=1e-9
        )
    # f of the training rows, from the stack itself.
    f = model.decision_function(X)
    margin = (2 * Y - 1) * f
    bounded = np.abs(model.dual_coef_[0]) == 10.0
    free = model.support_[~bounded]
    assert margin[free] == pytest.approx(1, abs=1e-6)
    assert np.all(margin[np.setdiff1d(np.arange(len(Y)), model.support_)] >= 1 - 1e-6)
    assert np.all(margin[model.support_[bounded]] <= 1 + 1e-6)


def test_centring_changes_nothing_but_the_trace():
    one = MKLSVC(KERNELS).fit(X, Y)
    other = MKLSVC(KERNELS, center=True).fit(X, Y)
    assert one.weights_ == pytest.approx(other.weights_, abs=1e-5)
    assert one.decision_function(NEW) == pytest.approx(
        other.decision_function(NEW), abs=1e-5
    )


class Counting(RBF):
    """Remembers against how many rows it was computed."""

    seen: list

    def between(self, X, Z):
        self.seen.append(Z.shape[0])
        return super().between(X, Z)


def test_prediction_takes_support_vectors_and_active_kernels_only():
    Counting.seen = []
    kernels = [Counting(gamma=0.2), Counting(gamma=0.1), Counting(gamma=1.0)]
    model = MKLSVC(kernels, weights=Fixed([0.7, 0, 0.3]), C=10.0).fit(X, Y)
    assert len(model.support_) < len(X)
    Counting.seen.clear()
    model.predict(NEW)
    assert Counting.seen == [len(model.support_)] * 2


def test_c_learned():
    model = MKLSVC(KERNELS, C="learn", loss="squared_hinge", tol=1e-7).fit(X, Y)
    assert 0 < model.C_ < np.inf
    # 1/C is the weight of the identity: all weights add up to one.
    assert model.weights_.sum() + 1 / model.C_ == pytest.approx(1)
    weights = Fixed(model.weights_)
    same = MKLSVC(KERNELS, weights, C=model.C_, loss="squared_hinge").fit(X, Y)
    assert model.decision_function(NEW) == pytest.approx(
        same.decision_function(NEW), abs=1e-8
    )
    silp = MKLSVC(KERNELS, C="learn", loss="squared_hinge", solver=SILP()).fit(X, Y)
    assert silp.solution_.certificate.primal == pytest.approx(
        model.solution_.certificate.primal, rel=1e-4
    )


def test_weights_per_class():
    model = MKLSVC(KERNELS, multiclass="per_class", C=10.0).fit(X3, Y3)
    assert model.weights_.shape == (3, 4)
    assert len(model.solution_) == 3
    assert model.weights_.sum(axis=1) == pytest.approx(1)
    assert model.C_.tolist() == [10, 10, 10]
    for c in range(3):
        binary = MKLSVC(KERNELS, C=10.0).fit(X3, np.equal(Y3, c))
        assert model.weights_[c] == pytest.approx(binary.weights_, abs=1e-8)
        assert model.decision_function(NEW)[:, c] == pytest.approx(
            binary.decision_function(NEW), abs=1e-8
        )


def test_shared_weights_are_those_of_the_sum():
    shared = MKLSVC(KERNELS, C=10.0, tol=1e-6).fit(X3, Y3)
    alone = MKLSVC(KERNELS, multiclass="per_class", C=10.0, tol=1e-6).fit(X3, Y3)
    best = sum(s.certificate.primal for s in alone.solution_)
    assert shared.solution_.certificate.primal >= best - 1e-6 * best


def test_labels_of_any_type():
    names = np.array(["no", "yes"])[Y]
    model = MKLSVC(KERNELS).fit(X, names)
    assert set(model.predict(NEW)) <= {"no", "yes"}
    assert model.score(X, names) == MKLSVC(KERNELS).fit(X, Y).score(X, Y)


def test_probabilities_by_calibration():
    model = CalibratedClassifierCV(MKLSVC(KERNELS), ensemble=False).fit(X3, Y3)
    p = model.predict_proba(NEW)
    assert p.shape == (40, 3) and p.sum(axis=1) == pytest.approx(1)
    assert np.mean(model.predict(X3) == Y3) > 0.6


def test_searches_and_cross_validation():
    search = GridSearchCV(
        MKLSVC(KERNELS, weights=ElasticNet()), {"C": [0.1, 1], "weights__v": [0.2, 0.8]}
    ).fit(X, Y)
    assert search.best_params_.keys() == {"C", "weights__v"}
    rows = np.arange(len(Y))[:, None]
    kernels = [Precomputed(kernel.fit(X, X)(X)) for kernel in KERNELS]
    scores = cross_val_score(MKLSVC(kernels), rows, Y, cv=3)
    assert scores == pytest.approx(cross_val_score(MKLSVC(KERNELS), X, Y, cv=3))


def test_several_outputs_share_weights():
    two = np.column_stack([T, T[::-1]])
    model = MKLSVR([RBF(gamma=0.05)], normalize=None).fit(D, two)
    assert model.predict(D).shape == two.shape
    for c in range(2):
        one = MKLSVR([RBF(gamma=0.05)], normalize=None).fit(D, two[:, c])
        assert model.predict(D)[:, c] == pytest.approx(one.predict(D), abs=1e-8)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"C": 0}, "C must be a positive number"),
        ({"C": "auto"}, "C must be a positive number or 'learn'"),
        ({"C": "learn"}, "is for a squared loss"),
        (
            {"C": "learn", "loss": "squared_hinge", "weights": LpBall(2)},
            "must be Simplex",
        ),
        (
            {"C": "learn", "loss": "squared_hinge", "class_weight": "balanced"},
            "takes no sample_weight",
        ),
        ({"loss": "square"}, "loss must be 'hinge' or 'squared_hinge'"),
        ({"multiclass": "ovo"}, "multiclass must be"),
        ({"weights": "l1"}, "weights must be a set"),
    ],
)
def test_bad_parameters(parameters, message):
    unbalanced = np.append(Y[:-1], 1)
    with pytest.raises(ValueError, match=message):
        MKLSVC(KERNELS, **parameters).fit(X, unbalanced)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"C": "learn"}, "C must be a positive number"),
        ({"C": -1}, "C must be a positive number"),
        ({"epsilon": -0.1}, "epsilon must be"),
        ({"loss": "hinge"}, "loss must be 'epsilon_insensitive' or 'squared_"),
    ],
)
def test_bad_parameters_of_a_regression(parameters, message):
    with pytest.raises(ValueError, match=message):
        MKLSVR(KERNELS, **parameters).fit(D, T)


def test_bad_sample_weights():
    with pytest.raises(ValueError, match="zero or negative weights"):
        MKLSVC(KERNELS).fit(X, Y, sample_weight=np.zeros(len(Y)))
    with pytest.raises(ValueError, match="belong to the same class"):
        MKLSVC(KERNELS).fit(X, Y, sample_weight=(Y == 0).astype(float))
    with pytest.raises(ValueError, match="zero or negative"):
        MKLSVC(KERNELS).fit(X, Y, sample_weight=-np.ones(len(Y)))
    with pytest.raises(ValueError, match="Negative"):
        MKLSVC(KERNELS).fit(X, Y, sample_weight=np.arange(len(Y)) - 1.0)


def test_choosing_v_and_c(capsys):
    S, target = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(target))
    model = MKLSVCCV(KERNELS, vs=[1, 0, 0.5], Cs=[10, 0.1], cv=3, verbose=1)
    model.fit(S, target, sample_weight=weight)
    lines = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("v ") for line in lines) == 18
    results = model.cv_results_
    assert results["param_v"].tolist() == [1, 1, 0, 0, 0.5, 0.5]
    assert results["param_C"].tolist() == [10, 0.1] * 3
    assert results["params"][model.best_index_] == {"v": model.v_, "C": model.C_}
    assert model.best_score_ == results["mean_test_score"].max()
    assert np.all(results["relative_gap"] <= 1e-3)
    plain = MKLSVC(KERNELS, weights=ElasticNet(model.v_), C=model.C_)
    plain.fit(S, target, sample_weight=weight)
    assert model.weights_ == pytest.approx(plain.weights_)
    assert np.array_equal(model.predict(S), plain.predict(S))


def test_scores_are_those_of_fresh_fits():
    cv = StratifiedKFold(3)
    model = MKLSVCCV(KERNELS, vs=[0, 1], Cs=[0.1, 10], cv=cv).fit(X, Y)
    at = 0
    for v in (0.0, 1.0):
        for C in (0.1, 10.0):
            fresh = MKLSVC(KERNELS, weights=ElasticNet(v), C=C)
            scores = cross_val_score(fresh, X, Y, cv=cv)
            mean = model.cv_results_["mean_test_score"][at]
            # One sample may change sides within the tolerance of the weights.
            assert mean == pytest.approx(np.mean(scores), abs=1.01 / len(Y))
            at += 1


def test_choosing_for_a_regression():
    model = MKLSVRCV(KERNELS, vs=[0, 1], Cs=[0.1, 1, 10], cv=3).fit(D, T)
    assert model.best_score_ > 0.3
    plain = MKLSVR(KERNELS, weights=ElasticNet(model.v_), C=model.C_).fit(D, T)
    assert model.predict(D) == pytest.approx(plain.predict(D))


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"vs": [0.5, 2]}, "vs must be numbers from 0 to 1, got 2"),
        ({"Cs": []}, "Cs is empty"),
        ({"Cs": [0]}, "Cs must be positive numbers"),
    ],
)
def test_bad_grids(parameters, message):
    with pytest.raises(ValueError, match=message):
        MKLSVCCV(KERNELS, **parameters).fit(X, Y)


@pytest.mark.parametrize("machine", [MKLSVC, MKLSVR])
def test_bounds_hold_where_equal_rows_differ_and_c_is_huge(machine):
    # A = ±C at rows that are equal: K A is rounding, and C times that is not small.
    model = machine(C=1e8).fit([[2], [2], [1], [2], [1]], [2, 0, 0, 0, 1])
    c = model.solution_.certificate
    assert model.solution_.converged and c.dual <= c.primal
