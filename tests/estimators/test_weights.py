"""A weight of two is a sample twice, a weight of zero none; priors move thresholds."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_wine, make_classification
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelweave import (
    KernelDiscriminantAnalysis,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.evaluation import evaluate
from kernelweave.importance import per_sample, view_importance
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.weights import Fixed, LpBall

rng = np.random.default_rng(0)
N = 60
X = rng.normal(size=(N, 4))
y = np.array(["a", "b", "c"])[
    np.digitize(X[:, 0] + 0.5 * rng.normal(size=N), [-0.5, 0.8])
]
z = X[:, 0] + np.sin(2 * X[:, 1]) + 0.2 * rng.normal(size=N)
TIMES = rng.integers(0, 4, size=N)
ROWS = np.repeat(np.arange(N), TIMES)
KERNELS = [RBF(gamma=0.1), Linear(), RBF(gamma=1.0)]


@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
@pytest.mark.parametrize("center", [True, False])
def test_a_weight_is_a_number_of_copies(normalize, center):
    options = {"alpha": 1e-3 if normalize == "trace" else 0.1, "weights": LpBall(2)}
    options |= {"normalize": normalize, "center": center, "tol": 1e-10}
    ridge = MKLRidge(KERNELS, **options)
    one, copies = ridge.fit(X, z, TIMES), clone(ridge).fit(X[ROWS], z[ROWS])
    assert_allclose(one.weights_, copies.weights_, rtol=1e-6)
    assert_allclose(one.predict(X), copies.predict(X), atol=1e-6)
    assert one.dual_coef_.shape == (N,) and not one.dual_coef_[TIMES == 0].any()
    summed = np.zeros(N)
    np.add.at(summed, ROWS, copies.dual_coef_)
    assert_allclose(one.dual_coef_, summed, atol=1e-6)
    classes = MKLDiscriminantAnalysis(KERNELS, **options)
    one, copies = classes.fit(X, y, TIMES), clone(classes).fit(X[ROWS], y[ROWS])
    assert_allclose(one.weights_, copies.weights_, rtol=1e-6)
    # The projections are the same; where classes stand in their space is told by
    # samples that are left out, all copies of them or one.
    parts = one.contributions(X)
    assert_allclose(parts.sum(axis=1) - parts[0].sum(axis=0), _shape(copies), atol=1e-6)


def _shape(model):
    parts = model.contributions(X)
    return parts.sum(axis=1) - parts[0].sum(axis=0)


@pytest.mark.parametrize("stored", [True, False])
def test_computed_tiles_are_weighed_like_stored_matrices(monkeypatch, stored):
    ridge = MKLRidge(KERNELS, alpha=0.1)
    expected = ridge.fit(X, z, TIMES).predict(X)
    if not stored:
        monkeypatch.setattr(MKLRidge, "_store", 0)
    assert_allclose(clone(ridge).fit(X, z, TIMES).predict(X), expected, atol=1e-8)


def test_sums_over_features_are_weighed_like_gram_matrices(monkeypatch):
    kernels = [Linear(), Nystroem(RBF(gamma=0.1), n_components=10, random_state=0)]
    times = TIMES * 1.5
    grams = MKLDiscriminantAnalysis(kernels, alpha=0.1).fit(X, y, times)
    ridge = MKLRidge(kernels, alpha=0.1).fit(X, z, times)
    monkeypatch.setattr("kernelweave.fitted.features.MANY", 10)
    sums = MKLDiscriminantAnalysis(kernels, alpha=0.1).fit(X, y, times)
    assert hasattr(sums, "coef_") and not hasattr(grams, "coef_")
    assert sums.n_samples_fit_ == N
    assert_allclose(sums.weights_, grams.weights_, atol=1e-4)
    other = MKLRidge(kernels, alpha=0.1).fit(X, z, times)
    assert hasattr(other, "coef_")
    assert_allclose(other.predict(X), ridge.predict(X), atol=1e-3)
    shares = np.array([times[y == c].sum() for c in "abc"])
    rows = shares + 3
    assert_allclose(sums.priors_, rows / rows.sum())


@pytest.mark.parametrize(
    "model",
    [
        MKLRidge(KERNELS),
        MKLRidge(),
        MKLRidgeCV(),
        MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.1, 1.0]),
        MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.1, 1.0], scoring="r2"),
        MKLDiscriminantAnalysis(),
        MKLDiscriminantAnalysis(class_weight="balanced"),
        KernelDiscriminantAnalysis(class_weight={"a": 2.0}),
        MKLDiscriminantAnalysisCV(class_weight="balanced"),
        MKLDiscriminantAnalysisCV(KERNELS, norms=[1, 2], alphas=[0.1, 1.0]),
    ],
    ids=repr,
)
def test_a_weight_of_zero_is_no_sample(model):
    target = z if isinstance(model, MKLRidge) else y
    kept = TIMES > 0
    one = clone(model).fit(X, target, kept.astype(float))
    other = clone(model).fit(X[kept], target[kept])
    assert_allclose(one.weights_, other.weights_, rtol=1e-6)
    values = [
        m.predict(X) if isinstance(m, MKLRidge) else m.predict_proba(X)
        for m in (one, other)
    ]
    assert_allclose(*values, atol=1e-6)
    assert one.n_samples_fit_ == N


def test_gram_matrices_keep_the_places_of_samples_without_weight():
    K = np.stack([k.fit(X)(X) for k in KERNELS])
    given = MKLRidge("precomputed", alpha=0.1).fit(K, z, TIMES)
    table = MKLRidge(KERNELS, alpha=0.1).fit(X, z, TIMES)
    assert_allclose(given.predict(K), table.predict(X), atol=1e-7)
    assert given.n_features_in_ == N


@pytest.mark.filterwarnings("ignore:.*singular:UserWarning")
def test_one_kernel_is_kernel_ridge():
    weight = rng.uniform(0.1, 3, size=N)
    ours = MKLRidge([RBF(gamma=0.2)], alpha=0.5, normalize=None, center=False)
    theirs = KernelRidge(kernel="rbf", gamma=0.2, alpha=0.5).fit(X, z, weight)
    assert_allclose(ours.fit(X, z, weight).predict(X), theirs.predict(X), atol=1e-8)


def test_left_out_errors_are_those_of_refits():
    """P of the path, against fits without each sample, weights and all."""
    weight = rng.uniform(0.2, 3, size=N)
    kernels = [RBF(gamma=0.2), Linear()]
    model = MKLRidgeCV(kernels, normalize=None, alphas=[0.3, 3.0]).fit(X, z, weight)
    path = dict(
        zip(
            model.cv_results_["param_alpha"],
            model.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    K = 0.5 * sum(k.fit(X)(X) for k in kernels)
    errors = np.empty(N)
    for i in range(N):
        rest = np.arange(N) != i
        one = MKLRidge("precomputed", alpha=0.3, normalize=None)
        one.fit(K[np.ix_(rest, rest)][None], z[rest], weight[rest])
        errors[i] = z[i] - one.predict(K[None, i : i + 1, rest])[0]
    mean = weight @ z / weight.sum()
    expected = 1 - weight @ errors**2 / (weight @ (z - mean) ** 2)
    assert path[0.3] == pytest.approx(expected, rel=1e-6)


def test_the_sensitivity_of_weighted_left_out_errors():
    from kernelweave.grams import DenseStack
    from kernelweave.selection import inner_products, leave_out

    K = np.stack([k.fit(X)(X) for k in KERNELS])
    v, theta = rng.uniform(0.2, 3, size=N), np.array([0.5, 0.2, 0.3])
    gram, H = DenseStack(K), z[:, None]

    def value(theta):
        return leave_out(gram.combine(theta), 0.3, H, True, v)

    slopes = inner_products(gram, value(theta).sensitivity())
    for j in range(3):
        step = 1e-5 * np.eye(3)[j]
        difference = value(theta + step).value - value(theta - step).value
        assert slopes[j] == pytest.approx(difference / 2e-5, rel=1e-5)


def test_balanced_classes_and_priors():
    X, y = make_classification(
        400, weights=[0.9], class_sep=0.6, n_informative=4, random_state=0
    )
    new, truth = X[200:], y[200:]
    X, y = X[:200], y[:200]
    recall = {}
    for name, options in {
        "plain": {},
        "weight": {"class_weight": "balanced"},
        "priors": {"priors": [0.5, 0.5]},
    }.items():
        model = MKLDiscriminantAnalysis(**options).fit(X, y)
        recall[name] = np.mean(model.predict(new)[truth == 1] == 1)
    assert min(recall["weight"], recall["priors"]) > recall["plain"] + 0.2
    # The same in weights of samples.
    counts = np.bincount(y)
    weight = (len(y) / (2 * counts))[y]
    one = MKLDiscriminantAnalysis(class_weight="balanced").fit(X, y)
    other = MKLDiscriminantAnalysis().fit(X, y, weight)
    assert_allclose(one.predict_proba(new), other.predict_proba(new), atol=1e-8)
    assert_allclose(one.priors_, 0.5)
    assert_allclose(one.row_weights_, weight)


def test_priors_multiply_odds():
    plain = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    wanted = np.array([0.2, 0.5, 0.3])
    moved = MKLDiscriminantAnalysis(KERNELS, priors=wanted).fit(X, y)
    odds = plain.predict_proba(X) * wanted / plain.priors_
    odds /= odds.sum(axis=1, keepdims=True)
    assert_allclose(moved.predict_proba(X), odds, atol=1e-10)
    assert_allclose(moved.weights_, plain.weights_)
    assert_allclose(moved.priors_, wanted)
    never = MKLDiscriminantAnalysis(KERNELS, priors=[0.5, 0, 0.5]).fit(X, y)
    assert not never.predict_proba(X)[:, 1].any()
    with pytest.warns(UserWarning, match="do not sum to 1"):
        more = MKLDiscriminantAnalysis(KERNELS, priors=2 * wanted).fit(X, y)
    assert_allclose(more.predict_proba(X), odds, atol=1e-10)
    chosen = MKLDiscriminantAnalysisCV(
        KERNELS, norms=[1], alphas=[1.0], scoring="neg_log_loss", priors=wanted
    )
    assert_allclose(chosen.fit(X, y).priors_, wanted)
    for wrong, what in (([0.5, 0.5], "one number"), ([-1, 1, 1], "non-negative")):
        with pytest.raises(ValueError, match=what):
            MKLDiscriminantAnalysis(KERNELS, priors=wrong).fit(X, y)


@pytest.mark.parametrize(
    "model, weight",
    [
        (MKLDiscriminantAnalysis(alpha="learn"), TIMES),
        (MKLDiscriminantAnalysis(alpha="learn", class_weight="balanced"), None),
        (MKLDiscriminantAnalysis(multiclass_sdp="approximate"), TIMES),
        (MKLRidge(alpha="learn"), TIMES),
    ],
    ids=repr,
)
def test_what_has_no_weights_says_so(model, weight):
    target = z if isinstance(model, MKLRidge) else y
    with pytest.raises(ValueError, match="for the square loss with a given alpha"):
        model.fit(X, target, weight)


@pytest.mark.parametrize("weight", [-np.ones(N), np.ones(3), np.zeros(N), [np.nan] * N])
def test_weights_that_cannot_be(weight):
    for model, target in ((MKLRidge(), z), (MKLDiscriminantAnalysis(), y)):
        with pytest.raises(ValueError, match=r"weight|NaN"):
            model.fit(X, target, weight)


def test_chunks_have_no_weights():
    model = MKLDiscriminantAnalysis([Linear()], class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight is for rows in memory"):
        model.partial_fit(X, y, classes=np.unique(y))


def test_importances_know_the_weights():
    """Three copies of every sample of class "a", or its weight three."""
    times = np.where(y == "a", 3, 1)
    rows = np.repeat(np.arange(N), times)
    kernels = [RBF(gamma=0.3, columns=[0, 1], name="u"), Linear(name="w")]
    options = {"n_subsamples": 0, "n_permutations": 0}
    weighted = MKLDiscriminantAnalysis(kernels, Fixed()).fit(X, y, times)
    copies = MKLDiscriminantAnalysis(kernels, Fixed()).fit(X[rows], y[rows])
    one = view_importance(weighted, X, y, **options)
    other = view_importance(copies, X[rows], y[rows], groups=rows, **options)
    assert_allclose(one["contribution"], other["contribution"], rtol=1e-8)
    assert_allclose(one["alone"], other["alone"], rtol=1e-8)
    assert one.attrs["score"] == pytest.approx(other.attrs["score"], rel=1e-8)
    assert len(per_sample(weighted, X, y)) > 0
    with pytest.raises(ValueError, match="weight zero"):
        view_importance(MKLRidge(kernels).fit(X, z, TIMES), X, z)


def test_evaluate_balances_every_split():
    model = MKLDiscriminantAnalysis(KERNELS, class_weight="balanced")
    assert evaluate(model, X, y, cv=3).n_samples == N


def test_metadata_routing():
    weight = TIMES + 0.5
    with sklearn.config_context(enable_metadata_routing=True):
        model = MKLRidge(KERNELS).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(X, z, sample_weight=weight)
        assert_allclose(pipeline[-1].row_weights_, weight)
        search = GridSearchCV(model, {"alpha": [0.1, 1.0]}, cv=3)
        search.fit(X, z, sample_weight=weight)
        assert_allclose(search.best_estimator_.row_weights_, weight)
        model = MKLDiscriminantAnalysisCV(KERNELS).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        assert len(cross_val_score(model, X, y, params={"sample_weight": weight})) == 5


def test_other_models_weigh_through():
    X, y = load_wine(return_X_y=True)
    weight = np.where(y == 0, 2.0, 1.0)
    model = CalibratedClassifierCV(MKLDiscriminantAnalysis([Linear(scale=True)]), cv=3)
    assert model.fit(X, y, sample_weight=weight).score(X, y) > 0.95
