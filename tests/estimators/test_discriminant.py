"""The discriminant estimators: attributes, predictions, weights."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import problems
import verify
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear, rbf_grid
from kernelweave.losses import discriminant_targets
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed, Simplex

KERNELS = [RBF(gamma=0.05), RBF(gamma=0.5), RBF(gamma=5.0), Linear()]
CLASSIFIERS = [
    MKLDiscriminantAnalysis(KERNELS),
    MKLDiscriminantAnalysis(KERNELS, alpha="learn"),
    MKLDiscriminantAnalysis(KERNELS, multiclass_sdp="approximate"),
    MKLDiscriminantAnalysis(KERNELS, weights=Fixed(), normalize="spherical"),
    KernelDiscriminantAnalysis(RBF(gamma=0.3)),
]
every_classifier = pytest.mark.parametrize("model", CLASSIFIERS)


def gram_stack(X, normalize):
    """The kernels' centred matrices by definition."""
    D = np.sum((X[:, None] - X) ** 2, axis=2)
    P = np.eye(len(X)) - 1 / len(X)
    raw = [np.exp(-g * D) for g in (0.05, 0.5, 5.0)] + [X @ X.T]
    K = np.stack([P @ k @ P for k in raw])
    K /= np.trace(K, axis1=1, axis2=2)[:, None, None]
    return K * len(X) if normalize == "variance" else K


@pytest.mark.parametrize("normalize", ["variance", "trace"])
@pytest.mark.parametrize("k", [2, 4])
def test_solution_is_verified(k, normalize):
    X, y = problems.blobs(50, 3, k)
    alpha = 0.1 if normalize == "variance" else 2e-3
    model = MKLDiscriminantAnalysis(KERNELS, alpha=alpha, normalize=normalize)
    model.fit(X, y)
    oracle = verify.Square(
        gram_stack(X, normalize), discriminant_targets(y, k), alpha, True
    )
    verify.check(oracle, model.solution_)
    assert model.solution_.converged
    assert np.array_equal(model.weights_, model.solution_.weights)
    assert np.array_equal(model.dual_coef_, model.solution_.A)


def test_lambda_learned_is_verified():
    X, y = problems.blobs(50, 3, 3)
    model = MKLDiscriminantAnalysis(KERNELS, alpha="learn").fit(X, y)
    # "variance": every kernel has trace n, and so has the identity.
    K = verify.with_identity(gram_stack(X, "variance"), 1.0)
    oracle = verify.Square(K, discriminant_targets(y, 3), 0.0, True)
    verify.check(oracle, model.solution_)
    assert model.alpha_ == pytest.approx(model.solution_.weights[0])
    assert model.alpha_ + model.weights_.sum() == pytest.approx(1, abs=1e-12)


def test_lambda_learned_means_the_same_for_every_scale():
    # rᵀθ = 1 with the identity: only shares of the trace count.
    X, y = problems.blobs(50, 3, 2)
    one = MKLDiscriminantAnalysis(KERNELS, alpha="learn")
    other = MKLDiscriminantAnalysis(KERNELS, alpha="learn", normalize="trace")
    one.fit(X, y), other.fit(X, y)
    # The same iterations, in other units: F is n times as large.
    value = 50 * one.solution_.certificate.primal
    assert other.solution_.certificate.primal == pytest.approx(value, rel=1e-6)
    assert other.alpha_ * 50 == pytest.approx(one.alpha_, rel=1e-6)
    assert one.weights_ == pytest.approx(other.weights_, abs=1e-7)


