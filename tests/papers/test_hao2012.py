"""The paper's experiments, small: rows of the right shape, and the right direction."""

import numpy as np
import pytest
from scipy import ndimage

import problems
from kernelweave import LaplacianMKLSVC, Problem, solve
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack
from kernelweave.graph import laplacian, neighbour_graph
from kernelweave.kernels import RBF
from kernelweave.losses import SquaredHinge
from kernelweave.weights import Simplex
from kernelweave_papers import hao2012
from kernelweave_papers.hao2012 import readings
from kernelweave_papers.hao2012.affine import affine_distance
from kernelweave_papers.hao2012.alternation import Alternation
from kernelweave_papers.hao2012.protocol import choose, cross_validate, fit
from kernelweave_papers.hao2012.tasks import (
    DISTINCT,
    RAETSCH,
    UCI,
    BaseKernels,
    digits,
    ringnorm,
    to_unit_box,
    twonorm,
)
from kernelweave_papers.hao2012.transduction import TABLE4, Deformations, ratios


def _rng(seed=0):
    return np.random.default_rng(seed)


def _needs(*names):
    for name in names:
        try:
            load_table(name)
        except FileNotFoundError as error:
            pytest.skip(str(error))


def test_kernels_are_the_papers():
    assert len(hao2012.WIDTHS) == 33 and len(DISTINCT) == 31
    assert min(DISTINCT) == 2**-5 and max(DISTINCT) == 2**5
    X = _rng().normal(size=(8, 3))
    K = hao2012.gaussians(X)
    assert K.shape == (33, 8, 8)
    squared = np.sum((X[0] - X[1]) ** 2)
    assert K[-1, 0, 1] == pytest.approx(np.exp(-squared / (2 * 32**2)))
    both = BaseKernels(X, X[:2], degrees=(1, 3))
    assert len(both) == 35 and len([*both]) == 35
    assert both[34] == pytest.approx((X @ X[:2].T + 1) ** 3)


def test_printed():
    printed = hao2012.printed()
    assert set(printed["table1"]) == set(RAETSCH) - {"ringnorm", "twonorm"}
    assert set(printed["table2"]) == set(UCI)
    assert len(printed["table3"]) == 5
    assert set(printed["table4"]) == set(TABLE4) and len(TABLE4) == 16
    assert printed["table4"]["heart"]["LapMKL"] == [85.85, 2.34]
    means = [printed["table3"][p]["euclidean"]["LapMKL"][0] for p in printed["table3"]]
    assert means == [100.0, 94.69, 96.76, 93.55, 98.62]


def test_breimans_classes():
    X, y = ringnorm(20_000, _rng())
    assert X[y < 0].std() == pytest.approx(2, rel=0.01)
    assert X[y > 0].std() == pytest.approx(1, rel=0.01)
    assert X[y > 0].mean() == pytest.approx(2 / np.sqrt(20), abs=0.01)
    X, y = twonorm(20_000, _rng())
    for c in (-1, 1):
        assert X[y == c].mean() == pytest.approx(c * 2 / np.sqrt(20), abs=0.01)
    scaled = to_unit_box(np.column_stack([X, np.ones(len(X))]))
    assert scaled.min() == -1 and scaled[:, :-1].max() == 1
    X, y = hao2012.table("ringnorm")
    assert X.shape == (7400, 20) and set(y) == {-1, 1}


def test_cross_validation_prefers_what_generalises():
    X, y = problems.blobs(80, 3)
    y = 2 * y - 1
    K = hao2012.gaussians(X, (0.1, 1.0, 3.0))
    scores = cross_validate(K, y, (0.1, 1e6))
    assert scores[0] > scores[1] and scores[0][0] > 50
    assert choose(K, y, (1e6, 0.1)) == 0.1


