"""Classes as Gaussians of one covariance, against the explicit Bayes rule."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf

import problems
from kernelweave.estimators.gaussian import fit_gaussians


def _projections(k, d, n=80):
    rng = np.random.default_rng(k)
    y = problems.labels(rng, n, k)
    centres = 2 * rng.normal(size=(k, d))
    spread = rng.normal(size=(d, d))
    return centres[y] + rng.normal(size=(n, d)) @ spread, y


def _covariance(f, y, k):
    """Pooled, shrunk, with n − k degrees of freedom."""
    residuals = f - np.stack([f[y == c].mean(axis=0) for c in range(k)])[y]
    n = len(f)
    return ledoit_wolf(residuals, assume_centered=True)[0] * n / (n - k)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_probabilities_are_bayes_rule(k):
    f, y = _projections(k, k - 1)
    classes = fit_gaussians(f, y, k)
    W = np.atleast_2d(_covariance(f, y, k))
    new = np.random.default_rng(0).normal(size=(10, k - 1))
    log = np.empty((10, k))
    for c in range(k):
        density = multivariate_normal(f[y == c].mean(axis=0), W)
        log[:, c] = np.log(np.mean(y == c)) + density.logpdf(new)
    expected = softmax(log, axis=1)
    # The floor of the covariance is 1e-10 of the spread of the means.
    assert softmax(classes.scores(new), axis=1) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_coordinates_are_canonical(k):
    f, y = _projections(k, k - 1)
    z = fit_gaussians(f, y, k).transform(f)
    assert z.mean(axis=0) == pytest.approx(np.zeros(k - 1), abs=1e-12)
    means = np.stack([z[y == c].mean(axis=0) for c in range(k)])
    share = np.bincount(y) / len(y)
    between = (share * means.T) @ means
    # Uncorrelated between the classes, the best direction first.
    assert between == pytest.approx(np.diag(np.diag(between)), abs=1e-9)
    assert np.all(np.diff(np.diag(between)) <= 1e-9)
    # The last class is on the positive side of each.
    assert np.all(means[-1] >= 0)


def test_a_single_sample_has_no_spread():
    f = np.array([[0.0], [0.2], [-0.2], [5.0]])
    classes = fit_gaussians(f, np.array([0, 0, 0, 1]), 2)
    scores = classes.scores(np.array([[0.1], [4.9]]))
    assert np.array_equal(np.argmax(scores, axis=1), [0, 1])
    only = fit_gaussians(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    assert np.all(np.isfinite(only.scores(f)))


def test_more_dimensions_than_samples():
    rng = np.random.default_rng(0)
    f = rng.normal(size=(6, 9))
    classes = fit_gaussians(f, np.array([0, 1, 2, 0, 1, 2]), 3)
    assert np.all(np.isfinite(classes.scores(f)))


def test_projections_that_coincide():
    f = np.array([[0.0], [0.0], [1.0], [1.0]])
    scores = fit_gaussians(f, np.array([0, 0, 1, 1]), 2).scores(f)
    assert np.array_equal(np.argmax(scores, axis=1), [0, 0, 1, 1])
