"""The paper's experiments, small: rows of the right shape, and the right direction."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

import problems
from kernelweave.datasets import load_distances, load_views
from kernelweave.weights import LpBall
from kernelweave_papers import yan2012
from kernelweave_papers.yan2012.protocol import LAMBDAS, NORMS, fit, summary
from kernelweave_papers.yan2012.tasks import distance_kernel, simulated_view


def _rng(seed=0):
    return np.random.default_rng(seed)


def _small(seed=0, n_kernels=3):
    """A simulated task with a validation part."""
    task = yan2012.simulated(n_kernels, _rng(seed), 40, 60)
    validation, test = task.test[:30], task.test[30:]
    return yan2012.Task(task.K, task.y, task.train, validation, test, task.names)


def _needs(load, name):
    try:
        load(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))


def test_grids_are_the_papers():
    assert len(NORMS) == 12 and len(LAMBDAS) == 10
    assert (NORMS[0], NORMS[1], NORMS[7], NORMS[-1]) == (1, 1 + 2**-6, 2, np.inf)
    assert (LAMBDAS[0], LAMBDAS[-1]) == (4**-5, 4**4)
    assert np.all(np.diff(NORMS) > 0) and np.all(np.diff(LAMBDAS) > 0)


def test_simulated_task():
    task = yan2012.simulated(3, _rng(), 20, 10)
    assert task.K.shape == (3, 30, 30)
    assert np.all(task.K[:, np.arange(30), np.arange(30)] == 1)
    assert len(task.train) == 20 and len(task.test) == 10
    assert np.bincount(task.y[task.train]).tolist() == [10, 10]
    # Another kernel for every view, the same kernels for the same seed.
    assert not np.allclose(task.K[0], task.K[1])
    assert np.array_equal(task.K, yan2012.simulated(3, _rng(), 20, 10).K)


def test_simulated_view_has_the_stated_moments():
    y = np.repeat([0, 1], 20_000)
    X = simulated_view(y, _rng())
    for c in (0, 1):
        assert np.all((X[y == c].mean(axis=0) > 0.95) & (X[y == c].mean(axis=0) < 2.05))
        # I + BBᵀ with B in [0, 1]: variances from 1 to 3.
        variance = X[y == c].var(axis=0)
        assert np.all((variance > 0.95) & (variance < 3.1))


def test_simulation_rows():
    messages = []
    rows = yan2012.simulation([1, 3], repeats=2, progress=messages.append)
    assert len(rows) == 2 * 2 * 2 and len(messages) == 2
    assert all(0 <= row["error"] <= 1 for row in rows)
    # One kernel has the weight 1 in every norm.
    assert rows[0]["error"] == rows[1]["error"] and rows[0]["effective"] == 1
    assert rows == yan2012.simulation([1, 3], repeats=2)


def test_nonsparse_weights_win_with_many_informative_kernels():
    rows = yan2012.simulation([1, 40], repeats=6)
    mean = {
        (row["kernels"], row["p"]): row["mean"]
        for row in summary(rows, ("kernels", "p"), "error")
    }
    assert 0.35 < mean[1, 1] < 0.5
    assert mean[40, 2] < mean[40, 1] < mean[1, 1]


def test_simulation_weights():
    rows = yan2012.simulation_weights((4, 25))
    assert len(rows) == 2 * (4 + 25)
    sparse = [r["weight"] for r in rows if r["kernels"] == 25 and r["p"] == 1]
    full = [r["weight"] for r in rows if r["kernels"] == 25 and r["p"] == 2]
    assert sum(sparse) == pytest.approx(1)
    assert np.linalg.norm(full) == pytest.approx(1)
    assert min(full) > 0 == min(sparse)


def _clusters(seed):
    """Eight classes, one informative kernel."""
    X, y = problems.blobs(360, 3, 8, seed)
    K = distance_kernel(euclidean_distances(X, squared=True))[None]
    train, validation, test = np.split(np.arange(360), [60, 120])
    return yan2012.Task(K, y, train, validation, test, ("all",))


def test_sparse_weights_win_with_mostly_random_kernels():
    # With two or three classes the noise does ℓ2 no harm that ℓ1 would avoid.
    tasks = [_clusters(seed) for seed in range(4)]
    rows = yan2012.mixtures(tasks, [(1, 0), (1, 30)], lams=LAMBDAS[::2])
    assert len(rows) == 4 * 2 * 2
    accuracy = {
        (row["random"], row["p"]): row["mean"]
        for row in summary(rows, ("random", "p"), "accuracy")
    }
    assert accuracy[0, 1] == accuracy[0, 2]
    assert accuracy[30, 1] > accuracy[30, 2]
    share = {(r["random"], r["p"]): r["informative_share"] for r in rows}
    assert share[0, 2] == 1 and share[30, 1] > share[30, 2]


def test_flower_methods_on_any_task():
    rows = yan2012.flower_methods([_small(0), _small(1)], (1.0, 2.0, np.inf), (0.25, 4))
    assert len(rows) == 2 * 6
    for split in (0, 1):
        by = {row["method"]: row for row in rows if row["split"] == split}
        assert set(by) == {"product", "average", "best single", "ℓ1", "ℓ∞", "ℓp"}
        assert by["ℓp"]["validation"] >= by["ℓ1"]["validation"]
        assert by["average"]["effective"] == pytest.approx(3)
        assert by["ℓ∞"]["effective"] == pytest.approx(3)
        assert by["best single"]["effective"] == by["product"]["effective"] == 1
        assert all(0 <= row["accuracy"] <= 1 for row in by.values())


def test_training_time_rows():
    tasks = [yan2012.simulated(2, _rng(), 30, 2), yan2012.simulated(4, _rng(), 20, 2)]
    rows = yan2012.training_time(tasks, repeats=1)
    assert len(rows) == 2 * 3 * 3
    assert {(row["n"], row["kernels"]) for row in rows} == {(30, 2), (20, 4)}
    for row in rows:
        assert row["seconds"] > 0 and row["iterations"] >= 1
        assert row["gap"] <= 1e-4


def test_time_accuracy_rows():
    rows = yan2012.time_accuracy(_small(), tolerances=(1.0, 1e-3))
    assert len(rows) == 2 * 3 * 2
    for row in rows:
        assert row["gap"] <= row["tol"]
        assert row["tol"] < 1 or row["iterations"] == 1


def test_summary():
    rows = [{"a": 1, "v": 2.0}, {"a": 1, "v": 4.0}, {"a": 2, "v": 5.0}]
    assert summary(rows, ("a",), "v") == [
        {"a": 1, "mean": 3.0, "deviation": 1.0, "count": 2},
        {"a": 2, "mean": 5.0, "deviation": 0.0, "count": 1},
    ]


def test_handwritten():
    _needs(load_views, "mfeat")
    task = yan2012.handwritten(_rng(), 20, 30, 40, (0.5, 1.0))
    assert task.K.shape == (12, 90, 90) and len(task.names) == 12
    assert task.names[:2] == ("fou 0.5", "fou 1")
    assert [len(task.train), len(task.validation), len(task.test)] == [20, 30, 40]
    assert np.bincount(task.y[task.train]).tolist() == [2] * 10
    assert not set(task.train) & set(task.test)


def test_flowers():
    _needs(load_distances, "flower17")
    task = yan2012.flowers(1, per_class=3)
    assert task.K.shape == (7, 1360, 1360)
    assert np.bincount(task.y[task.train])[1:].tolist() == [3] * 17
    model = fit(task, task.train, LpBall(1), 1.0)
    assert model.solution_.converged