@pytest.mark.parametrize("k", [2, 3, 5])
@every_classifier
def test_predictions(model, k):
    X, y = problems.blobs(80, 3, k)
    new = np.random.default_rng(1).normal(size=(30, 3))
    model = model.fit(X, y)
    probability = model.predict_proba(new)
    assert probability.shape == (30, k)
    assert np.all(probability >= 0)
    assert probability.sum(axis=1) == pytest.approx(np.ones(30), abs=1e-12)
    assert np.array_equal(model.classes_, np.arange(k))
    assert np.array_equal(model.predict(new), np.argmax(probability, axis=1))
    decision = model.decision_function(new)
    if k == 2:
        assert decision.shape == (30,)
        log_odds = np.log(probability[:, 1] / probability[:, 0])
        assert decision == pytest.approx(log_odds, rel=1e-6, abs=1e-9)
    else:
        assert decision.shape == (30, k)
        assert np.array_equal(np.argmax(decision, axis=1), model.predict(new))
    assert model.transform(new).shape == (30, k - 1)
    assert model.dual_coef_.shape == (80, k - 1)
    assert model.intercept_.shape == (k - 1,)
    # Much better than the largest class alone; the classes do overlap.
    assert model.score(X, y) > 2 * np.bincount(y).max() / len(y) - 0.25


@pytest.mark.parametrize("scatter", ["total", "within"])
def test_probabilities_are_those_of_new_samples(scatter):
    # Fitted to left-out projections, they are not surer than they are right.
    X, y = problems.blobs(400, 5, 2, seed=3)
    model = KernelDiscriminantAnalysis(RBF(gamma=1.0), 1e-4, scatter)
    model.fit(X[:200], y[:200])
    truth, p = y[200:], model.predict_proba(X[200:])[:, 1]
    log_loss = -np.mean(np.log(np.where(truth == 1, p, 1 - p)))
    prior = np.mean(truth)
    entropy = -(prior * np.log(prior) + (1 - prior) * np.log(1 - prior))
    assert log_loss < entropy


def test_attributes():
    X, y = problems.blobs(40, 3, 3)
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    assert model.weights_.shape == (4,)
    assert list(model.kernel_names_) == [kernel.label for kernel in KERNELS]
    assert model.n_features_in_ == 3
    assert model.n_iter_ == model.solution_.n_iter >= 1
    assert model.alpha_ == model.alpha
    names = list(model.get_feature_names_out())
    assert names == ["mkldiscriminantanalysis0", "mkldiscriminantanalysis1"]
    # Neither the parameters nor the caller's kernels are touched.
    assert model.kernels is KERNELS
    assert not any(hasattr(kernel, "columns_") for kernel in KERNELS)


def test_default_kernels_on_real_data():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), MKLDiscriminantAnalysis())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.95


def test_output_as_a_frame():
    X, y = load_iris(return_X_y=True)
    model = MKLDiscriminantAnalysis([RBF(), Linear()])
    frame = model.set_output(transform="pandas").fit(X, y).transform(X)
    assert frame.shape == (150, 2)
    assert list(frame.columns) == list(model.get_feature_names_out())


@pytest.mark.parametrize("labels", [["no", "yes", "maybe"], [10, -3, 7]])
def test_labels_of_any_type(labels):
    X, y = problems.blobs(40, 3, 3)
    named = np.array(labels)[y]
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, named)
    assert np.array_equal(model.classes_, np.unique(labels))
    predicted = model.predict(X)
    assert predicted.dtype == named.dtype
    plain = MKLDiscriminantAnalysis(KERNELS).fit(X, np.argsort(np.argsort(labels))[y])
    assert np.array_equal(predicted, np.unique(labels)[plain.predict(X)])


@pytest.mark.parametrize("sizes", [(1, 20), (1, 1, 15), (2, 1, 10)])
@pytest.mark.parametrize("scatter", ["total", "within"])
def test_classes_of_one_sample(sizes, scatter):
    if scatter == "within" and len(sizes) > 2:
        pytest.skip("Kim's ratio is for two classes")
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).normal(size=(len(y), 3)) + 4 * y[:, None]
    model = MKLDiscriminantAnalysis(KERNELS, scatter=scatter).fit(X, y)
    assert model.solution_.converged
    probability = model.predict_proba(X)
    assert np.all(np.isfinite(probability))
    assert probability.sum(axis=1) == pytest.approx(1)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("scatter", ["total", "within"])
