"""LaplacianMKLSVC: the deformed form against MKLSVC, the tied form, graphs, labels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances

import problems
from kernelweave import MKLSVC, LaplacianMKLSVC
from kernelweave.graph import laplacian, neighbour_graph, tangent_distance
from kernelweave.kernels import RBF, Linear
from kernelweave.losses import SquaredHinge
from kernelweave.solvers import Newton, Primal
from kernelweave.solvers.tied import Ending, Tied, stationary_point
from kernelweave.weights import ElasticNet, Fixed, LpBall, Simplex

SETS = (Simplex(), LpBall(2), ElasticNet(0.5))
KERNELS = [RBF(gamma=gamma) for gamma in (0.01, 0.1, 1.0, 10.0)]


def _some(y, each=4):
    """The labels with all but a few of each class hidden."""
    out = np.full(len(y), -1)
    for c in np.unique(y):
        rows = np.flatnonzero(y == c)[:each]
        out[rows] = y[rows]
    return out


def _blobs(k=2, n=60):
    X, y = problems.blobs(n, 3, k)
    return X, y, _some(y)


def _model(**options):
    options = {"kernels": KERNELS, "normalize": None, "tol": 1e-7} | options
    return LaplacianMKLSVC(**options)


def _deformed(X, gamma):
    """K(I + γLK)⁻¹ by the formula, for the four kernels and new rows too."""
    D = euclidean_distances(X, squared=True)
    W = neighbour_graph(X).toarray()
    degree = W.sum(axis=1)
    L = np.eye(len(X)) - W / np.sqrt(np.outer(degree, degree))
    out = []
    for kernel in KERNELS:
        K = np.exp(-kernel.gamma * D)
        out.append(K @ np.linalg.inv(np.eye(len(X)) + gamma * L @ K))
    return np.array([(K + K.T) / 2 for K in out])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("weights", SETS, ids=lambda w: type(w).__name__)
def test_deformed_form_is_mkl_on_deformed_kernels(weights, loss, k):
    X, y, some = _blobs(k)
    model = _model(weights=weights, loss=loss, gamma_A=0.5, gamma_I=2.0)
    model.fit(X, some)
    K, rows = _deformed(X, 4.0), np.flatnonzero(some >= 0)
    other = MKLSVC("precomputed", weights, 2.0, loss, normalize=None, tol=1e-7)
    other.fit(K[:, rows[:, None], rows], y[rows])
    assert model.weights_ == pytest.approx(other.weights_, abs=2e-3)
    ours, theirs = model.solution_.certificate, other.solution_.certificate
    assert ours.primal == pytest.approx(theirs.primal, rel=1e-6)
    f = other.decision_function(K[:, :, rows])
    scale = np.max(np.abs(f))
    assert model.decision_function(X) == pytest.approx(f, abs=2e-3 * scale)
    hidden = some < 0
    predicted = other.predict(K[:, :, rows])
    assert np.array_equal(model.transduction_[hidden], predicted[hidden])


@pytest.mark.parametrize("form", ["deformed", "tied"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weights", SETS, ids=lambda w: type(w).__name__)
def test_without_graph_it_is_supervised(weights, k, form):
    X, _, some = _blobs(k)
    rows = some >= 0
    model = _model(weights=weights, formulation=form, gamma_A=0.2, gamma_I=0.0)
    model.fit(X, some)
    other = MKLSVC(KERNELS, weights, 5.0, "squared_hinge", normalize=None, tol=1e-7)
    other.fit(X[rows], some[rows])
    assert model.weights_ == pytest.approx(other.weights_, abs=2e-3)
    f = other.decision_function(X)
    scale = np.max(np.abs(f))
    assert model.decision_function(X) == pytest.approx(f, abs=2e-3 * scale)
    best = other.solution_.certificate
    if form == "tied":
        assert model.solution_.objective == pytest.approx(best.primal, rel=1e-6)
        # Convex now: the slope is a gap.
        lowest = model.solution_.objective - model.solution_.slope
        assert lowest <= best.primal * (1 + 1e-9)


def _tied_objective(X, some, model, theta, A, bias):
    """(18), divided by γ_A, from the raw kernels."""
    D = euclidean_distances(X, squared=True)
    L = laplacian(neighbour_graph(X)).toarray()
    K = np.array([np.exp(-kernel.gamma * D) for kernel in KERNELS])
    rows = some >= 0
    y = np.where(some[rows] == np.max(some), 1.0, -1.0)
    f = np.tensordot(theta, K, 1) @ A[:, 0]
    norm = sum(t * A[:, 0] @ k @ A[:, 0] for t, k in zip(theta, K, strict=True))
    bend = sum(t * A[:, 0] @ k @ L @ k @ A[:, 0] for t, k in zip(theta, K, strict=True))
    error = np.maximum(1 - y * (f[rows] + bias), 0)
    total = model.gamma_A * norm + model.gamma_I * bend + np.sum(error**2)
    return 0.5 * total / model.gamma_A


@pytest.mark.parametrize("weights", SETS, ids=lambda w: type(w).__name__)
def test_tied_form_is_stationary(weights):
    X, _, some = _blobs()
    model = _model(weights=weights, formulation="tied", gamma_A=0.1, gamma_I=1.0)
    model.fit(X, some)
    solution = model.solution_
    assert solution.converged and solution.status is Ending.STATIONARY
    assert solution.certificate is None
    assert solution.slope <= 1e-7 * solution.objective
    theta, A, bias = solution.weights, solution.A, solution.bias[0]
    value = _tied_objective(X, some, model, theta, A, bias)
    assert solution.objective == pytest.approx(value, rel=1e-7)
    # No small change of the weights, the coefficients or the intercept helps.
    rng = np.random.default_rng(0)
    for _ in range(20):
        step = 1e-4 * rng.uniform()
        new = (1 - step) * theta + step * weights.maximiser(rng.uniform(size=4))
        other = A + step * np.std(A) * rng.normal(size=A.shape)
        for trial in (
            (new, A, bias),
            (theta, other, bias),
            (theta, A, bias + step * rng.normal()),
        ):
            found = _tied_objective(X, some, model, *trial)
            assert found >= value * (1 - 1e-9)
    trace = [row.objective for row in solution.trace]
    assert np.all(np.diff(trace) <= 0) and model.n_iter_ == len(trace)


def test_tied_derivatives():
    X, y, some = _blobs(3)
    D = euclidean_distances(X, squared=True)
    K = np.array([np.exp(-kernel.gamma * D) for kernel in KERNELS])
    rows = np.flatnonzero(some >= 0)
    Y = np.where(y[rows, None] == np.arange(3), 1.0, -1.0)
    L = laplacian(neighbour_graph(X))
    tied = Tied(K, L, 5.0, rows, SquaredHinge(Y, 3.0))
    theta = np.array([0.1, 0.2, 0.4, 0.3])
    point = tied.at(theta, None, 1e-18)
    gradient, H = tied.derivatives(point)
    numeric, bend = np.empty(4), np.empty((4, 4))
    for j in range(4):
        step = 1e-5 * np.eye(4)[j]
        high = tied.at(theta + step, point.inner, 1e-18)
        low = tied.at(theta - step, point.inner, 1e-18)
        numeric[j] = (high.value - low.value) / 2e-5
        bend[j] = (tied.derivatives(high)[0] - tied.derivatives(low)[0]) / 2e-5
    assert gradient == pytest.approx(numeric, rel=1e-5)
    values, vectors = np.linalg.eigh((bend + bend.T) / 2)
    positive = (vectors * np.maximum(values, 0)) @ vectors.T
    assert pytest.approx(positive, abs=1e-4 * np.max(np.abs(bend))) == H


@pytest.mark.parametrize("form", ["deformed", "tied"])
def test_new_rows_are_predicted_like_training_rows(form):
    X, y, some = _blobs(3)
    model = _model(formulation=form).fit(X, some)
    hidden = some < 0
    assert np.array_equal(model.predict(X)[hidden], model.transduction_[hidden])
    assert np.array_equal(model.transduction_[~hidden], y[~hidden])
    assert model.decision_function(X[:5]).shape == (5, 3)
    assert model.dual_coef_.shape == (4, len(X), 3)
    assert model.intercept_.shape == (3,)


@pytest.mark.parametrize("form", ["deformed", "tied"])
def test_two_moons_with_two_labels(form):
    X, y = make_moons(200, noise=0.05, random_state=0)
    some = _some(y, each=1)
    accuracy = {}
    for gamma_I in (0.0, 10.0):
        model = _model(formulation=form, gamma_A=0.01, gamma_I=gamma_I, tol=1e-4)
        accuracy[gamma_I] = np.mean(model.fit(X, some).transduction_ == y)
    assert accuracy[10.0] > max(0.95, accuracy[0.0] + 0.05)


def test_defaults_use_the_unlabelled_rows():
    X, y = make_moons(200, noise=0.05, random_state=0)
    some = _some(y, each=3)
    rows = some >= 0
    supervised = MKLSVC().fit(X[rows], y[rows]).score(X, y)
    assert np.mean(LaplacianMKLSVC().fit(X, some).transduction_ == y) > supervised


def test_labels_of_text_with_none():
    X, y, some = _blobs(3)
    names = np.array(["ash", "beech", "cedar"])
    model = _model().fit(X, some)
    text = [names[c] if c >= 0 else None for c in some]
    for labels in (text, np.array(text, dtype=object)):
        other = _model().fit(X, labels)
        assert other.classes_.tolist() == names.tolist()
        assert np.array_equal(other.transduction_, names[model.transduction_])
    # Text without None: everything is labelled.
    full = _model().fit(X, names[y])
    assert np.array_equal(full.transduction_, names[y])


def test_given_gram_matrices():
    X, _, some = _blobs()
    D = euclidean_distances(X)
    K = np.array([np.exp(-kernel.gamma * D**2) for kernel in KERNELS])
    model = _model().fit(X, some)
    given = _model(kernels="precomputed").fit(K, some, distances=D)
    assert given.weights_ == pytest.approx(model.weights_, abs=1e-6)
    assert np.array_equal(given.transduction_, model.transduction_)
    assert np.array_equal(given.predict(K[:, :7]), model.predict(X[:7]))
    # Without distances: those of the average in its feature space.
    own = _model(kernels="precomputed").fit(K, some)
    assert own.transduction_.shape == some.shape


@pytest.mark.parametrize("form", ["deformed", "tied"])
def test_given_distances(form):
    X, _, some = _blobs()
    D = euclidean_distances(X)
    model = _model(formulation=form).fit(X, some)
    for metric in ("euclidean", "precomputed"):
        other = _model(formulation=form, metric=metric).fit(X, some, D)
        assert other.weights_ == pytest.approx(model.weights_, abs=1e-6)
    far = _model(formulation=form).fit(X, some, 1 - np.eye(len(X)) + D.max() - D)
    assert not np.allclose(far.dual_coef_, model.dual_coef_)


def test_tangent_distance_and_heat():
    rng = np.random.default_rng(0)
    # Bars that stand or lie, thick or thin, somewhere.
    images = np.zeros((40, 16, 16))
    for i, image in enumerate(images):
        at, width = rng.integers(3, 11), rng.integers(1, 4)
        image[at : at + width] = 1
        image += 0.05 * rng.normal(size=(16, 16))
        if i % 2:
            images[i] = image.T.copy()
    X, y = images.reshape(40, 256), np.arange(40) % 2
    some = _some(y, each=2)
    D = tangent_distance(X)
    plain = _model(kernels=[RBF()], n_neighbors=5)
    model = clone(plain).fit(X, some, D)
    euclidean = clone(plain).fit(X, some)
    assert not np.allclose(model.dual_coef_, euclidean.dual_coef_)
    heat = clone(plain).set_params(graph="heat").fit(X, some, D)
    assert not np.allclose(model.dual_coef_, heat.dual_coef_)
    rough = clone(plain).set_params(normalized=False).fit(X, some, D)
    assert not np.allclose(model.dual_coef_, rough.dual_coef_)


def test_sparse_and_frames_agree_with_arrays():
    sparse = pytest.importorskip("scipy.sparse")
    X, _, some = _blobs()
    model = _model().fit(X, some)
    other = _model().fit(sparse.csr_matrix(X), some)
    assert other.decision_function(X) == pytest.approx(
        model.decision_function(X), abs=1e-6
    )


def test_bad_graphs():
    X, y, some = _blobs(n=20)
    with pytest.raises(ValueError, match="n_neighbors must be a whole number"):
        _model(n_neighbors=0).fit(X, some)
    with pytest.raises(ValueError, match="have no class"):
        _model().fit(X, np.full(20, -1))
    with pytest.raises(ValueError, match=r"one class only .*; label at least one row"):
        _model().fit(X, np.where(y == 1, 1, -1))
    with pytest.raises(ValueError, match="needs the distances between all rows"):
        _model(metric="precomputed").fit(X, some)
    with pytest.raises(ValueError, match="between all 20 rows, got shape"):
        _model().fit(X, some, np.zeros((20, 3)))
    with pytest.raises(ValueError, match="'binary' or 'heat'"):
        _model(graph="cosine").fit(X, some)


def test_more_neighbours_than_rows():
    X, _, some = _blobs(n=20)
    with pytest.warns(UserWarning, match="n_neighbors=20 is more than the 19 other"):
        model = _model(n_neighbors=20).fit(X, some)
    most = _model(n_neighbors=19).fit(X, some)
    assert np.array_equal(model.dual_coef_, most.dual_coef_)


def test_bad_parameters():
    X, _, some = _blobs(n=20)
    for name, value, message in (
        ("gamma_A", 0.0, "gamma_A must be a positive number"),
        ("gamma_I", -1.0, "gamma_I must be a number that is not negative"),
        ("gamma_I", "auto", "gamma_I must be a number"),
        ("loss", "square", "loss must be 'hinge' or 'squared_hinge'"),
        ("formulation", "free", "formulation must be 'deformed' or 'tied'"),
    ):
        with pytest.raises(ValueError, match=message):
            _model(**{name: value}).fit(X, some)
    with pytest.raises(ValueError, match="'tied' is for loss='squared_hinge'"):
        _model(formulation="tied", loss="hinge").fit(X, some)
    with pytest.raises(ValueError, match=r"'tied' is solved by Primal\(\) only"):
        _model(formulation="tied", solver=Newton()).fit(X, some)
    with pytest.raises(ValueError, match="infinity: mark unlabelled"):
        _model().fit(X, np.where(some < 0, np.inf, some))


def test_solvers():
    X, _, some = _blobs()
    model = _model().fit(X, some)
    other = _model(solver=Primal()).fit(X, some)
    assert other.weights_ == pytest.approx(model.weights_, abs=1e-3)
    tied = _model(formulation="tied").fit(X, some)
    for truncated in (True, False):
        solver = Primal(truncated=truncated)
        other = _model(formulation="tied", solver=solver).fit(X, some)
        assert other.solution_.objective == pytest.approx(
            tied.solution_.objective, rel=1e-6
        )


def test_tied_form_warns_and_prints(capsys):
    X, _, some = _blobs()
    with pytest.warns(ConvergenceWarning, match="stopped at a relative slope"):
        model = _model(formulation="tied", max_iter=1, verbose=1).fit(X, some)
    assert model.solution_.status is Ending.MAX_ITER
    assert "objective" in capsys.readouterr().err
    kernels = [RBF(gamma=1.0), Linear(columns=[3])]
    table = np.column_stack([X, np.zeros(len(X))])
    for form in ("deformed", "tied"):
        with pytest.warns(UserWarning, match="get weight 0: 'Linear"):
            model = _model(kernels=kernels, formulation=form).fit(table, some)
        assert model.weights_.tolist() == [1, 0]


def test_fixed_weights_need_one_step():
    X, _, some = _blobs()
    model = _model(formulation="tied", weights=Fixed()).fit(X, some)
    assert model.n_iter_ == 1 and model.weights_ == pytest.approx(np.full(4, 0.25))


def test_tied_at_rounding():
    X, _, some = _blobs()
    D = euclidean_distances(X, squared=True)
    K = np.array([np.exp(-kernel.gamma * D) for kernel in KERNELS])
    rows = np.flatnonzero(some >= 0)
    Y = np.where(some[rows, None] == 1, 1.0, -1.0)
    tied = Tied(K, laplacian(neighbour_graph(X)), 5.0, rows, SquaredHinge(Y, 3.0))
    solution = stationary_point(tied, LpBall(2), 0.0)
    # It ends by itself.
    assert solution.status is Ending.STALLED and solution.n_iter < 100
    assert solution.slope < 1e-6 * solution.objective


@pytest.mark.parametrize("k", [2, 3])
def test_balance_gives_the_classes_their_shares(k):
    X, y = problems.blobs(120, 3, k, seed=4)
    rows = np.concatenate([np.flatnonzero(np.equal(y, c))[:6] for c in range(k)])
    some = np.full(len(y), -1)
    some[rows] = y[rows]
    plain = _model().fit(X, some)
    even = _model(balance=True).fit(X, some)
    assert even.weights_ == pytest.approx(plain.weights_)
    f = even.decision_function(X[some < 0]).reshape(len(y) - len(rows), -1)
    positive = np.mean(f > 0, axis=0)
    assert positive == pytest.approx(np.full(f.shape[1], 1 / k), abs=1 / len(f))
    free = some < 0
    assert np.array_equal(even.transduction_[free], even.predict(X[free]))
