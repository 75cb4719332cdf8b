"""Gram matrices in files: the same numbers, and never a whole matrix in memory."""

import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import naive
from kernelweave import MKLSVC, MKLDiscriminantAnalysis, MKLRidge, Problem
from kernelweave.fitted import left_out
from kernelweave.grams import DenseStack, MappedStack, mapped
from kernelweave.grams.normalise import normalise
from kernelweave.kernels import Precomputed
from kernelweave.losses import Square
from kernelweave.solvers import Interleaved
from kernelweave.solvers.default import default_solver
from kernelweave.streamed.cross_fit import FOLDS, cross_fitted
from kernelweave.weights import Simplex
from problems import blobs

N = 90
X, y = blobs(N, d=4, k=3)
ROWS = np.arange(N)[:, None]


@cache
def _made():
    kernels = naive.rbf(0.1), naive.rbf(1.0), naive.linear()
    return [naive.gram(k, X, X) for k in kernels]


def matrices():
    return [5 * (K + K.T) for K in _made()]


def files(folder, Ks, dtype=float):
    kernels = []
    for j, K in enumerate(Ks):
        np.save(folder / f"{j}.npy", K.astype(dtype))
        mapped_K = np.load(folder / f"{j}.npy", mmap_mode="r")
        kernels.append(Precomputed(mapped_K, name=f"file {j}"))
    return kernels


@pytest.fixture
def small(monkeypatch):
    """A machine of little memory, and panels of a few rows."""
    monkeypatch.setattr(mapped, "machine_memory", lambda: 5 * 8 * N * N)
    monkeypatch.setattr(mapped, "PANEL", 7 * N)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
@pytest.mark.parametrize("some", [np.arange(N), np.arange(5, N, 2)[::-1]])
def test_is_the_stack_of_stored_matrices(normalize, center, some, small, tmp_path):
    kernels = [kernel.fit(ROWS) for kernel in files(tmp_path, matrices())]
    stack = MappedStack(kernels, ROWS[some], normalize, center)
    K = np.stack(matrices())[:, some[:, None], some]
    statistics = [normalise(M, normalize, center) for M in K]
    stored = DenseStack(K)
    rng = np.random.default_rng(0)
    A, theta = rng.normal(size=(len(some), 2)), np.array([0.2, 0.0, 0.7])
    index = rng.permutation(len(some))[:17]
    assert (stack.n, stack.p) == (len(some), 3)
    assert stack.traces == pytest.approx(stored.traces)
    assert stack.combine(theta) == pytest.approx(stored.combine(theta))
    assert stack.apply(A) == pytest.approx(stored.apply(A))
    assert stack.product(theta, A) == pytest.approx(stored.combine(theta) @ A)
    assert stack.quadratic(A) == pytest.approx(stored.quadratic(A))
    assert stack.rows(index) == pytest.approx(stored.rows(index))
    assert stack.block(theta, index) == pytest.approx(stored.block(theta, index))
    part = rng.normal(size=(17, 2))
    assert stack.apply_rows(index, part) == pytest.approx(
        stored.apply_rows(index, part)
    )
    keep = np.array([True, False, True])
    assert stack.subset(keep).apply(A) == pytest.approx(stored.apply(A)[keep])
    assert stack[2] == pytest.approx(stored[2])
    for mine, theirs in zip(stack.statistics, statistics, strict=True):
        assert mine.scale == pytest.approx(theirs.scale)
        new = rng.normal(size=(3, len(some)))
        assert mine.cross(new, np.ones(3)) == pytest.approx(
            theirs.cross(new, np.ones(3))
        )


def test_single_precision(small, tmp_path):
    kernels = [k.fit(ROWS) for k in files(tmp_path, matrices(), np.float32)]
    stack = MappedStack(kernels, ROWS)
    stored = np.stack(matrices())
    for K in stored:
        normalise(K, "variance", True)
    assert stack[1].dtype == float
    assert stack[1] == pytest.approx(stored[1], abs=1e-5)


def test_a_constant_kernel_has_no_scale(small, tmp_path):
    kernels = [k.fit(ROWS) for k in files(tmp_path, [np.ones((N, N))])]
    stack = MappedStack(kernels, ROWS)
    assert stack.statistics[0].scale == 0
    assert np.all(stack.apply(np.ones((N, 1))) == 0)