def test_order_of_the_rows_does_not_matter(scatter):
    X, y = problems.blobs(60, 3, 2)
    order = np.random.default_rng(1).permutation(60)
    new = np.random.default_rng(2).normal(size=(20, 3))
    one = MKLDiscriminantAnalysis(KERNELS, alpha=0.1, scatter=scatter).fit(X, y)
    other = MKLDiscriminantAnalysis(KERNELS, alpha=0.1, scatter=scatter)
    other.fit(X[order], y[order])
    # The same iterations up to rounding, which the solves magnify by cond = n/α.
    assert other.weights_ == pytest.approx(one.weights_, abs=1e-8)
    assert other.dual_coef_ == pytest.approx(one.dual_coef_[order], abs=1e-8)
    assert other.decision_function(new) == pytest.approx(
        one.decision_function(new), abs=1e-6
    )


def test_order_of_the_kernels_does_not_matter():
    X, y = problems.blobs(60, 3, 3)
    one = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    other = MKLDiscriminantAnalysis(KERNELS[::-1]).fit(X, y)
    assert other.weights_[::-1] == pytest.approx(one.weights_, abs=1e-7)


class Counting(RBF):
    """An RBF kernel that counts its calls by name: clones share the count."""

    calls: dict = {}  # noqa: RUF012

    def between(self, X, Y):
        self.calls[self.name] = self.calls.get(self.name, 0) + 1
        return super().between(X, Y)


@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])
def test_prediction_computes_only_kernels_that_count(Estimator):
    X, y = problems.blobs(40, 3, 2)
    kernels = [Counting(gamma=g, name=f"γ={g}") for g in (0.1, 1.0, 10.0)]
    model = Estimator(kernels, weights=Fixed([0.5, 0.0, 0.5]))
    Counting.calls.clear()
    model.fit(X, y)
    assert Counting.calls == {"γ=0.1": 1, "γ=1.0": 1, "γ=10.0": 1}
    Counting.calls.clear()
    model.predict(X[:5])
    assert Counting.calls == {"γ=0.1": 1, "γ=10.0": 1}


def test_solver_and_weights_are_used():
    X, y = problems.blobs(50, 3, 2)
    newton = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    silp = MKLDiscriminantAnalysis(KERNELS, solver=SILP()).fit(X, y)
    value = newton.solution_.certificate.primal
    assert silp.solution_.certificate.primal == pytest.approx(value, rel=1e-6)
    assert silp.n_iter_ != newton.n_iter_
    # A kernel that costs ten times as much of the budget.
    r = np.array([1.0, 1.0, 1.0, 10.0])
    dear = MKLDiscriminantAnalysis(KERNELS, weights=Simplex(r)).fit(X, y)
    assert r @ dear.weights_ == pytest.approx(1, abs=1e-12)


def test_verbose(capsys):
    X, y = problems.blobs(40, 3, 2)
    MKLDiscriminantAnalysis(KERNELS, verbose=1).fit(X, y)
    assert "gap" in capsys.readouterr().err


def test_kim_has_two_classes_only():
    X, y = problems.blobs(40, 3, 3)
    with pytest.raises(ValueError, match="two classes, but y has 3"):
        MKLDiscriminantAnalysis(KERNELS, scatter="within").fit(X, y)


def test_informative_kernel_gets_the_weight():
    # Three kernels on noise columns, one on the column that tells the classes apart.
    rng = np.random.default_rng(0)
    y = problems.labels(rng, 100, 2)
    X = rng.normal(size=(100, 4))
    X[:, 2] += 3 * y
    kernels = [RBF(columns=[j]) for j in range(4)]
    model = MKLDiscriminantAnalysis(kernels).fit(X, y)
    assert np.argmax(model.weights_) == 2
    assert model.weights_[2] > 0.8


def test_a_family_of_widths_on_views():
    X, y = problems.blobs(60, 4, 2)
    kernels = [
        *rbf_grid(columns=[0, 1], prefix="first "),
        *rbf_grid(columns=[2, 3], prefix="second "),
    ]
    model = MKLDiscriminantAnalysis(kernels).fit(X, y)
    assert len(model.weights_) == 10
    assert model.kernel_names_[0].startswith("first ")
