"""Properties that every set of weights must have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import verify
from kernelweave.problem import Charted, WeightSet
from kernelweave.weights import ElasticNet, Fixed, GroupSimplex, LpBall, Simplex
from naive import on_simplex

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 12)
# Traces over several orders of magnitude, as unscaled kernels have them.
decades = st.floats(-3, 3)


def _simplex(rng, p):
    return Simplex(), lambda: on_simplex(rng, p, sparse=True)


def _weighted_simplex(rng, p):
    r = 10.0 ** rng.uniform(-3, 3, p)
    return Simplex(r), lambda: on_simplex(rng, p, sparse=True) / r


def _fixed(rng, p):
    theta = rng.exponential(size=p)
    return Fixed(theta), lambda: theta


def _average(rng, p):
    return Fixed(), lambda: np.full(p, 1 / p)


def _ball(p):
    def make(rng, n):
        def random_point():
            theta = rng.exponential(size=n)
            return theta / np.linalg.norm(theta, p)

        return LpBall(p), random_point

    return make


def _net(v, p):
    def make(rng, n):
        def random_point():
            theta = rng.exponential(size=n) * rng.integers(0, 2, n)
            theta = theta if theta.any() else np.ones(n)

            def excess(t):
                return np.sum(v * t * theta + (1 - v) * (t * theta) ** p) - 1

            return brentq(excess, 0, 1.001 / theta.max(), xtol=1e-15) * theta

        return ElasticNet(v, p), random_point

    return make


def _groups(rng, p):
    groups = rng.integers(0, 3, p).tolist()

    def random_point():
        theta = rng.exponential(size=p) * rng.integers(0, 2, p)
        theta = theta if theta.any() else np.ones(p)
        return theta / verify.GroupSimplex(tuple(groups)).cost(theta)

    return GroupSimplex(groups), random_point


# A maker gives a set for p kernels, and random points of it. Add a new set here.
MAKERS = {
    "simplex": _simplex,
    "simplex with traces": _weighted_simplex,
    "fixed": _fixed,
    "average": _average,
    **{f"ℓ{p:g}": _ball(p) for p in (1, 1 + 2**-6, 1.5, 2, 4, 64, np.inf)},
    **{f"net {v:g}, {p:g}": _net(v, p) for v in (0, 0.1, 0.5, 0.9, 1) for p in (2, 3)},
    "net 0.5, 1.5": _net(0.5, 1.5),
    "groups": _groups,
}
every_set = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
CHARTED = {
    name: make
    for name, make in MAKERS.items()
    if isinstance(make(np.random.default_rng(0), 3)[0], Charted)
}
every_charted_set = pytest.mark.parametrize("make", CHARTED.values(), ids=CHARTED)


def assert_feasible(weights, theta, p, size=1.0):
    """θ ∈ Θ; `size` is that of the numbers θ was computed from."""
    assert theta.shape == (p,)
    assert np.all(theta >= 0)
    if isinstance(weights, Simplex):
        r = np.ones(p) if weights.r is None else weights.r
        # θ = t − νr has an error of ε·size, times r.
        assert r @ theta == pytest.approx(1, abs=8 * p * EPS * (1 + size * r.sum()))
    elif isinstance(weights, ElasticNet):
        assert np.sum(weights.cost(theta)) <= 1 + 1e-11
    elif isinstance(weights, LpBall):
        assert np.linalg.norm(theta, weights.p) <= 1 + 1e-12
    elif isinstance(weights, GroupSimplex):
        cost = verify.GroupSimplex(tuple(weights.groups)).cost(theta)
        assert cost <= 1 + 4 * p * EPS * (1 + size)
    else:
        assert np.array_equal(theta, weights.start(p))


@every_set
def test_is_a_weight_set(make):
    assert isinstance(make(np.random.default_rng(0), 3)[0], WeightSet)


@every_set
@given(seed=seeds, p=sizes)
def test_support_is_attained_and_never_exceeded(make, seed, p):
    rng = np.random.default_rng(seed)
    weights, random_point = make(rng, p)
    s = rng.exponential(size=p) * 10.0 ** rng.uniform(-6, 6)
    value, best = weights.support(s), weights.maximiser(s)
    assert_feasible(weights, best, p)
    assert best @ s == pytest.approx(value, rel=1e-13)
    for _ in range(20):
        assert random_point() @ s <= value * (1 + 1e-13)


# v of nets at the ends, and beside them.
ENDS = [0.0, 1e-300, 1e-25, 1e-23, 1e-12, 1e-3, 0.5]
ENDS += [1 - 1e-3, 1 - 1e-9, 1 - 1e-12, 1 - 2.0**-53, 1.0]


@st.composite
def extreme_sets(draw):
    """A set near the ends of its parameters, and the verifier's, for n kernels."""
    n = draw(st.integers(1, 6))
    kind = draw(st.sampled_from(["net", "net", "ball", "simplex", "groups"]))
    if kind == "net":
        v = draw(st.sampled_from(ENDS))
        p = draw(st.sampled_from([1.0001, 1.01, 1.5, 2.0, 8.0, 100.0]))
        judge = verify.Simplex(np.ones(n)) if v == 1 else verify.ElasticNet(v, p)
        return ElasticNet(v, p), judge, n
    if kind == "ball":
        p = draw(st.sampled_from([1 + 1e-12, 1.0001, 1.5, 2.0, 8.0, 1e4]))
        return LpBall(p), verify.LpBall(p), n
    if kind == "simplex":
        r = 10.0 ** np.array(draw(st.lists(st.floats(-10, 10), min_size=n, max_size=n)))
        return Simplex(r), verify.Simplex(r), n
    groups = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return GroupSimplex(groups), verify.GroupSimplex(tuple(groups)), n


