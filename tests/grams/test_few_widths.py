"""Many widths on the same columns: as exact as one by one, and proved all the same."""

import numpy as np
import pytest

from kernelweave import Problem, solve
from kernelweave.grams import LazyStack
from kernelweave.grams.few_widths import FewWidths, in_few_widths
from kernelweave.grams.tiles import RBFTiles
from kernelweave.kernels import RBF, Laplacian, Linear
from kernelweave.losses import Square
from kernelweave.weights import LpBall, Simplex

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
H = np.column_stack([X[:, 0] > 0, X[:, 1] ** 2]) + 0.1 * RNG.normal(size=(60, 2))
MANY = np.logspace(-2, 1, 160)


def stacks(monkeypatch, kernels, **options):
    """With few widths, and one by one."""
    kernels = [kernel.fit(X) for kernel in kernels]
    few = LazyStack(kernels, X, **options)
    assert any(isinstance(family, FewWidths) for family in few._groups)
    with monkeypatch.context() as patch:
        patch.setattr("kernelweave.grams.tiles.in_few_widths", lambda family: family)
        return few, LazyStack(kernels, X, **options)


@pytest.mark.parametrize("kind", [RBF, Laplacian])
@pytest.mark.parametrize("normalize", ["variance", "spherical"])
def test_all_products_are_the_same(monkeypatch, kind, normalize):
    order = np.random.default_rng(1).permutation(MANY)
    kernels = [Linear(), *(kind(gamma=g) for g in order), RBF(columns=[0], gamma=2.0)]
    few, all_ = stacks(monkeypatch, kernels, normalize=normalize)
    A = RNG.normal(size=(60, 2))
    assert few.apply(A) == pytest.approx(all_.apply(A), rel=1e-10, abs=1e-10)
    assert few.quadratic(A) == pytest.approx(all_.quadratic(A), rel=1e-10)
    assert few.traces == pytest.approx(all_.traces, rel=1e-11)
    for theta in (RNG.uniform(size=few.p), 1.0 * (np.arange(few.p) % 40 == 0)):
        assert few.combine(theta) == pytest.approx(all_.combine(theta), abs=1e-10)


@pytest.mark.parametrize("weights", [Simplex(), LpBall(2)], ids=["simplex", "ball"])
def test_the_optimum_is_that_of_the_matrices(monkeypatch, weights):
    kernels = [RBF(gamma=gamma) for gamma in MANY]
    few, all_ = stacks(monkeypatch, kernels)
    loss = Square(H - H.mean(axis=0), 0.5, True)
    found = solve(Problem(few, loss, weights), tol=1e-7)
    assert found.converged
    exact = Problem(all_, loss, weights)
    upper, lower = exact.at(found.weights).value, exact.dual(found.dual_A).value
    assert upper - lower <= 1.1e-7 * upper
    assert found.certificate.primal == pytest.approx(upper, rel=1e-9)


@pytest.mark.parametrize(("p", "top"), [(160, 1e60), (20, 10.0), (1, 1.0)])
def test_where_few_do_not_suffice_all_are_made(p, top):
    family = RBFTiles(list(range(p)), X, np.geomspace(1.0, top, p).tolist())
    assert in_few_widths(family) is family


def test_one_width_many_times():
    found = in_few_widths(RBFTiles(list(range(50)), X, [0.5] * 50))
    assert isinstance(found, FewWidths)
    out = np.ones(50)
    found.spread(out)
    assert out == pytest.approx(np.ones(50))


@pytest.mark.parametrize("ratio", [1.5, 30.0, 1e3, 1e5])
def test_no_entry_is_off_by_more_than_rounding(ratio):
    gammas = np.geomspace(1.0, ratio, 400)
    found = in_few_widths(RBFTiles(list(range(400)), X, gammas.tolist()))
    assert isinstance(found, FewWidths)
    d = np.concatenate([[0.0], np.geomspace(1e-8, 1e3, 500)])
    out = np.zeros((400, len(d)))
    out[found.nodes.numbers] = np.exp(-np.outer(found.nodes.gammas, d))
    found.spread(out)
    assert np.abs(out - np.exp(-np.outer(gammas, d))).max() < 3e-14
