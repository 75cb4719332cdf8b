"""Relevances of columns: derivatives, what they find, and who judges them."""

import numpy as np
import pytest

from kernelweave.grams import DenseStack, LazyStack
from kernelweave.kernels import RBF, AnisotropicLaplacian, Laplacian, Linear
from kernelweave.selection import leave_out
from kernelweave.selection.cross_fitting import cross_fitted_errors, parts
from kernelweave.selection.relevances import Laplacians, Mixture, learn_relevances

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 4))
H = np.column_stack([np.sin(3 * X[:, 0]), X[:, 0] * X[:, 1]])
H = H + 0.1 * RNG.standard_normal(H.shape)
KERNELS = [
    Linear(),
    Laplacian(factor=0.5, scale="rank"),
    RBF(columns=[2, 3]),
    Laplacian(factor=2.0, scale="rank"),
    Laplacian(columns=[0, 1]),
]


@pytest.fixture(params=[None, "v"], ids=["equal", "weighted"])
def mixture(request):
    kernels = [kernel.fit(X) for kernel in KERNELS]
    lazy = LazyStack(kernels, X)
    gram = DenseStack(np.stack([lazy[j] for j in range(5)]))
    both, one = np.array([1, 3]), np.array([4])
    families = [
        Laplacians(
            kernels[1].select(X), np.array([kernels[j].gamma_ for j in both]), both
        ),
        Laplacians(kernels[4].select(X), np.array([kernels[4].gamma_]), one),
    ]
    v = None if request.param is None else RNG.uniform(0.5, 2, len(X))
    return Mixture(gram, H, families, v=v)


THETA = np.array([0.1, 0.3, 0.2, 0.25, 0.15])


def test_relevances_of_one_are_the_stack(mixture):
    u = np.zeros(mixture.columns)
    np.testing.assert_allclose(
        mixture.combine(THETA, u), mixture.combine(THETA), atol=1e-12
    )
    np.testing.assert_allclose(
        mixture.errors(THETA, 0.3, u), mixture.errors(THETA, 0.3), rtol=1e-9
    )


def test_slopes_are_derivatives(mixture):
    u = 0.5 * RNG.standard_normal(mixture.columns)
    value, slopes = mixture.slopes(THETA, 0.3, u)
    assert value == pytest.approx(np.sum(mixture.errors(THETA, 0.3, u)), rel=1e-10)
    p = len(THETA)
    for j, e in enumerate(np.eye(p + mixture.columns)):

        def at(t, e=e):
            theta, moved = THETA * np.exp(t * e[:p]), u + t * e[p:]
            return np.sum(mixture.errors(theta, 0.3, moved))

        h = 1e-3
        expected = (8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / 12 / h
        assert slopes[j] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_kernels_of_relevances_are_ordinary_ones(mixture):
    u = 0.5 * RNG.standard_normal(4)
    family = mixture.families[0]
    for gamma, K in zip(family.gammas, family.at(u), strict=True):
        lengths = 1 / (gamma * np.exp(u))
        made = AnisotropicLaplacian(lengths, scale="rank").fit(X)
        np.testing.assert_allclose(made(X), K, rtol=1e-10)


def test_columns_that_matter_are_found(mixture):
    few = np.arange(5) < 4
    mixture = Mixture(mixture.gram.subset(few), H, mixture.families[:1], v=mixture.v)
    before = np.sum(mixture.errors(THETA[few], 0.3))
    theta, u = learn_relevances(mixture, THETA[few], 0.3, 1.0)
    assert u is not None
    assert min(u[:2]) > max(u[2:]) + 0.5
    assert np.sum(mixture.errors(theta, 0.3, u)) < 0.9 * before


def test_parts_share_all_targets():
    labels = np.repeat([0, 1, 2], [30, 9, 6])
    seen = []
    for inside, outside in parts(np.eye(3)[labels]):
        assert len(np.intersect1d(inside, outside)) == 0
        np.testing.assert_array_equal(np.bincount(labels[outside]), [10, 3, 2])
        seen += outside.tolist()
    assert sorted(seen) == list(range(45))


@pytest.mark.parametrize("intercept", [True, False])
def test_errors_are_those_of_fits_without_a_third(mixture, intercept):
    """By a bordered system of the samples inside, written out."""
    lam = 0.3
    plain = Mixture(mixture.gram, H, intercept=intercept, v=mixture.v)
    found = cross_fitted_errors(plain, lambda some: [[(THETA, None)]], [lam])[0]
    K = mixture.gram.combine(THETA)
    for inside, outside in parts(H):
        a, m = np.ix_(inside, inside), len(inside)
        v = np.ones(m) if plain.v is None else plain.v[inside]
        B = np.zeros((m + 1, m + 1))
        B[:m, :m] = K[a] + np.diag(lam / v)
        B[:m, m] = B[m, :m] = float(intercept)
        B[m, m] = 0.0 if intercept else 1.0
        solved = np.linalg.solve(B, np.vstack([H[inside], np.zeros((1, 2))]))
        f = K[np.ix_(outside, inside)] @ solved[:m] + intercept * solved[m]
        expected = np.sum((H[outside] - f) ** 2, axis=1)
        if plain.v is not None:
            expected *= plain.v[outside]
        np.testing.assert_allclose(found[outside], expected, rtol=1e-8)


def test_samples_outside_have_no_part(mixture):
    """Their targets may be anything."""
    inside, outside = next(iter(parts(H)))
    learned = []

    def learn(some):
        theta, u = learn_relevances(some, THETA, 0.3, 0.5, max_evaluations=5)
        learned.append(u)
        return [[(theta, u)]]

    cross_fitted_errors(mixture, learn, [0.3])
    changed = H.copy()
    changed[outside] += 100 * RNG.standard_normal((len(outside), 2))
    other = Mixture(mixture.gram, changed, mixture.families, v=mixture.v)
    np.testing.assert_array_equal(learn(other.sample(inside))[0][0][1], learned[0])


def test_noise_is_not_learned_by_those_outside():
    """Relevances learned from noise lower the error they were learned from only."""
    noise = RNG.standard_normal((90, 1))
    kernel = Laplacian(scale="rank").fit(X)
    rows = kernel.select(X)
    family = Laplacians(rows, np.array([kernel.gamma_]), np.array([0]))
    mixture = Mixture(LazyStack([kernel], X), noise, [family])

    def learn(some):
        theta, u = learn_relevances(some, np.ones(1), 1.0, 3.0)
        return [[(np.ones(1), None)], [(theta, u)]]

    start, learned = cross_fitted_errors(mixture, learn, [1.0])
    inside = leave_out(mixture.blended(learn(mixture)[1]), 1.0, noise).value
    assert inside < np.sum(mixture.errors(np.ones(1), 1.0))
    assert np.sum(learned) > np.sum(start)


@pytest.mark.parametrize("lengths", [[1.0], [1.0, 2.0, 0.0, 1.0], "learn", None])
def test_lengthscales_that_cannot_be(lengths):
    with pytest.raises(ValueError, match="one positive number"):
        AnisotropicLaplacian(lengths).fit(X)
