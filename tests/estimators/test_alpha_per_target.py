"""One alpha for every target, R² of each, and the kernels' parts in it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.preprocessing import scale

from kernelweave import MKLRidge, MKLRidgeCV, Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.importance import view_importance
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.losses import ByTarget, Square, WeightedSquare
from kernelweave.persist import load, save
from kernelweave.weights import LpBall, Simplex

X, y = load_diabetes(return_X_y=True)
X, y = scale(X)[:120], scale(y)[:120]
Y = np.column_stack([y, X[:, 2] ** 2, y - X[:, 0]])
ALPHAS = [1.0, 30.0, 4.0]
KERNELS = [RBF(columns=[0, 1, 2], name="first"), RBF(columns=slice(3, 10)), Linear()]


def test_one_kernel_is_kernel_ridge():
    ours = MKLRidge([RBF(gamma=0.1)], alpha=ALPHAS, normalize=None, center=False)
    theirs = KernelRidge(kernel="rbf", gamma=0.1, alpha=ALPHAS).fit(X, Y)
    assert_allclose(ours.fit(X, Y).dual_coef_, theirs.dual_coef_, atol=1e-10)
    assert_allclose(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.alpha_, ALPHAS)


@pytest.mark.parametrize("weights", [None, LpBall(2)])
def test_equal_alphas_are_one_alpha(weights):
    one = MKLRidge(KERNELS, weights, alpha=3.0).fit(X, Y)
    each = MKLRidge(KERNELS, weights, alpha=[3.0, 3.0, 3.0]).fit(X, Y)
    assert_allclose(each.weights_, one.weights_, atol=1e-8)
    assert_allclose(each.predict(X), one.predict(X), atol=1e-8)


@pytest.mark.parametrize("weight", [None, np.arange(120) % 3])
def test_the_shared_weights_are_optimal(weight):
    """Every other weight on the segments to the corners has a larger Σ_t F_t."""
    model = MKLRidge(KERNELS, alpha=ALPHAS, tol=1e-9).fit(X, Y, sample_weight=weight)
    assert model.solution_.certificate.relative_gap <= 1e-9
    rows = slice(None) if weight is None else weight > 0
    v = np.ones(120) if weight is None else weight[rows].astype(float)
    rows, H = X[rows], Y[rows]

    def value(theta):
        total = 0.0
        for t, alpha in enumerate(ALPHAS):
            loss = WeightedSquare(H[:, t : t + 1], alpha, v, True)
            total += loss.inner(np.tensordot(theta, grams, 1)).value
        return total

    grams = []
    for kernel in KERNELS:
        K = kernel.fit(rows)(rows)
        C = np.eye(len(v)) - np.outer(np.ones(len(v)), v / v.sum())
        K = C @ K @ C.T
        grams.append(K * (v.sum() / (v @ np.diag(K))))
    best = value(model.weights_)
    assert best == pytest.approx(model.solution_.certificate.primal, rel=1e-6)
    for corner in np.eye(3):
        for step in (1e-3, 0.1, 0.5):
            assert value((1 - step) * model.weights_ + step * corner) >= best - 1e-9


def test_gradient_and_hessian_of_the_sum():
    rng = np.random.default_rng(0)
    grams = np.stack([(Z := rng.normal(size=(20, 4))) @ Z.T for _ in range(3)])
    H = rng.normal(size=(20, 3))
    parts = [Square(H[:, [2, 0]], 0.5), Square(H[:, [1]], 2.0)]
    loss = ByTarget(parts, [[2, 0], [1]])
    theta = np.array([0.2, 0.3, 0.5])

    def at(theta):
        return loss.inner(np.tensordot(theta, grams, 1))

    found = at(theta)
    applied = grams @ found.A
    s = np.einsum("jik,ik->j", applied, found.A)
    numeric = [
        (at(theta + h).value - at(theta - h).value) / 2e-5 for h in 1e-5 * np.eye(3)
    ]
    assert_allclose(numeric, -0.5 * s, rtol=1e-6)
    hessian = found.hessian(applied)
    numeric = [
        (at(theta + h).value - 2 * found.value + at(theta - h).value) / 1e-6
        for h in 1e-3 * np.eye(3)
    ]
    assert_allclose(numeric, np.diag(hessian), rtol=1e-3)
    change = 1e-6 * grams[1] @ found.A
    moved = at(theta + np.array([0, 1e-6, 0])).A - found.A
    assert_allclose(found.respond(change), moved, atol=1e-11)
    scales = [loss.value(t * found.A) - 0.5 * t**2 * 3.0 for t in (0.9, 1.1)]
    t = loss.best_scale(found.A, 3.0)
    assert loss.value(t * found.A) - 0.5 * t**2 * 3.0 >= max(scales)
    answer = solve(Problem(DenseStack(grams), loss, Simplex()), tol=1e-8)
    assert answer.converged


def test_weights_and_alphas_of_every_target():
    both = MKLRidge(KERNELS, alpha=ALPHAS, weights_per_target=True).fit(X, Y)
    for t, alpha in enumerate(ALPHAS):
        one = MKLRidge(KERNELS, alpha=alpha).fit(X, Y[:, t])
        assert_allclose(both.weights_[t], one.weights_, atol=1e-6)
        assert_allclose(both.predict(X)[:, t], one.predict(X), atol=1e-5)
    assert_allclose(both.alpha_, ALPHAS)


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="one for each of the 3 targets"):
        MKLRidge(KERNELS, alpha=[1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match=r"alpha\[1\] must be a positive number"):
        MKLRidge(KERNELS, alpha=[1.0, 0.0, 2.0]).fit(X, Y)
    many = np.tile(X, (10, 1)), np.tile(Y, (10, 1))
    with pytest.raises(ValueError, match="fit one model a target"):
        MKLRidge([Nystroem(RBF(), n_components=20)], alpha=ALPHAS).fit(*many)
    model = MKLRidge(KERNELS, alpha=ALPHAS).fit(X, Y)
    save(model, tmp_path / "model.skops")
    assert_allclose(load(tmp_path / "model.skops").predict(X), model.predict(X))


def test_importance_by_folds():
    model = MKLRidge(KERNELS[:2], alpha=ALPHAS).fit(X, Y)
    found = view_importance(model, X, Y, n_subsamples=2, n_permutations=2)
    assert np.all(np.isfinite(found["removed"]))


def test_scores_of_every_target():
    model = MKLRidge(KERNELS, alpha=ALPHAS).fit(X[:80], Y[:80])
    weight = np.arange(40) % 4
    scores = model.score_per_target(X[80:], Y[80:], weight)
    f = model.predict(X[80:])
    assert_allclose(
        scores, [r2_score(Y[80:, t], f[:, t], sample_weight=weight) for t in range(3)]
    )
    assert scores.mean() == pytest.approx(model.score(X[80:], Y[80:], weight))
    one = MKLRidge(KERNELS).fit(X[:80], y[:80])
    assert one.score_per_target(X[80:], y[80:]).shape == (1,)


@pytest.mark.parametrize("weight", [None, np.arange(40) % 4])
@pytest.mark.parametrize("target", [y, Y], ids=["one", "three"])
def test_parts_of_kernels_add_up(target, weight):
    model = MKLRidge(KERNELS).fit(X[:80], target[:80])
    new, true = X[80:], target[80:]
    parts = model.score_per_kernel(new, true, weight)
    assert parts.shape == (3, *target.shape[1:])
    f, v = model.predict(new), np.ones(40) if weight is None else weight
    v = v / v.sum()
    bias = (v @ (f - true)) ** 2 / (v @ (true - v @ true) ** 2)
    expected = model.score_per_target(new, true, weight).reshape(np.shape(bias))
    assert_allclose(parts.sum(axis=0), expected + bias)


def test_a_kernel_of_noise_has_no_part():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 6))
    target = rows[:, 0] + rows[:, 1]
    kernels = [RBF(columns=[0, 1]), RBF(columns=[2, 3, 4, 5])]
    model = MKLRidge(kernels, LpBall(2), alpha=3.0).fit(rows[:200], target[:200])
    real, noise = model.score_per_kernel(rows[200:], target[200:])
    assert real > 0.7 and abs(noise) < 0.05


def test_alphas_chosen_for_every_target():
    one = MKLRidgeCV([RBF(), Linear()], alphas=[0.1, 1, 10, 100])
    model = MultiOutputRegressor(one).fit(X, Y)
    assert len({part.alpha_ for part in model.estimators_}) > 1
    shared = one.fit(X, Y)
    assert shared.score_per_target(X, Y).shape == (3,)
