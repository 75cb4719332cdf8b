"""The paper's experiments, small: rows of the right shape, and the right direction."""

import numpy as np
import pytest

from kernelweave.datasets import load_table
from kernelweave.weights import ElasticNet
from kernelweave_papers import yang2011
from kernelweave_papers.yang2011 import protocol, readings
from kernelweave_papers.yang2011.protocol import (
    METHODS,
    PENALTIES,
    SETS,
    TOYS,
    VALUES,
    choose_penalty,
    fit,
    measured,
    selected,
)
from kernelweave_papers.yang2011.tasks import MAPPINGS, TABLES

COLUMNS = {"data", "run", "method", "C", "accuracy", "kernels", "seconds"}
COLUMNS |= {"iterations", "gap"}


def _rng(seed=0):
    return np.random.default_rng(seed)


def _task(seed=0, example=1, n=120, d=6):
    """A small toy example: 91 kernels, 60 rows to learn from."""
    rng = _rng(seed)
    return yang2011.split(*yang2011.toy(example, rng, n, d), rng)


def test_every_mapping_has_the_mean_zero():
    # The midpoint rule: f_4 too, whose constant is e^−1 − 1.
    a = (np.arange(100_000) + 0.5) / 100_000
    for f in MAPPINGS:
        assert abs(f(a).mean()) < 1e-9


@pytest.mark.parametrize("example", [1, 2])
def test_toy_examples(example):
    X, y = yang2011.toy(example, _rng(), 20_000)
    assert X.shape == (20_000, 20) and X.min() >= 0 and X.max() <= 1
    assert set(y) == {-1, 1}
    assert abs(y.mean()) < 0.06
    # The other features know nothing of the label: |r| is about 1/√n.
    relevant = 3 if example == 1 else 12
    r = np.array([np.corrcoef(x, y)[0, 1] for x in X.T])
    assert np.all(np.abs(r[relevant:]) < 0.03) and np.all(np.abs(r[:3]) > 0.1)


def test_toy_example_must_be_one_of_two():
    with pytest.raises(ValueError, match="toy examples 1 and 2"):
        yang2011.toy(3, _rng())


def test_runs_of_a_toy_example():
    first, second = yang2011.tasks("toy 1", 2)
    assert first.K.shape == (273, 150, 150) and len(first.y_test) == 150
    assert np.allclose(np.trace(first.K, axis1=1, axis2=2), 1, atol=1e-5)
    assert np.allclose(first.X.mean(axis=0), 0) and np.allclose(first.X.std(axis=0), 1)
    # A new draw each, the same again for the same seed.
    assert not np.allclose(first.X, second.X)
    assert np.array_equal(first.X, next(yang2011.tasks("toy 1", 1)).X)


def test_kernels_stand_in_the_order_of_figure_1():
    names = [kernel.label for kernel in yang2011.base_kernels(20)]
    assert len(names) == len(set(names)) == 273
    assert names[0] == "all σ=0.125" and names[9] == "all σ=64"
    assert names[10:13] == ["all degree 1", "all degree 2", "all degree 3"]
    assert names[13] == "x1 σ=0.125" and names[212] == "x20 σ=64"
    assert names[213] == "x1 degree 1" and names[-1] == "x20 degree 3"


def test_kernels_are_those_of_the_toolbox():
    task = _task()
    x, z = task.X[0], task.X[1]
    K, names = task.K, [kernel.label for kernel in task.kernels]
    n = len(task.X)
    # exp(−‖x − z‖²/2σ²) over its trace n.
    gaussian = K[names.index("all σ=2")][0, 1]
    assert gaussian == pytest.approx(np.exp(-np.sum((x - z) ** 2) / 8) / n)
    cube = K[names.index("x2 degree 3")][0, 1]
    trace = np.sum((task.X[:, 1] ** 2 + 1) ** 3)
    assert cube == pytest.approx((x[1] * z[1] + 1) ** 3 / trace)


def test_scores_are_those_of_the_combined_kernel():
    task = _task()
    same = yang2011.Task(task.X, task.y, task.X, task.y)
    solution = fit(task.K, task.y, ElasticNet(0.5), 100.0)
    f = np.tensordot(solution.weights, task.K, 1) @ solution.A[:, 0] + solution.bias
    scores = same.scores(solution.weights, solution.A, solution.bias)
    assert np.allclose(scores, f, atol=1e-4)
    assert measured(same, solution)["accuracy"] == np.mean(np.sign(scores) == task.y)