@st.composite
def extreme_earnings(draw, n):
    """s ≥ 0 with zeros, with ratios far from 1, and very near 1."""
    entry = st.one_of(
        st.sampled_from([0.0, 1.0, 1 - 2.0**-53, 1 - 1e-9, 1 - 1e-12, 0.5]),
        st.floats(-14, 0).map(lambda e: 1 - 10.0**e),
        st.floats(-150, 0).map(lambda e: 10.0**e),
    )
    s = np.array(draw(st.lists(entry, min_size=n, max_size=n)))
    return s * 10.0 ** draw(st.sampled_from([-100, 0, 0, 100]))


@settings(max_examples=300)
@given(data=st.data())
def test_support_is_never_below_the_true_one_at_the_ends(data):
    """σ too small is a lower bound D = g − ½σ that proves too much."""
    weights, judge, n = data.draw(extreme_sets())
    s = data.draw(extreme_earnings(n))
    value, best = weights.support(s), weights.maximiser(s)
    assert np.all(np.isfinite(best)) and np.all(best >= 0)
    exponent = getattr(weights, "p", 1.0)
    rounding = 4 * (n + exponent) * EPS
    assert judge.cost(best.astype(verify.LONG)) <= 1 + rounding
    if not np.any(s > 0):
        assert value == 0
        return
    true = float(judge.support(s.astype(verify.LONG)))
    assert value == pytest.approx(true, rel=1e-14 * n)
    # It is attained: a feasible point that earns as much.
    assert best @ s == pytest.approx(true, rel=1e-13 * n)


@every_set
@given(seed=seeds, p=sizes)
def test_start_is_feasible_and_positive(make, seed, p):
    weights, _ = make(np.random.default_rng(seed), p)
    start = weights.start(p)
    assert_feasible(weights, start, p)
    assert np.all(start > 0)


@every_set
@given(seed=seeds, p=sizes, size=decades)
def test_projection_is_feasible_idempotent_and_nearest(make, seed, p, size):
    rng = np.random.default_rng(seed)
    weights, random_point = make(rng, p)
    size = 10.0**size
    theta = size * rng.normal(size=p)
    nearest = weights.project(theta)
    assert_feasible(weights, nearest, p, size)
    scale = max(size, np.max(np.abs(nearest)))
    again = weights.project(nearest)
    assert again == pytest.approx(nearest, abs=1e-12 * scale)
    # The nearest point of a convex set: (θ − π)ᵀ(x − π) ≤ 0 for every x of it.
    for _ in range(20):
        x = random_point()
        inner = (theta - nearest) @ (x - nearest)
        lengths = np.linalg.norm(theta - nearest) * np.linalg.norm(x - nearest)
        assert inner <= 1e-11 * (lengths + scale**2)


