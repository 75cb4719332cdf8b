"""The protocol of the paper: partitions, kernels, scores, printed numbers."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from kernelweave_papers.comparison import read_toml
from kernelweave_papers.kim2006 import TABLES, protocol, tables


@pytest.fixture
def breast(monkeypatch):
    """In place of the data sets, one that is always here: its first 200 rows."""
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setattr(protocol, "load_table", lambda _: (X[:200, :6], y[:200]))
    protocol.table.cache_clear()
    yield
    protocol.table.cache_clear()


def test_partitions(breast):
    task = protocol.task("sonar", 0)
    assert task.K.shape == (10, 140, 140) and task.K_test.shape == (10, 60, 140)
    assert set(task.y) == {-1, 1}
    assert np.array_equal(task.y, protocol.task("sonar", 0).y)
    assert not np.array_equal(task.K[3], protocol.task("sonar", 1).K[3])
    assert len(protocol.task("sonar", 0, rows=50).y) == 35
    # All kernels have the trace n.
    assert np.allclose(np.trace(task.K, axis1=1, axis2=2), 140)


def test_features_are_scaled_to_zero_and_one(breast):
    X, _ = protocol.table("sonar")
    assert np.allclose(X.min(axis=0), 0) and np.allclose(X.max(axis=0), 1)


def test_widths_are_squares():
    # exp(−‖x − z‖²/σ²), σ from 0.1 to 100
    assert np.allclose(np.sqrt(protocol.WIDTHS)[[0, 3, 9]], [0.1, 1, 100])


def test_optimal_weights_have_the_largest_ratio(breast):
    task = protocol.task("sonar", 0)
    theta = protocol.optimal_weights(task)
    assert np.isclose(theta.sum(), 1) and np.all(theta >= 0)

    def ratio(weights):
        """(2) at its maximum, by the formula under (5)."""
        G, y, lam = np.tensordot(weights, task.K, 1), task.y, protocol.LAMBDA
        J = np.zeros((len(y), len(y)))
        a = np.zeros(len(y))
        for c in (1, -1):
            rows = np.flatnonzero(y == c)
            m = len(rows)
            J[np.ix_(rows, rows)] = (np.eye(m) - 1 / m) / np.sqrt(m)
            a[rows] = c / m
        b = J @ G @ a
        system = lam * np.eye(len(y)) + J @ G @ J
        return (a @ G @ a - b @ np.linalg.solve(system, b)) / lam

    best = ratio(theta)
    rng = np.random.default_rng(0)
    for other in (*np.eye(10), *rng.dirichlet(np.ones(10), 5)):
        assert ratio(0.8 * theta + 0.2 * other) <= best * (1 + 1e-3)


def test_threshold_lies_between_the_class_means(breast):
    task = protocol.task("sonar", 0)
    f = protocol.scores(task.K[4], task.y, task.K[4])
    means = [f[task.y == c].mean() for c in (1, -1)]
    assert means[0] > 0 and np.isclose(sum(means), 0, atol=1e-9 * abs(means[0]))
    g = protocol.scores(task.K[4], task.y, task.K_test[4])
    assert np.mean(np.sign(g) == task.y_test) > 0.85


def test_chosen_kernel_is_not_a_useless_one(breast):
    task = protocol.task("sonar", 0)
    # The narrowest kernel is nearly the identity.
    assert 2 <= protocol.chosen_kernel(task) <= 9


def test_tables(breast):
    cells = tables.accuracies(0, rows=60)
    assert {(c.row, c.column) for c in cells} == {
        (name, kernel) for name in protocol.SETS for kernel in ("K*", "K^cv")
    }
    assert all(50 < cell.value <= 100 for cell in cells)
    assert all(0.5 < cell.value <= 1 for cell in tables.areas(0, rows=60))


def test_curves_rise_from_left_to_right(breast):
    for kernel in ("K*", "K^cv"):
        curve = [c for c in tables.curves(0, rows=80) if c.row == kernel]
        assert [float(c.column) for c in curve] == list(tables.RATES)
        heights = [c.value for c in curve]
        assert heights == sorted(heights) and heights[-1] == 1


def test_printed_numbers():
    printed = read_toml("kim2006", "printed.toml")
    assert set(printed) - {"paper"} == set(TABLES)
    rows = printed["table1"]["cells"]
    assert set(rows) == set(protocol.SETS)
    values = [cell["mean"] for row in rows.values() for cell in row.values()]
    assert values == [84.4, 83.3, 94.1, 92.6, 81.7, 82.0, 74.9, 75.1]
    areas = printed["figure1-area"]["cells"]["sonar"]
    assert (areas["K*"]["mean"], areas["K^cv"]["mean"]) == (0.91, 0.90)
    assert all(table.splits == 100 for table in TABLES.values())