def test_deformations_are_those_of_the_estimator():
    X, y = problems.blobs(60, 3)
    widths = (0.5, 1.0, 4.0)
    known = np.arange(60) % 5 == 0
    rows = np.flatnonzero(known)
    K = hao2012.gaussians(X, widths)
    deformed = Deformations(K, laplacian(neighbour_graph(X)), rows)
    columns = deformed.columns(4.0)
    solution = fit(columns[:, rows], 2 * y[rows] - 1, 0.5, tol=1e-7)
    f = np.tensordot(solution.weights, columns, 1) @ solution.A[:, 0] + solution.bias
    kernels = [RBF(gamma=1 / (2 * width**2)) for width in widths]
    model = LaplacianMKLSVC(
        kernels, gamma_A=0.5, gamma_I=2.0, normalize=None, tol=1e-7
    ).fit(X, np.where(known, y, -1))
    assert model.weights_ == pytest.approx(solution.weights, abs=1e-3)
    assert model.decision_function(X) == pytest.approx(f, abs=1e-3)


def test_ratios():
    assert ratios((0.1, 1.0)) == {1.0: [0.1, 1.0], 10.0: [0.1], 0.1: [1.0]}


def test_few_labels_rows():
    _needs("heart")
    rows = hao2012.few_labels(["heart"], 1, gammas=(0.1, 1.0), lams=(0.1, 1), most=80)
    assert [row["method"] for row in rows] == ["MKL", "LapMKL"]
    assert rows[0]["gamma_I"] == 0 < rows[1]["gamma_I"]
    assert all(0.5 < row["accuracy"] <= 1 for row in rows)
    assert rows == hao2012.few_labels(
        ["heart"], 1, gammas=(0.1, 1.0), lams=(0.1, 1), most=80
    )


def _bars(n=60):
    """Images of bars that stand or lie, as digits 1 and 7."""
    rng = _rng()
    images = 0.1 * rng.normal(size=(n, 16, 16)) - 1
    for i, image in enumerate(images):
        at = rng.integers(2, 12)
        image[at : at + 2] += 2
        images[i] = image.T.copy() if i % 2 else image
    return images.reshape(n, 256), np.where(np.arange(n) % 2, 1, 7)


def test_digit_pairs_rows():
    rows = hao2012.digit_pairs([(1, 7)], 1, labels=2, each=20, data=_bars())
    assert [(row["graph"], row["method"]) for row in rows] == [
        (None, "MKL"),
        ("euclidean", "LapMKL"),
        ("euclidean", "LapMKL, tied"),
        ("affine", "LapMKL"),
        ("affine", "LapMKL, tied"),
        ("tangent", "LapMKL"),
        ("tangent", "LapMKL, tied"),
    ]
    assert {row["pair"] for row in rows} == {"1-7"}
    assert all(0 <= row["accuracy"] <= 1 for row in rows)
    X, y = digits(_bars(), (7, 1), each=5)
    assert X.shape == (10, 256) and y.tolist() == [7] * 5 + [1] * 5


def test_affine_distance_forgives_shifts_and_turns():
    rng = _rng()
    image = ndimage.gaussian_filter(rng.normal(size=(16, 16)), 2)
    image[:3] = image[-3:] = image[:, :3] = image[:, -3:] = 0
    others = [
        ndimage.shift(image, (0.8, -0.5), order=1),
        ndimage.rotate(image, 8, reshape=False, order=1),
        ndimage.gaussian_filter(rng.normal(size=(16, 16)), 2),
    ]
    X = np.stack([image, *others]).reshape(4, -1)
    D = affine_distance(X)
    plain = np.linalg.norm(X[:, None] - X, axis=2)
    assert np.array_equal(D, D.T) and np.all(np.diag(D) == 0)
    assert np.max(D - plain) <= 1e-12
    assert np.all(D[0, 1:3] < 0.5 * plain[0, 1:3]) and D[0, 3] > 0.5 * plain[0, 3]


def test_unlabelled_digits_help():
    try:
        data = load_table("usps")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    rows = hao2012.digit_pairs([(3, 8)], 1, each=60, data=data)
    mean = {
        (row["graph"], row["method"]): np.mean(
            [r["accuracy"] for r in rows if r["method"] == row["method"]]
        )
        for row in rows
    }
    assert mean["euclidean", "LapMKL"] > mean[None, "MKL"]


