"""Classes as Gaussians of one covariance, against the explicit Bayes rule."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal, norm
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_breast_cancer

import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis
from kernelweave.estimators.gaussian import fit_gaussians, gaussians_of
from kernelweave.kernels import Linear
from kernelweave.losses import discriminant_targets
from kernelweave.streamed.held_out import Predicted


def _projections(k, n=80, slope=0.8):
    """Projections that shrink the targets, in a space that is bent a little."""
    rng = np.random.default_rng(k)
    y = problems.labels(rng, n, k)
    H = discriminant_targets(y, k)
    d = k - 1
    bent = slope * np.eye(d) + 0.1 * rng.normal(size=(d, d))
    return H @ bent.T + 0.3 * rng.normal(size=(n, d)), H, y


def _covariance(f, y, k):
    """Pooled, shrunk, with n − k degrees of freedom."""
    residuals = f - np.stack([f[y == c].mean(axis=0) for c in range(k)])[y]
    n = len(f)
    return ledoit_wolf(residuals, assume_centered=True)[0] * n / (n - k)


def _recovered(classes):
    """Means and covariance in the space of f, back from the canonical coordinates."""
    back = np.linalg.inv(classes.scalings)
    return classes.origin + classes.means @ back, back.T @ back


@pytest.mark.parametrize("k", [2, 3, 5])
def test_probabilities_are_bayes_rule(k):
    f, H, y = _projections(k)
    classes = fit_gaussians(f, H, y, k)
    means, W = _recovered(classes)
    new = np.random.default_rng(0).normal(size=(10, k - 1))
    log = np.empty((10, k))
    for c in range(k):
        # Ten rows more of every class, for the shares of few rows are not certain.
        log[:, c] = np.log(np.sum(y == c) + 3)
        log[:, c] += multivariate_normal(means[c], W).logpdf(new)
    expected = softmax(log, axis=1)
    found = softmax(classes.plain_scores(new), axis=1)
    assert found == pytest.approx(expected, abs=1e-9)
    # Of n rows none excludes what happens once in 2n times.
    some = 1 / (2 * len(y))
    expected = (1 - some) * expected + some / k
    assert np.exp(classes.scores(new)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_means_and_covariance_of_many_rows_are_those_of_the_classes(k):
    f, H, y = _projections(k, 20_000)
    f = f + 0.3
    means, W = _recovered(fit_gaussians(f, H, y, k))
    expected = np.stack([f[y == c].mean(axis=0) for c in range(k)])
    # What is shrunk is of the order of 1/n.
    assert means == pytest.approx(expected, abs=2e-3)
    assert pytest.approx(_covariance(f, y, k), rel=1e-3, abs=1e-5) == W


@pytest.mark.parametrize("k", [2, 3, 5])
def test_coordinates_are_canonical(k):
    f, H, y = _projections(k)
    classes = fit_gaussians(f, H, y, k)
    assert classes.transform(classes.origin[None]) == pytest.approx(0, abs=1e-12)
    means = classes.means
    share = np.bincount(y) / len(y)
    # The origin is the mean of the classes.
    assert share @ means == pytest.approx(np.zeros(k - 1), abs=1e-12)
    between = (share * means.T) @ means
    # Uncorrelated between the classes, the best direction first.
    assert between == pytest.approx(np.diag(np.diag(between)), abs=1e-9)
    assert np.all(np.diff(np.diag(between)) <= 1e-9)
    # The last class is on the positive side of each.
    assert np.all(means[-1] >= 0)


def _two_apart(separation, mean):
    """Projections, targets, labels; both in standard errors, which come last."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 20])
    H = discriminant_targets(y, 2)
    f = rng.normal(size=(50, 1))
    f -= np.array([f[y == c].mean() for c in (0, 1)])[y][:, None]
    # s of μ_c = μ + st_c, whose standard error is √(W/n).
    W = np.sum(f**2) / 48
    error = np.sqrt(W / 50)
    return f + (separation * H + mean) * error, H, y, error


@pytest.mark.parametrize("separation", [-3.0, -0.5, 0.0, 0.5, 1.6, 3.0])
def test_classes_are_one_and_a_half_standard_errors_apart_at_least(separation):
    f, H, y, error = _two_apart(separation, 0)
    means, _ = _recovered(fit_gaussians(f, H, y, 2))
    expected = max(separation, 1.5) * error * H[[0, -1]]
    assert means == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("mean", [-5.0, -0.9, 0.0, 0.5, 2.0])
def test_a_mean_within_its_standard_error_is_that_of_the_targets(mean):
    f, H, y, error = _two_apart(3.0, mean)
    classes = fit_gaussians(f, H, y, 2)
    kept = mean - 1 / mean if abs(mean) > 1 else 0
    assert classes.origin == pytest.approx(kept * error, abs=1e-8)


def test_a_class_without_rows_has_no_prior():
    f, H, y = _projections(3)
    codes = np.stack([H[y == c][0] for c in range(3)] + [np.zeros(2)])
    classes = gaussians_of(_sums(f, y, codes))
    rows = np.bincount(y) + 3
    assert np.exp(classes.log_prior[:3]) == pytest.approx(rows / rows.sum())
    assert classes.log_prior[3] == -np.inf