def _broken(entry, value):
    K = matrices()[0]
    K[entry] = value
    return K


@pytest.mark.parametrize(
    "K, message",
    [
        (_broken((50, 3), 1.0), "'file 0'.* not symmetric"),
        (_broken((41, 41), np.nan), "'file 0'.* NaN"),
        (-matrices()[0], "not positive semidefinite"),
    ],
)
def test_what_is_no_gram_matrix(K, message, small, tmp_path):
    kernels = [kernel.fit(ROWS) for kernel in files(tmp_path, [K])]
    with pytest.raises(ValueError, match=message):
        MappedStack(kernels, ROWS)


def test_symmetry_is_seen_where_no_sample_looks(small, tmp_path, monkeypatch):
    monkeypatch.setattr(mapped, "LARGE", 4)
    kernels = [k.fit(ROWS) for k in files(tmp_path, [_broken((50, 3), 1.0)])]
    with pytest.raises(ValueError, match="not symmetric"):
        MappedStack(kernels, ROWS)


def test_matrices_that_are_too_large_are_refused(small, tmp_path):
    kernels = [kernel.fit(ROWS) for kernel in files(tmp_path, matrices())]
    stack = MappedStack(kernels, ROWS, memory=8 * N * N - 1)
    with pytest.raises(ValueError, match=r"K\(θ\) of 90 rows .* square loss"):
        stack.combine(np.ones(3))


def test_a_clone_shares_the_file(tmp_path):
    (kernel,) = files(tmp_path, matrices()[:1])
    assert clone(kernel).K is kernel.K
    stored = Precomputed(matrices()[0], columns=[0], name="K")
    copied = clone(stored)
    assert copied.K is not stored.K
    assert copied.get_params()["columns"] == [0]


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(tol=1e-8),
        MKLDiscriminantAnalysis(tol=1e-8, normalize="spherical", center=False),
        MKLRidge(tol=1e-8, alpha=0.3),
        MKLSVC(tol=1e-6),
        MKLSVC(tol=1e-6, loss="squared_hinge"),
    ],
)
def test_estimators(model, small, tmp_path, monkeypatch):
    train, new = ROWS[::2], ROWS[1::2]
    target = X[:, 0] if isinstance(model, MKLRidge) else y
    model.set_params(kernels=files(tmp_path, matrices()))
    with monkeypatch.context() as patch:
        patch.setattr(type(model), "_store", 2**40)
        stored = clone(model).fit(train, target[::2])
    # K(θ) of 45 rows is allowed, three of them are not.
    monkeypatch.setattr(mapped, "machine_memory", lambda: 6 * 8 * 45**2)
    monkeypatch.setattr(type(model), "_store", 0)
    made = []
    look = mapped.MappedStack._look
    monkeypatch.setattr(
        mapped.MappedStack, "_look", lambda *a: (made.append(1), look(*a))[1]
    )
    model.fit(train, target[::2])
    assert len(made) == 3
    gap = 1e-5 * abs(stored.solution_.certificate.primal)
    assert model.solution_.certificate.primal == pytest.approx(
        stored.solution_.certificate.primal, abs=gap
    )
    assert model.weights_ == pytest.approx(stored.weights_, abs=2e-3)
    if isinstance(model, MKLRidge):
        assert model.predict(new) == pytest.approx(stored.predict(new), abs=1e-3)
    else:
        assert np.mean(model.predict(new) == stored.predict(new)) >= 0.95


def test_small_files_are_loaded(tmp_path):
    model = MKLRidge(files(tmp_path, matrices())).fit(ROWS, X[:, 0])
    scores = cross_val_score(model, ROWS, X[:, 0], cv=3)
    assert np.min(scores) > 0.9


def test_default_solver_stores_no_matrix(small, tmp_path):
    kernels = [kernel.fit(ROWS) for kernel in files(tmp_path, matrices())]
    problem = Problem(MappedStack(kernels, ROWS), Square(X, 1.0), Simplex())
    assert isinstance(default_solver(problem), Interleaved)