def test_tables_one_and_two_rows():
    _needs("thyroid", "sonar")
    rows = hao2012.trace_norms(["thyroid"], 1, (0.01,))
    assert [row["method"] for row in rows] == ["PrimalMKL", "PrimalMKL(T)"]
    assert all(0.8 < row["accuracy"] <= 1 for row in rows)
    rows = hao2012.six_sets(["sonar"], 2, (1.0,))
    assert [row["method"] for row in rows] == ["PrimalMKL", "optimum"] * 2
    assert rows[0]["lam"] == rows[2]["lam"] and rows[1]["lam"] == rows[3]["lam"]
    assert all(0.6 < row["accuracy"] <= 1 and row["kernels"] >= 1 for row in rows)


@pytest.mark.parametrize("direction", ["newton", "pcg"])
def test_printed_algorithm_reaches_the_optimum(direction):
    X, y = problems.blobs(60, 3)
    K = hao2012.gaussians(X, (0.5, 1.0, 4.0))
    loss = SquaredHinge(2.0 * y[:, None] - 1, 1.0)
    problem = Problem(DenseStack(K), loss, Simplex())
    solver = Alternation(direction, chi=0.0)
    solution = solve(problem, solver, 1e-3, max_iter=500)
    assert solution.converged and solver.products_ > 0
    # The rule in print ends it earlier, with the gap that is there.
    solver = Alternation(direction, chi=0.1)
    early = solve(problem, solver, 0.0, max_iter=500)
    assert early.n_iter < 500 and early.certificate.relative_gap > 0


def test_directions_rows():
    rows = hao2012.directions(["ringnorm"], [(60, 3)], tol=1e-2)
    assert [row["method"] for row in rows] == ["truncated Newton", "PCG", "Primal"]
    assert rows[2]["gap"] <= 1e-2 and rows[0]["products"] > 0


def test_truncated_newton_needs_fewer_products_than_pcg():
    rows = hao2012.machines(["ringnorm"], 150, lams=(1.0, 0.1))
    assert all(row["gap"] <= 1e-4 for row in rows)
    for lam in (1.0, 0.1):
        by = {row["method"]: row["products"] for row in rows if row["lam"] == lam}
        assert by["truncated Newton"] < by["PCG"]


def test_evolution_and_kernel_counts_rows():
    _needs("sonar")
    rows = hao2012.evolution(["sonar"], largest=2)
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    assert len(kernels) == 2
    first = [row["weight"] for row in rows if row["iteration"] == 1]
    assert first == pytest.approx([1 / 33, 1 / 33])
    assert rows[-1]["gap"] <= 1e-4
    rows = hao2012.kernel_counts(["twonorm"], (1, 4), n=60, runs=1)
    assert [(row["kernels"], row["solver"]) for row in rows] == [
        (1, "Primal"),
        (1, "Newton"),
        (4, "Primal"),
        (4, "Newton"),
    ]
    assert all(row["gap"] <= 1e-3 and row["seconds"] > 0 for row in rows)


def test_readings_of_the_data():
    X, y = readings.waveforms(3000, _rng())
    assert X.shape == (3000, 21) and np.bincount(y) == pytest.approx(1000, rel=0.1)
    # The middle triangle is in classes 1 and 2, at its top with a mean of 3.
    tops = [X[y == c, 10].mean() for c in range(3)]
    assert tops == pytest.approx([2, 4, 4], abs=0.2)
    errors = readings.svm_errors(X, y == 0, 200, splits=2, choosing=1)
    assert errors.shape == (2,) and np.all((errors > 5) & (errors < 20))


def test_the_printed_rule_ends_early():
    _needs("liver")
    rows = readings.by_rule(["liver"], 1, (0.001, 1.0))
    by = {(row["rule"], row["lam"]): row for row in rows}
    assert len(rows) == 6
    assert by["optimum", 0.001]["gap"] <= 1e-3 < 0.1 < by["printed", 0.001]["gap"]
    assert by["printed", 0.001]["kernels"] > 5 * by["optimum", 0.001]["kernels"]
    assert by["printed", 1.0]["gap"] < 0.01
