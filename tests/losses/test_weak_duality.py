"""F(θ) ≥ D(A) for every θ of Θ and every A of the domain, for every loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
import verify
import verify_likelihood as likelihood
from kernelweave import Problem
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import (
    Cox,
    EpsilonInsensitive,
    FisherRatio,
    Hinge,
    Huber,
    Logistic,
    MajorizedSquare,
    Multinomial,
    Poisson,
    Quantile,
    Square,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    discriminant_targets,
)
from kernelweave.losses.square import class_coding
from kernelweave.weights import Fixed, Simplex

N, P = 15, 4
RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, P, N, rank=4)
THREE = problems.labels(RNG, N, 3)
TWO = np.where(problems.labels(RNG, N, 2) == 1, 1.0, -1.0)


# Each loss, the verifier's oracle of the same problem, and the columns of A.
def _square(lam, intercept):
    H = discriminant_targets(THREE, 3)
    return Square(H, lam, intercept), verify.Square(K, H, lam, intercept), 2


def _majorized(lam, intercept):
    H = class_coding(THREE, 3)
    return MajorizedSquare(H, lam, intercept), verify.Majorized(K, H, lam, intercept), 3


def _fisher(lam, intercept):
    return FisherRatio(TWO, lam), verify.Fisher(K, TWO, lam), 1


ONE_AGAINST_REST = np.where(THREE[:, None] == np.arange(3), 1.0, -1.0)
REAL = RNG.normal(size=(N, 2))


def _hinge(lam, intercept):
    Y, C = ONE_AGAINST_REST, _penalty(lam)
    return Hinge(Y, C, intercept), verify.hinge(K, Y, C, intercept), 3


def _squared_hinge(lam, intercept):
    Y, C = ONE_AGAINST_REST, _penalty(lam)
    return SquaredHinge(Y, C, intercept), verify.squared_hinge(K, Y, C, intercept), 3


def _epsilon(lam, intercept):
    loss = EpsilonInsensitive(REAL, _penalty(lam), 0.1, intercept)
    return loss, verify.epsilon_insensitive(K, REAL, loss.C, 0.1, intercept), 2


def _squared_epsilon(lam, intercept):
    loss = SquaredEpsilonInsensitive(REAL, _penalty(lam), 0.1, intercept)
    return loss, verify.squared_epsilon_insensitive(K, REAL, loss.C, 0.1, intercept), 2


def _quantile(lam, intercept):
    loss = Quantile(REAL, _penalty(lam), 0.3, intercept)
    return loss, likelihood.quantile(K, REAL, loss.C, 0.3, intercept), 2


def _huber(lam, intercept):
    loss = Huber(REAL, _penalty(lam), 0.5, intercept)
    return loss, likelihood.huber(K, REAL, loss.C, 0.5, intercept), 2


def _logistic(lam, intercept):
    Y, C = ONE_AGAINST_REST, _penalty(lam)
    return Logistic(Y, C, intercept), likelihood.logistic(K, Y, C, intercept), 3


def _multinomial(lam, intercept):
    Y, C = np.eye(3)[THREE], _penalty(lam)
    return Multinomial(Y, C, intercept), likelihood.multinomial(K, Y, C, intercept), 3


COUNTS = RNG.poisson(3, size=(N, 2)).astype(float)
TIMES, EVENTS = np.ceil(5 * RNG.exponential(size=N)), RNG.random(N) < 0.7


def _poisson(lam, intercept):
    C = _penalty(lam)
    loss = Poisson(COUNTS, C, intercept)
    return loss, likelihood.poisson(K, COUNTS, C, intercept), 2


def _cox(lam, intercept):
    C, strata = _penalty(lam), THREE > 0 if intercept else None
    loss = Cox(TIMES, EVENTS, C, strata=strata)
    return loss, likelihood.cox(K, TIMES, EVENTS, C, strata=strata), 1


def _penalty(lam):
    # Beyond 1e4 errors of rounding, times C, are no longer small beside F.
    return min(1 / lam, 1e4)


LOSSES = {
    "square": _square,
    "majorized": _majorized,
    "fisher": _fisher,
    "hinge": _hinge,
    "squared hinge": _squared_hinge,
    "ε-insensitive": _epsilon,
    "squared ε-insensitive": _squared_epsilon,
    "quantile": _quantile,
    "huber": _huber,
    "logistic": _logistic,
    "multinomial": _multinomial,
    "poisson": _poisson,
    "cox": _cox,
}
every_loss = pytest.mark.parametrize("make", LOSSES.values(), ids=LOSSES)
seeds = st.integers(0, 2**32 - 1)
lams = st.floats(-6, 2).map(lambda e: 10.0**e)


def _point(rng, oracle, columns):
    """A random θ of the simplex, some weights tiny, and an A of the domain."""
    theta = rng.dirichlet(np.full(P, 0.3))
    size = 10.0 ** rng.uniform(-3, 3)
    A = oracle.into_domain(size * rng.normal(size=(N, columns)))
    return theta, np.asarray(A, float)


@every_loss
@given(seed=seeds, lam=lams, intercept=st.booleans())
def test_weak_duality(make, seed, lam, intercept):
    loss, oracle, columns = make(lam, intercept)
    theta, A = _point(np.random.default_rng(seed), oracle, columns)
    for weights in (Simplex(), Fixed(theta)):
        problem = Problem(DenseStack(K), loss, weights)
        upper, lower = problem.at(theta), problem.dual(A)
        slack = 1e-12 * max(abs(upper.value), abs(lower.value))
        assert lower.value <= upper.value + slack
        # With one θ only, the bound is tight at the inner maximiser.
        if isinstance(weights, Fixed):
            tight = problem.dual(upper.A).value
            # The k×k program of the majorised loss stops at errors up to 2e-9.
            rounding = 1e-8 if make is _majorized else 1e-9
            assert tight == pytest.approx(upper.value, rel=rounding)


@every_loss
@given(seed=seeds, lam=lams, intercept=st.booleans())
def test_dual_bound_is_the_verifiers(make, seed, lam, intercept):
    loss, oracle, columns = make(lam, intercept)
    _, A = _point(np.random.default_rng(seed), oracle, columns)
    dual = Problem(DenseStack(K), loss, Simplex()).dual(A)
    # Reported with its point, and at the best scale: never worse than A itself.
    expected = float(oracle.dual(dual.A, np.ones(P)))
    assert dual.value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    unscaled = float(oracle.dual(A, np.ones(P)))
    assert dual.value >= unscaled - 1e-9 * abs(unscaled)


@given(seed=seeds, intercept=st.booleans())
def test_weak_duality_with_lambda_learned(seed, intercept):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(N, 2))
    problem = Problem(
        WithIdentity(DenseStack(K), 1 / N), Square(H, 0.0, intercept), Simplex()
    )
    theta = rng.dirichlet(np.ones(P + 1))
    A = rng.normal(size=(N, 2))
    A = A - A.mean(axis=0) if intercept else A
    upper, lower = problem.at(theta).value, problem.dual(A).value
    assert lower <= upper * (1 + 1e-12)


@given(seed=seeds, lam=lams)
def test_f_is_convex_and_decreasing(seed, lam):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(N, 1))
    problem = Problem(DenseStack(K), Square(H, lam, True), Simplex())
    one, other = rng.dirichlet(np.ones(P)), rng.dirichlet(np.ones(P))
    ends = problem.at(one).value, problem.at(other).value
    middle = problem.at((one + other) / 2).value
    assert middle <= 0.5 * sum(ends) * (1 + 1e-12)
    assert problem.at(one + other).value <= min(ends) * (1 + 1e-12)
