"""Widths learned by leave-one-out: derivatives, and what they find."""

import numpy as np
import pytest
from sklearn.base import clone

from kernelweave.grams import DenseStack, LazyStack
from kernelweave.kernels import RBF, AnisotropicRBF, Laplacian, Linear
from kernelweave.selection import learn_widths, leave_out, worth_learning
from kernelweave.selection import widths as module
from kinds import KINDS

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 3))
H = np.sin(3 * X[:, :1]) + 0.1 * RNG.standard_normal((90, 1))
KERNELS = [RBF(gamma="learn"), Laplacian(gamma="learn", scale="rank"), AnisotropicRBF()]
every = pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)


@every
def test_slopes_are_derivatives(kernel):
    kernel = clone(kernel).fit(X)
    Z, w = kernel.select(X), kernel.widths
    Q = RNG.standard_normal((90, 90))
    Q = Q + Q.T
    slopes = kernel.width_slopes(Z, w, Q * kernel.at_widths(Z, w))
    for c, e in enumerate(np.eye(len(w))):

        def value(t, e=e):
            return np.vdot(Q, kernel.at_widths(Z, w * np.exp(t * e)))

        h = 1e-3
        expected = (8 * (value(h) - value(-h)) - value(2 * h) + value(-2 * h)) / 12 / h
        assert slopes[c] == pytest.approx(expected, rel=1e-6)


def test_gradient_is_the_derivative(monkeypatch):
    """Of the penalised error in all log-weights and log-widths together."""
    kernels = [clone(kernel).fit(X) for kernel in KERNELS]
    rows = [kernel.select(X) for kernel in kernels]
    seen = {}

    def watch(f, size, **options):
        seen["f"] = f
        return minimise(f, size, **options)

    minimise = module.minimise
    monkeypatch.setattr(module, "minimise", watch)
    gram = LazyStack([Linear().fit(X)], X)
    learn_widths(gram, H, [1.0], 0.1, kernels, rows, max_evaluations=1)
    f, x = seen["f"], 0.3 * RNG.standard_normal(4 + 1 + 1 + 3)
    slopes = f(x)[1]
    for j, e in enumerate(np.eye(len(x))):

        def value(t, e=e):
            return f(x + t * e)[0]

        h = 2e-3
        expected = (8 * (value(h) - value(-h)) - value(2 * h) + value(-2 * h)) / 12 / h
        assert slopes[j] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_columns_that_do_not_matter_get_long_scales():
    gram = LazyStack([Linear().fit(X)], X)
    kernel = AnisotropicRBF().fit(X)
    found = learn_widths(gram, H, [1.0], 0.1, [kernel], [X])
    assert found.accepted
    assert found.value < 0.2 * found.start_value
    assert found.widths[0][0] < 0.3 * found.widths[0][1:].min()
    assert found.theta.sum() == pytest.approx(1)
    # The kernel that is made of it says the same.
    made = LazyStack([Linear().fit(X), kernel.learned(found.widths[0]).fit(X)], X)
    again = leave_out(made.combine(found.theta), found.lam, H)
    assert again.value == pytest.approx(found.value, rel=1e-8)


def test_nothing_is_learned_from_noise():
    gram = LazyStack([Linear().fit(X), RBF().fit(X)], X)
    h = RNG.standard_normal((90, 1))
    h[3] = 60.0
    found = learn_widths(gram, h, [0.5, 0.5], 1e9, [AnisotropicRBF().fit(X)], [X])
    assert not found.accepted
    np.testing.assert_array_equal(found.theta, [0.5, 0.5, 0.0])
    assert found.lam == 1e9
    assert found.value == found.start_value


@every
def test_learned_kernels_are_ordinary_ones(kernel):
    kernel = clone(kernel).fit(X)
    other = 2 * kernel.widths
    made = kernel.learned(other).fit(X)
    np.testing.assert_allclose(made.widths, other)
    expected = kernel.at_widths(kernel.select(X), other)
    np.testing.assert_allclose(made(X), expected, rtol=1e-12)


def test_equal_lengthscales_are_a_gaussian_kernel():
    found = AnisotropicRBF(lengthscales=[2.0, 2.0, 2.0]).fit(X)(X[:4], X)
    np.testing.assert_allclose(found, RBF(gamma=1 / 8).fit(X)(X[:4], X), rtol=1e-10)
    np.testing.assert_allclose(AnisotropicRBF().fit(X)(X), RBF().fit(X)(X), rtol=1e-10)


@pytest.mark.parametrize("lengths", [[1.0], [1.0, 2.0, 0.0], "median", [1, 2, np.nan]])
def test_lengthscales_that_cannot_be(lengths):
    with pytest.raises(ValueError, match="one positive number"):
        AnisotropicRBF(lengthscales=lengths).fit(X)


def test_dense_stacks_too():
    gram = DenseStack(LazyStack([Linear().fit(X)], X)[0][None])
    found = learn_widths(gram, H, [1.0], 0.1, [AnisotropicRBF().fit(X)], [X])
    assert found.accepted


def test_few_rows_are_not_worth_many_widths():
    assert worth_learning(1000, 8)
    assert not worth_learning(100, 8)


@KINDS
def test_anisotropic_kernels_of_other_arrays(kind):
    kernel = AnisotropicRBF(lengthscales=[1.0, 2.0, 3.0], scale=True)
    expected = clone(kernel).fit(X)(X[:5], X)
    found = clone(kernel).fit(kind(X))(kind(X[:5]), kind(X))
    assert kind.owns(found)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9)
