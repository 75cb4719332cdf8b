"""The protocol of the paper: splits, kernels, methods, printed numbers."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from kernelweave_papers.comparison import read_toml
from kernelweave_papers.ye2008 import (
    Task,
    learn,
    protocol,
    rivals,
    run_split,
    tables,
    tasks,
    timing,
)
from kernelweave_papers.ye2008.projection import Discriminant


def _task(classes=2, n=60, m=30, seed=0, kernels=10):
    """Blobs that overlap a little, and the kernels of the paper."""
    rng = np.random.default_rng(seed)
    y = np.arange(n + m) % classes
    X = rng.normal(size=(n + m, 4))
    X[np.arange(n + m), y] += 2.0
    widths = tasks.SIGMAS[-kernels:]
    K, K_test = (tasks.gaussians(rows, X[:n], widths) for rows in (X[:n], X[n:]))
    return Task(K, y[:n], K_test, y[n:])


@pytest.fixture(scope="module")
def binary():
    task = _task()
    return task, learn(task)


@pytest.fixture(scope="module")
def printed():
    return read_toml("ye2008", "printed.toml")


# The data


@pytest.mark.parametrize(
    ("counts", "size"),
    [((97, 111), 167), ((150, 120), 216), ((126, 225), 281), ((444, 239), 546)],
)
def test_splits_have_the_training_sizes_of_table_17(counts, size):
    y = np.repeat([0, 1], counts)
    train, test = tasks.split(y, 0.8, 0)
    assert len(train) == size
    assert np.array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))


def test_splits_differ_by_seed_and_repeat():
    y = np.repeat([0, 1, 2], 100)
    train, test = tasks.split(y, 0.6, 3)
    assert np.array_equal(np.bincount(y[train]), [60, 60, 60]) and len(test) == 120
    assert np.array_equal(train, tasks.split(y, 0.6, 3)[0])
    assert not np.array_equal(train, tasks.split(y, 0.6, 4)[0])


def test_features_are_scaled_to_minus_one_and_one():
    X = np.array([[0.0, 5, 1], [10, 5, 2], [4, 5, 5]])
    scaled = tasks.scaled(X)
    assert np.allclose(scaled[:, 0], [-1, 1, -0.2]) and np.allclose(scaled[:, 1], 0)
    assert scaled[:, 2].min() == -1 and scaled[:, 2].max() == 1


def test_widths_are_those_of_the_caption():
    caption = [0.10, 0.22, 0.46, 1.00, 2.15, 4.64, 10.00, 21.54, 46.42, 100.00]
    assert np.allclose(tasks.SIGMAS, caption, atol=0.006)


def test_kernels_divide_by_sigma_not_by_its_square():
    X, Z = np.array([[0.0, 0]]), np.array([[1.0, 2]])
    assert np.allclose(tasks.gaussians(X, Z, (10.0,)), np.exp(-0.5))


def test_wine_is_taken_whole():
    task = tasks.task("wine(3)", 0)
    assert task.K.shape == (10, 107, 107) and task.K_test.shape == (10, 71, 107)
    assert task.n_classes == 3
    assert np.allclose(np.diagonal(task.K, axis1=1, axis2=2), 1)
    assert len(tasks.task("wine(3)", 0, rows=10).y) == 18


@pytest.mark.parametrize("name", ["USPS(6)", "satimage(5)", "waveform(3)"])
def test_a_hundred_rows_of_each_of_the_first_classes(name, monkeypatch):
    count = int(name[-2])
    y = np.arange(1500) % 10
    X = np.column_stack([y, np.arange(1500.0)])
    if name == "USPS(6)":
        X = np.repeat(X, 2, axis=1)
    monkeypatch.setattr(tasks, "load_table", lambda _: (X, y))
    found_X, found = tasks.table.__wrapped__(name)
    assert np.array_equal(np.bincount(found), [100] * count)
    if name == "waveform(3)":
        assert found_X.shape == (300, 21) and found_X[:, 1].max() == 992
        assert abs(found_X[:, 2:].std() - 1) < 0.05
    elif name == "USPS(6)":
        # The first rows, each an image of four pixels; smoothing keeps its sum.
        sums = found_X.sum(axis=1)
        assert found_X.shape == (600, 4) and np.isclose(sums.max(), 2 * (995 + 5))
    else:
        # Scaled over all rows: of five classes of ten, one feature keeps to [−1, 0].
        assert found_X[:, 0].min() == -1 and found_X[:, 0].max() < 0
        assert np.isclose(found_X[:, 1].max(), 2 * 994 / 1499 - 1)


def test_rows_can_be_drawn_instead():
    y = np.arange(900) % 3
    drawn = tasks.a_hundred_each(y, 2, seed=0)
    assert np.array_equal(np.bincount(y[drawn]), [100, 100])
    assert len(set(drawn)) == 200 and drawn.max() > 600
    first, second = tasks.a_hundred_each(y, 2), tasks.a_hundred_each(y, 2, skip=100)
    assert first.max() < 300 < second.min() + 3 and second.max() < 600


def test_images_are_smoothed_within_themselves():
    images = np.zeros((2, 256))
    images[1, 8 * 16 + 8] = 1.0
    none, dot = tasks.smoothed(images)
    assert not none.any()
    x, z = np.meshgrid(np.arange(16) - 8, np.arange(16) - 8)
    bell = np.exp(-(x**2 + z**2) / (2 * 0.75**2))
    assert np.allclose(dot.reshape(16, 16), bell / bell.sum(), atol=1e-4)
    assert np.array_equal(tasks.smoothed(images, 0.0), images)


def test_unknown_data_set():
    with pytest.raises(ValueError, match="§5 has sonar, heart"):
        tasks.table.__wrapped__("iris")


# The methods


def test_twelve_and_eight_methods(binary):
    assert len(protocol.TWELVE) == 12 and len(protocol.EIGHT) == 8
    assert set(binary[1]) | set(protocol.RIVALS) == set(protocol.TWELVE)


def test_weights_add_up_as_printed(binary):
    _, results = binary
    for name, result in results.items():
        assert np.all(result.weights >= 0), name
        total = result.weights.sum()
        if name.endswith(",λ"):
            assert np.isclose(total + result.regularisation, 1), name
        elif name == "SM2_C":
            assert np.isclose(total + 1 / result.regularisation, 11), name
        else:
            assert np.isclose(total, 10 if name in ("SM1", "SM2") else 1), name


def test_every_answer_is_certified(binary):
    for name, result in binary[1].items():
        silp = name.startswith("SILP")
        assert abs(result.gap) <= (5e-4 if silp else 1e-4), name


def test_formulations_of_one_optimum_agree(binary):
    results = binary[1]
    assert results["SDP_θ"] is results["QCQP_θ"]
    assert results["SDP_θ,λ"] is results["QCQP_θ,λ"]
    assert results["SDP_θ"].regularisation == 5e-4
    assert results["SDP_Kim"].regularisation == 1e-8


def test_machines_are_support_vector_machines(binary):
    # One kernel, so nothing is learned: SM1 is SVC with C = 1.
    from sklearn.svm import SVC

    task = _task(kernels=1)
    result = protocol.learn_machine(task, "SM1")
    model = SVC(C=1.0, kernel="precomputed").fit(task.K[0], task.y)
    assert np.allclose(result.weights, 1) and result.vectors == model.n_support_.sum()
    assert result.accuracy == model.score(task.K_test[0], task.y_test)


def test_cells_of_a_split_are_those_in_print(binary, printed, monkeypatch):
    task, results = binary
    monkeypatch.setattr(protocol, "learn", lambda _: results)
    cells = run_split(task)
    ours = {(cell.row, cell.column) for cell in cells}
    assert len(ours) == len(cells) and all(isinstance(c.value, float) for c in cells)
    theirs = {(r, c) for r, row in printed["table2"]["cells"].items() for c in row}
    # C is left out where it is infinite.
    assert theirs - ours <= {("SM2_C", "λ/C")} and ours <= theirs
    for rival in protocol.RIVALS:
        chosen = [c.value for c in cells if c.row == rival and c.column != "accuracy"]
        assert sorted(chosen) == [0.0] * 9 + [30.0]


def test_several_classes_have_eight_rows(printed):
    task = _task(classes=3, n=45, m=30)
    ours = {(cell.row, cell.column) for cell in run_split(task)}
    theirs = {(r, c) for r, row in printed["table6"]["cells"].items() for c in row}
    assert ours == theirs


def test_approximation_is_another_problem():
    results = protocol.learn_discriminants(_task(classes=3, n=45))
    assert not np.allclose(results["SDP_θ"].weights, results["QCQP_θ"].weights, 1e-4)


# Projection and rivals


def test_projection_is_the_one_of_discriminant_analysis():
    # A linear kernel and a small λ: the neighbours are those in scikit-learn's
    # discriminant space, if that is scaled to unit total scatter too.
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 5)) + 1.5 * np.eye(5)[y]
    Z = rng.normal(size=(40, 5)) + 1.0
    X, Z = X - X.mean(axis=0), Z - X.mean(axis=0)
    model = Discriminant(X @ X.T, y)
    f, fitted = model.project(Z @ X.T, 1e-6)
    assert np.allclose(fitted.T @ fitted, np.eye(2), atol=1e-5)
    reference = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    g, h = reference.transform(X)[:, :2], reference.transform(Z)[:, :2]
    scale = np.linalg.inv(np.linalg.cholesky(g.T @ g)).T
    assert np.allclose(cdist(f, fitted), cdist(h @ scale, g @ scale), atol=1e-5)
    neighbour = KNeighborsClassifier(1).fit(g @ scale, y)
    assert np.array_equal(model.predict(Z @ X.T, 1e-6), neighbour.predict(h @ scale))


def test_projection_survives_a_learned_lambda_of_zero():
    task = _task()
    stack, tests = protocol.centred(task)
    model = Discriminant(stack[2], task.y)
    zero = model.predict(tests[2], 0.0)
    assert np.mean(zero == model.predict(tests[2], 1e-9)) == 1


def test_cross_validation_finds_the_useful_kernel():
    task = _task(n=80, m=40)
    # Every kernel but one knows nothing: those of other rows.
    rng = np.random.default_rng(1)
    noise = _task(n=80, m=40, seed=9)
    shuffle = rng.permutation(80)
    K = noise.K[:, shuffle[:, None], shuffle].copy()
    K[4] = task.K[8]
    K_test = noise.K_test.copy()
    K_test[4] = task.K_test[8]
    mixed = Task(K, task.y, K_test, task.y_test)
    for classify in protocol.RIVALS.values():
        chosen = rivals.choose(classify, mixed)
        assert chosen.kernel == 4 and chosen.accuracy == chosen.alone[4] > 0.75
        assert chosen.alone.shape == (10,)
    assert rivals.cross_validate(rivals.svm, mixed).shape == (10, 7)


# Times and figures


def test_times_of_all_methods():
    task = _task(classes=3, n=15, m=6)
    cells = timing.time_cells("wine(3)", task)
    assert [cell.row for cell in cells] == list(timing.ALL)
    assert all(cell.column == "wine(3)" and cell.value > 0 for cell in cells)


def test_conic_programs_out_of_reach_are_left_out():
    big = Task(np.empty((10, 0, 0)), np.arange(480) % 8, np.empty(0), np.empty(0))
    assert not timing._within_reach(big, "SDP_θ")
    assert not timing._within_reach(big, "QCQP_θ,λ")
    assert timing._within_reach(big, "SILP_θ")


def test_lambdas_of_the_figures():
    assert len(tables.LAMBDAS) == 30
    assert np.allclose([tables.LAMBDAS[0], tables.LAMBDAS[-1]], [1e-10, 1e2])


def test_every_lambda_is_certified():
    results = protocol.learn_at(_task(), tables.LAMBDAS[::3])
    assert len(results) == 10
    assert max(abs(result.gap) for result in results) <= protocol.TOL