@given(seed=seeds, p=sizes)
def test_projection_leaves_points_of_the_simplex(seed, p):
    theta = on_simplex(np.random.default_rng(seed), p, sparse=True)
    assert Simplex().project(theta) == pytest.approx(theta, abs=1e-14)


def test_projection_of_a_far_point_is_a_vertex():
    # What a failed conic solver may return: θ − ν has no digit left of the 1.
    assert Simplex().project(np.array([1e17, 0.0])) == pytest.approx([1, 0])


def test_only_the_groups_have_no_chart():
    assert set(MAKERS) - set(CHARTED) == {"groups"}


@every_charted_set
@given(seed=seeds, p=sizes)
def test_chart_and_coordinates(make, seed, p):
    rng = np.random.default_rng(seed)
    weights, random_point = make(rng, p)
    theta = random_point()
    if isinstance(weights, LpBall | ElasticNet):
        # The chart covers the part of the sphere that can be optimal.
        theta = weights.maximiser(rng.exponential(size=p))
    phi = weights.coordinates(theta)
    assert np.all(phi >= 0) and phi.sum() == pytest.approx(1, abs=1e-13)
    back, first, second = weights.chart(phi)
    assert back == pytest.approx(theta, rel=1e-14)
    # Derivatives along each coordinate, by central differences.
    h = 1e-5
    inside = 0.5 * phi + 0.5 / p
    _, first, second = weights.chart(inside)
    above, below = weights.chart(inside + h), weights.chart(inside - h)
    slope = (above[0] - below[0]) / (2 * h)
    assert first == pytest.approx(slope, rel=1e-6, abs=1e-9)
    bend = (above[1] - below[1]) / (2 * h)
    assert second == pytest.approx(bend, rel=1e-6, abs=1e-9)


@every_set
@given(seed=seeds, p=st.integers(2, 12))
def test_restriction_is_the_set_with_weights_zero(make, seed, p):
    rng = np.random.default_rng(seed)
    weights, _ = make(rng, p)
    keep = np.ones(p, dtype=bool)
    keep[rng.integers(p)] = False
    s = rng.exponential(size=p)
    # σ of the restriction is σ where the others earn nothing.
    restricted = weights.restrict(keep).support(s[keep])
    assert restricted == pytest.approx(weights.support(np.where(keep, s, 0)), rel=1e-13)


def test_support_of_the_simplex_is_the_largest_ratio():
    s, r = np.array([3.0, 1.0, 2.0]), np.array([4.0, 1.0, 1.0])
    assert Simplex().support(s) == 3
    assert Simplex(r).support(s) == 2
    assert np.array_equal(Simplex(r).maximiser(s), [0, 0, 1])


@pytest.mark.parametrize("r", [[1.0, -1.0], [1.0, 0.0], [1.0, np.nan]])
def test_traces_must_be_positive(r):
    with pytest.raises(ValueError, match=r"Simplex.* positive"):
        Simplex(r).start(2)


def test_wrong_lengths_are_named():
    with pytest.raises(ValueError, match=r"Simplex\(r\).*2 kernels"):
        Simplex([1.0, 1.0, 1.0]).start(2)
    with pytest.raises(ValueError, match=r"Fixed\(theta\).*2 kernels"):
        Fixed([1.0, 1.0, 1.0]).start(2)
    with pytest.raises(ValueError, match=r"Simplex\(r\).*2 kernels"):
        Simplex([1.0, 1.0, 1.0]).restrict(np.array([True, True]))