def test_compare_rows(monkeypatch):
    small = [_task(seed) for seed in range(2)]
    monkeypatch.setattr(protocol, "tasks", lambda name, count, seed: small[:count])
    messages = []
    rows = yang2011.compare(["toy 1"], 2, penalties=(9, 99), progress=messages.append)
    assert len(rows) == 2 * len(METHODS) and len(messages) == 1
    assert all(set(row) == COLUMNS for row in rows)
    for row in rows:
        assert 0 <= row["accuracy"] <= 1 and row["seconds"] > 0
        assert abs(row["gap"]) <= 1e-3 and row["C"] in (9, 99)
    # One C a method.
    assert len({(row["method"], row["C"]) for row in rows}) == len(METHODS)
    one, two = ([r["accuracy"] for r in rows if r["run"] == run] for run in (0, 1))
    assert one != two


def test_gmkl_selects_more_than_l1_and_fewer_than_all():
    runs = [_task(seed) for seed in range(4)]
    rows = yang2011.measure("toy", runs, penalties=(100.0,))
    kernels = {m: [r["kernels"] for r in rows if r["method"] == m] for m in METHODS}
    assert np.all(np.array(kernels["ℓ1"]) < kernels["GMKL"])
    assert np.all(np.array(kernels["GMKL"]) < 91)
    assert kernels["ℓ2"] == kernels["uniform"] == [91] * 4


def test_fewer_kernels_as_v_grows():
    rows = yang2011.sweep(["toy 1"], VALUES, 2, penalties=(100.0,))
    assert all(set(row) == COLUMNS - {"method"} | {"v"} for row in rows)
    mean = [np.mean([r["kernels"] for r in rows if r["v"] == v]) for v in VALUES]
    assert np.all(np.diff(mean) <= 0)
    assert mean[0] == 273 and mean[-1] < 30


def test_the_count_does_not_depend_on_tolerance_or_threshold():
    # An iterate within the gap may still hold weights on their way to zero.
    for seed in range(3):
        task = _task(seed)
        for v in (0.5, 1.0):
            loose, tight = (
                fit(task.K, task.y, ElasticNet(v), 30.0, tol).weights
                for tol in (1e-3, 1e-7)
            )
            assert abs(selected(loose) - selected(tight)) <= 2
            assert abs(selected(tight) - np.sum(tight > 1e-3 * tight.max())) <= 2


def test_choose_penalty():
    task = _task()
    assert choose_penalty(task, ElasticNet(0.5), (7.0,)) == 7.0
    # C → 0 names the larger class.
    assert choose_penalty(task, ElasticNet(0.5), (1e-6, 100.0)) == 100.0
    assert np.all(np.diff(PENALTIES) > 0)


def test_average_weights():
    rows = yang2011.average_weights(["toy 1"], (1.0, 0.0), 2, (100.0,))
    assert len(rows) == 2 * 273
    sparse = [row for row in rows if row["v"] == 1]
    assert sum(row["weight"] for row in sparse) == pytest.approx(1)
    assert all(row["share"] in (0, 0.5, 1) for row in rows)
    # Of the kernels of one feature, those of the first three have most of the weight.
    single = [row for row in sparse if row["name"].startswith("x")]
    known = [row["weight"] for row in single if row["name"].split()[0][1:] in "123"]
    assert sum(known) > 0.5 * sum(row["weight"] for row in single)


def test_printed_figures_are_complete():
    printed = yang2011.printed()
    for name in (*TOYS, *SETS):
        n, m, d, p = printed["table II"][name]
        assert p == 13 * (d + 1) and abs(n - m) <= 1
        for method in METHODS:
            mean, deviation = printed[name][method]["accuracy"]
            assert 60 < mean < 100 and 0 < deviation < 6
            assert printed[name][method]["kernels"][0] <= p


def test_readings_rows(monkeypatch):
    monkeypatch.setattr(readings, "tasks", lambda name, count: [_task()] * count)
    rows = readings.by_penalty(["toy 1"], 1, (10.0, 100.0))
    assert len(rows) == 2 * len(METHODS) and all(set(r) == COLUMNS for r in rows)
    rows = readings.by_stopping_rule(["toy 1"], 1)
    gap = {(row["method"], row["rule"]): row["gap"] for row in rows}
    assert gap["ℓ1", "paper's"] <= 0.01 and gap["GMKL", "1e-6"] <= 1e-6
    # The level method stops by its steps, with what gap they leave.
    assert gap["GMKL", "1e-6"] < gap["GMKL", "paper's"] < 0.05


@pytest.mark.parametrize("name", SETS)
def test_tables_have_the_printed_sizes(name):
    try:
        load_table(TABLES[name])
    except FileNotFoundError as error:
        pytest.skip(str(error))
    X, y = yang2011.table(name)
    n, m, d, _ = yang2011.printed()["table II"][name]
    # Ours lacks the sample number of breast, and four incomplete rows of wpbc.
    assert X.shape[1] == d - (name == "breast")
    assert len(y) == n + m - 4 * (name == "wpbc")
    assert set(y) == {-1, 1}


def test_a_missing_set_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="'sonar' is not here"):
        yang2011.compare(["sonar"], 1)
    with pytest.raises(ValueError, match="Table II has breast"):
        yang2011.table("iris")