@pytest.mark.parametrize("intercept", [True, False])
def test_cross_fitted_is_refitted(intercept):
    K, lam = matrices()[1], 0.7
    f = cross_fitted(lambda A: K @ A, X[:, :2], lam, intercept, False, tol=1e-10)
    for fold in range(FOLDS):
        out = np.arange(N) % FOLDS == fold
        rest = ~out
        A, b = naive.ridge(
            K[np.ix_(rest, rest)], np.full(rest.sum(), lam), X[rest, :2], intercept
        )
        wanted = K[np.ix_(out, rest)] @ A + b
        assert f[out] == pytest.approx(wanted, abs=1e-7)


def test_cross_fitted_centres_again_without_the_fold():
    K, lam = matrices()[1], 0.7
    centred = naive.centre(K)
    f = cross_fitted(lambda A: centred @ A, X[:, :2], lam, False, True, tol=1e-10)
    for fold in range(FOLDS):
        out = np.arange(N) % FOLDS == fold
        inside, cross = K[np.ix_(~out, ~out)], K[np.ix_(out, ~out)]
        cross = cross - cross.mean(axis=1, keepdims=True)
        cross += inside.mean() - inside.mean(axis=0)
        A, _ = naive.ridge(
            naive.centre(inside), np.full(len(inside), lam), X[~out, :2], False
        )
        assert f[out] == pytest.approx(cross @ A, abs=1e-7)


def test_cross_fitted_leaves_groups_in_one_fold():
    K, lam = matrices()[1], 0.7
    groups = np.random.default_rng(0).permutation(np.arange(N) // 3)
    targets = X[:, :2]
    f = cross_fitted(lambda A: K @ A, targets, lam, True, False, groups, tol=1e-10)
    for fold in range(FOLDS):
        out = groups % FOLDS == fold
        inside, cross = K[np.ix_(~out, ~out)], K[np.ix_(out, ~out)]
        A, b = naive.ridge(inside, np.full(len(inside), lam), targets[~out], True)
        assert f[out] == pytest.approx(cross @ A + b, abs=1e-7)


def test_matrices_in_files_that_are_centred(small, tmp_path, monkeypatch):
    seen = []
    fit = left_out.cross_fitted
    monkeypatch.setattr(
        left_out, "cross_fitted", lambda *args: (seen.append(args[4]), fit(*args))[1]
    )
    monkeypatch.setattr(MKLDiscriminantAnalysis, "_store", 0)
    for change in (np.asarray, naive.centre):
        kernels = files(tmp_path, [change(K) for K in matrices()])
        MKLDiscriminantAnalysis(kernels, center=False).fit(ROWS, y)
    assert seen == [False, True]


PROGRAM = """
import sys
import numpy as np
from kernelweave import MKLRidge
from kernelweave.grams import mapped
from kernelweave.kernels import Precomputed

def peak():
    # Not ru_maxrss: a new process inherits that of the one that started it.
    status = open("/proc/self/status").read()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])

def fit(n):
    x = np.random.default_rng(0).normal(size=(n, 3))
    Ks = []
    for j, d in enumerate((1, 3)):
        name = f"{sys.argv[1]}/{n}-{j}.npy"
        K = np.lib.format.open_memmap(name, "w+", float, (n, n))
        for i in range(0, n, 250):
            K[i : i + 250] = x[i : i + 250, :d] @ x[:, :d].T
            mapped.give_back(K)
        del K
        Ks.append(np.load(name, mmap_mode="r"))
    mapped.machine_memory = lambda: 8 * n * n
    model = MKLRidge([Precomputed(K) for K in Ks], tol=1e-3)
    model._store = 0
    assert model.fit(np.arange(n)[:, None], x[:, 0]).solution_.converged
    return Ks

# A few rows tell what the libraries take.
fit(100)
small = peak()
Ks = fit(4000)
print(small, peak(), end=" ")
loaded = [np.array(K) for K in Ks]
print(peak())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_memory_stays_below_one_matrix(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    small, large, loaded = map(int, run.stdout.split())
    assert large - small < 8 * 4000**2
    # The measurement sees matrices that are loaded.
    assert loaded - small > 2 * 8 * 4000**2