@pytest.mark.parametrize("theta", [[1.0, -0.1], [1.0, np.inf], [np.nan, 1.0]])
def test_fixed_weights_must_be_weights(theta):
    with pytest.raises(ValueError, match=r"Fixed.*not negative"):
        Fixed(theta).start(2)


@pytest.mark.parametrize("p", [1, 1 + 1e-9, 1 + 2**-6, 1.5, 2, 4, 1e6, 1e12, np.inf])
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_powers_neither_overflow_nor_vanish(p, size):
    s = size * np.array([1.0, 0.5, 1e-3, 0.0])
    weights = LpBall(p)
    theta = weights.maximiser(s)
    assert np.all(np.isfinite(theta))
    assert np.linalg.norm(theta, p) == pytest.approx(1, rel=1e-9)
    assert theta @ s == pytest.approx(weights.support(s), rel=1e-12)
    # ‖s‖_∞ ≤ ‖s‖_q ≤ ‖s‖_1
    assert size * (1 - 1e-12) <= weights.support(s) <= s.sum() * (1 + 1e-12)


@given(seed=seeds, p=st.floats(1.01, 64), n=sizes)
def test_balance_minimises_the_norms_over_the_weights(seed, p, n):
    rng = np.random.default_rng(seed)
    v = rng.exponential(size=n)
    theta = LpBall(p).balance(v)
    assert np.linalg.norm(theta, p) == pytest.approx(1, rel=1e-12)
    for _ in range(20):
        other = rng.exponential(size=n)
        other /= np.linalg.norm(other, p)
        assert np.sum(v / theta) <= np.sum(v / other) * (1 + 1e-12)


@pytest.mark.parametrize("p", [0.5, -1, np.nan])
def test_norms_below_one_are_none(p):
    with pytest.raises(ValueError, match="at least 1"):
        LpBall(p).start(3)


@given(seed=seeds, v=st.floats(0, 0.999), p=st.sampled_from([1.5, 2, 3]))
def test_the_net_is_tight_and_treats_like_kernels_alike(seed, v, p):
    # Yang et al. 2011, theorems 1 and 2.
    s = np.random.default_rng(seed).exponential(size=6)
    s[1] = s[0]
    weights = ElasticNet(v, p)
    theta = weights.maximiser(s)
    assert np.sum(weights.cost(theta)) == pytest.approx(1, rel=1e-9)
    assert theta[0] == theta[1]


@given(seed=seeds, v=st.floats(0.05, 0.95), p=st.sampled_from([1.5, 2, 3]))
def test_balance_of_the_net(seed, v, p):
    rng = np.random.default_rng(seed)
    norms = rng.exponential(size=5)
    weights = ElasticNet(v, p)
    theta = weights.balance(norms)
    assert np.sum(weights.cost(theta)) == pytest.approx(1, rel=1e-9)
    _, random_point = _net(v, p)(rng, 5)
    for _ in range(10):
        other = np.maximum(random_point(), 1e-300)
        assert np.sum(norms / theta) <= np.sum(norms / other) * (1 + 1e-9)


@given(seed=seeds, v=st.floats(0, 0.95), p=st.sampled_from([1.5, 2, 3]))
def test_hessian_of_the_support(seed, v, p):
    s = np.random.default_rng(seed).uniform(0.5, 1, size=4)
    weights = ElasticNet(v, p)
    h = 1e-6
    rows = [
        (weights.maximiser(s + h * e) - weights.maximiser(s - h * e)) / (2 * h)
        for e in np.eye(4)
    ]
    # A kink, where a weight becomes zero, has no Hessian to compare with.
    if np.all((weights.maximiser(s) > 1e-3) | (weights.maximiser(s + 1e-3) == 0)):
        assert weights.support_hessian(s) == pytest.approx(np.array(rows), abs=1e-4)


@pytest.mark.parametrize("v, p", [(-0.1, 2), (1.1, 2), (np.nan, 2), (0.5, 1), (0.5, 0)])
def test_nets_that_are_none(v, p):
    with pytest.raises(ValueError, match="v between 0 and 1"):
        ElasticNet(v, p).start(3)