@pytest.mark.parametrize("k", [2, 3, 6])
def test_left_out_means_that_turn_round_do_not_turn_predictions_round(k):
    # The worst: every projection is opposite to its target.
    f, H, y = _projections(k, slope=-0.8)
    codes = np.stack([H[y == c][0] for c in range(k)])
    for classes in (fit_gaussians(f, H, y, k), gaussians_of(_sums(f, y, codes))):
        means, _ = _recovered(classes)
        centred = means - np.bincount(y) @ means / len(y)
        S = np.linalg.lstsq(codes, centred, rcond=None)[0]
        assert np.min(np.linalg.eigvalsh(S + S.T)) >= 0
    if k == 2:
        assert classes.scalings[0, 0] > 0


def _sums(f, y, codes):
    T = np.eye(len(codes))[y]
    return Predicted(np.zeros(1), T.sum(0), T.T @ f, f.T @ f, f[:0], codes)


def test_the_same_from_sums():
    # Without shrinkage of the covariance, which a single dimension has not either.
    f, H, y = _projections(2)
    codes = np.stack([H[y == c][0] for c in range(2)])
    one, other = fit_gaussians(f, H, y, 2), gaussians_of(_sums(f, y, codes))
    assert other.scores(f) == pytest.approx(one.scores(f), rel=1e-9)
    f, H, y = _projections(4, 4000)
    codes = np.stack([H[y == c][0] for c in range(4)])
    one, other = fit_gaussians(f, H, y, 4), gaussians_of(_sums(f, y, codes))
    assert _recovered(other)[0] == pytest.approx(_recovered(one)[0], abs=1e-4)


def test_a_class_of_one_sample_lies_where_the_others_shrink_to():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 20, 1])
    H = discriminant_targets(y, 3)
    f = 0.5 * H + 0.01 * rng.normal(size=H.shape)
    # What is predicted for the class without its sample says nothing of it.
    f[-1] = 100.0
    means, W = _recovered(fit_gaussians(f, H, y, 3))
    assert means[2] == pytest.approx(0.5 * H[-1], abs=0.05)
    assert np.trace(W) < 0.01
    two = np.array([0, 0, 0, 1])
    H = discriminant_targets(two, 2)
    classes = fit_gaussians(np.array([[-0.2], [-0.3], [-0.4], [7]]), H, two, 2)
    assert _recovered(classes)[0][1] == pytest.approx(0.3 * 3, abs=0.1)
    only = fit_gaussians(np.zeros((2, 1)), np.array([[-1.0], [1]]), np.arange(2), 2)
    assert np.array_equal(np.argmax(only.scores(H), axis=1), two)


def test_more_dimensions_than_samples():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 2)[:13]
    k = y.max() + 1
    f, H = rng.normal(size=(13, k - 1)), discriminant_targets(y, k)
    assert np.all(np.isfinite(fit_gaussians(f, H, y, k).scores(f)))


def test_projections_that_coincide():
    f, y = np.array([[-1.0], [-1.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])
    classes = fit_gaussians(f, f, y, 2)
    assert np.array_equal(np.argmax(classes.scores(f), axis=1), y)
    # Nothing spreads and nothing separates: all rows are alike.
    same = fit_gaussians(np.zeros((4, 1)), f, y, 2)
    assert np.all(np.isfinite(same.scores(np.zeros((4, 1)))))


def test_a_small_fit_does_not_predict_the_opposite():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(440, 5))
    y = (X[:, 0] + rng.normal(size=440) > 0) * 1
    model = MKLDiscriminantAnalysis().fit(X[:40], y[:40])
    assert model.score(X[:40], y[:40]) > 0.8
    assert model.score(X[40:], y[40:]) > 0.5


SHUFFLED = {
    "several kernels": MKLDiscriminantAnalysis(tol=1e-3),
    "within": KernelDiscriminantAnalysis(scatter="within"),
    "not centred": KernelDiscriminantAnalysis(center=False),
    "features": MKLDiscriminantAnalysis([Linear(columns=slice(0, 3))], tol=1e-3),
}


@pytest.mark.parametrize("model", SHUFFLED.values(), ids=SHUFFLED)
def test_log_odds_rise_with_the_projection(model):
    # Labels that mean nothing: left-out class means are on either side by chance.
    X, _ = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rows = rng.choice(len(X), 24, replace=False)
        y = rng.permutation(np.repeat([0, 1], [10, 14]))
        f = model.fit(X[rows], y)._scores(X)[:, 0]
        for rising in (model.decision_function(X), model.transform(X)[:, 0]):
            rising = rising[np.argsort(f)]
            assert np.all(np.diff(rising) >= -1e-9)
            assert rising[-1] > rising[0]


def test_small_fits_agree_with_the_sign_of_their_projection():
    # A reduced benchmarks/small_fits.py: columns that hardly tell the classes apart.
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [9, 11, 14, 18, 19]]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    against = np.zeros(2)
    for n in (15, 20, 30, 40):
        for seed in range(25):
            rows = np.random.default_rng(seed).permutation(len(X))
            train, test = X[rows[:n]], X[rows[n : n + 300]]
            model = MKLDiscriminantAnalysis(tol=1e-3).fit(train, y[rows[:n]])
            for i, part in enumerate((train, test)):
                positive = model._scores(part)[:, 0] > 0
                against[i] += np.mean((model.predict(part) == 1) != positive) > 0.5
    # On new rows the larger class rules where the columns tell nothing.
    assert against[0] <= 2
    assert against[1] <= 7


def test_probabilities_of_labels_that_mean_nothing_stay_near_the_shares():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.permutation(np.repeat([0, 1], 30))
    model = MKLDiscriminantAnalysis().fit(X, y)
    P = model.predict_proba(rng.normal(size=(200, 4)))[:, 1]
    assert norm.ppf(0.9) > np.max(np.abs(np.log(P / (1 - P))))
