"""A fit that is killed goes on where it was, and only from what is its own."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from kernelweave import (
    MKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear, Nystroem, RandomFourier
from kernelweave.streamed import ArraySource, checkpoint, fit_chunks
from kernelweave.streamed.checkpoint import CheckpointError

SIZE, CHUNKS = 2500, 8
MODEL = MKLDiscriminantAnalysisCV(
    [Nystroem(RBF(), 40), RandomFourier(RBF(gamma=0.5), 20), Linear()],
    norms=[1, 2],
    alphas=[0.1, 1],
)

# A process that kills itself, at a chunk of the second pass, or while it writes a
# checkpoint.
SCRIPT = """
import os, signal, sys
import test_checkpoint as t
from kernelweave.streamed import checkpoint, chunk, fit_chunks

path, where, stop = sys.argv[1], sys.argv[2], int(sys.argv[3])
checkpoint.SECONDS, checkpoint.SHARE, chunk._FEW = 0, 0, 1
count, opened = 0, 0

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def chunks():
    global opened
    opened += 1
    for i, chunk in enumerate(t.chunks()):
        # It is opened once more at first, to see the columns.
        if where == "pass" and opened == 3 and i == stop:
            kill()
        yield chunk

real = os.fsync
def fsync(file):
    global count
    count += 1
    if where == "write" and count == stop:
        os.ftruncate(file, 1000)
        kill()
    real(file)
os.fsync = fsync
fit_chunks(t.MODEL, chunks, checkpoint=path)
"""


def chunk(i):
    X = np.random.default_rng(i).normal(size=(SIZE, 3))
    return X, np.where(X[:, 0] ** 2 + X[:, 1] > 0.5, "out", "in")


def chunks():
    return map(chunk, range(CHUNKS))


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    """Chunks stay as they are, and are not put together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernelweave.streamed.chunk._FEW", 1)
        yield


@pytest.fixture(scope="module")
def whole():
    return fit_chunks(clone(MODEL), chunks)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A checkpoint is written after every chunk here."""
    monkeypatch.setattr(checkpoint, "SECONDS", 0)
    monkeypatch.setattr(checkpoint, "SHARE", 0)
    return tmp_path / "fit.checkpoint"


def interrupted(path, model=MODEL, source=chunks, after=12):
    """Leave a checkpoint behind, by an error in the middle of the second pass."""
    calls = 0

    def progress(*_):
        nonlocal calls
        calls += 1
        if calls > after:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fit_chunks(clone(model), source, checkpoint=path, progress=progress)
    assert path.exists()


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Checkpoints of two processes that were killed, one of them while it wrote."""
    folder = tmp_path_factory.mktemp("killed")
    paths = [os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, folder / where, where, str(stop)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for where, stop in (("pass", 5), ("write", CHUNKS + 4))
    ]
    for process in processes:
        _, error = process.communicate()
        assert process.returncode == -signal.SIGKILL, error
    return folder


@pytest.mark.parametrize(("where", "rows"), [("pass", 5 * SIZE), ("write", 2 * SIZE)])
def test_a_killed_process_goes_on(whole, killed, where, rows):
    path, seen = killed / where, []
    model = fit_chunks(
        clone(MODEL), chunks, checkpoint=path, progress=lambda *a: seen.append(a)
    )
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-10)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10, atol=1e-12)
    assert (model.norm_, model.alpha_) == (whole.norm_, whole.alpha_)
    assert model.classes_.tolist() == ["in", "out"]
    assert seen[0] == (0, SIZE * CHUNKS - rows, f"pass 2, {rows:,} rows")
    # Nor is there what the killed process was writing.
    assert not [file for file in os.listdir(killed) if where in file]


@pytest.mark.parametrize("after", [2, 5, 9, 10, 17])
def test_it_goes_on_from_anywhere(whole, path, after):
    interrupted(path, after=after)
    model = fit_chunks(clone(MODEL), chunks, checkpoint=path)
    assert np.array_equal(model.weights_, whole.weights_)
    assert np.array_equal(model.coef_, whole.coef_)


def test_nothing_is_read_again(whole, path):
    interrupted(path)
    read = []

    def counted():
        for i in range(CHUNKS):
            read.append(i)
            yield chunk(i)

    seen = []
    model = fit_chunks(
        clone(MODEL), counted, checkpoint=path, progress=lambda *a: seen.append(a)
    )
    assert np.array_equal(model.weights_, whole.weights_)
    # The columns are looked at, and the second pass begins: the first is known.
    assert read == [0, *range(CHUNKS)]
    assert all(text.startswith("pass 2") for _, _, text in seen)
    done, totals = [a[0] for a in seen], {a[1] for a in seen}
    assert done[0] == 0 and done[-1] == seen[-1][1] and len(totals) == 1
    assert totals.pop() < SIZE * CHUNKS


def test_sparse_rows_and_numbers(path):
    from scipy.sparse import csr_matrix

    model = MKLRidge([Nystroem(RBF(gamma=0.3), 30), Linear()])

    def sparse():
        for X, _ in chunks():
            yield csr_matrix(X * (X > 0)), X[:, :2]

    interrupted(path, model, sparse)
    here = fit_chunks(clone(model), sparse, checkpoint=path)
    there = fit_chunks(clone(model), sparse)
    assert np.array_equal(here.coef_, there.coef_)


def test_a_damaged_one_is_refused(path):
    interrupted(path)
    good = path.read_bytes()

    def refused(content, message):
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=message):
            fit_chunks(clone(MODEL), chunks, checkpoint=path)
        # It is not touched.
        assert path.read_bytes() == content

    refused(good[:-1], "damaged or cut short .*: delete it to begin again")
    refused(good[: len(good) // 2], "damaged or cut short")
    # So little may be of any archive, which is not to be deleted.
    refused(good[:2], "is no checkpoint of kernelweave")
    place = len(good) // 2
    flipped = bytes([good[place] ^ 1])
    refused(good[:place] + flipped + good[place + 1 :], "damaged|was changed")
    refused(b"", "no checkpoint of kernelweave: choose another name")
    refused(b"a,b\n1,2\n", "no checkpoint of kernelweave")


def test_a_changed_number_is_noticed_by_its_checksum(path):
    interrupted(path)
    with np.load(path) as file:
        arrays = dict(file)
    assert arrays["current/sum0"].any()
    np.savez(path.with_suffix(".npz"), **arrays)
    path.with_suffix(".npz").replace(path)
    checkpoint.Checkpoint(path, {})
    arrays["current/sum0"] = arrays["current/sum0"] + 1e-12
    np.savez(path.with_suffix(".npz"), **arrays)
    path.with_suffix(".npz").replace(path)
    with pytest.raises(CheckpointError, match="its checksum does not match"):
        fit_chunks(clone(MODEL), chunks, checkpoint=path)


def test_one_of_other_work_is_refused(path):
    interrupted(path)
    other = clone(MODEL).set_params(alphas=[0.1, 2])
    with pytest.raises(CheckpointError, match="another model, or the model was"):
        fit_chunks(other, chunks, checkpoint=path)
    for kernels in (
        [Nystroem(RBF(), 41), *MODEL.kernels[1:]],
        [Nystroem(RBF(gamma=0.1), 40), *MODEL.kernels[1:]],
        [Nystroem(RBF(), 40, random_state=1), *MODEL.kernels[1:]],
    ):
        with pytest.raises(CheckpointError, match="another model"):
            fit_chunks(
                clone(MODEL).set_params(kernels=kernels), chunks, checkpoint=path
            )
    with pytest.raises(CheckpointError, match="another source, or the source was"):
        fit_chunks(clone(MODEL), ArraySource(*chunk(0)), checkpoint=path)
    # More words on the way change nothing.
    fit_chunks(clone(MODEL).set_params(verbose=0), chunks, checkpoint=path)


def test_the_same_rows_in_other_chunks_will_do(whole, path):
    interrupted(path)

    def first_alike():
        yield chunk(0)
        X, y = (np.concatenate(a) for a in zip(*map(chunk, range(1, 8)), strict=True))
        yield X, y

    model = fit_chunks(clone(MODEL), first_alike, checkpoint=path)
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-10)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-12)


def test_fewer_rows_than_before_are_noticed(path):
    interrupted(path)
    with pytest.raises(ValueError, match="gave 7500 rows, and the first one 20000"):
        fit_chunks(clone(MODEL), lambda: map(chunk, range(3)), checkpoint=path)


def test_other_eigenvectors_go_on_with_those_of_the_sums(whole, path, monkeypatch):
    """As another library, or number of threads, may find them: other signs, fewer."""
    interrupted(path)
    real = Nystroem._fit_map

    def turned(self, rows, generator):
        real(self, rows, generator)
        self._whiten = -self._whiten[:, 1:]

    monkeypatch.setattr(Nystroem, "_fit_map", turned)
    model = fit_chunks(clone(MODEL), chunks, checkpoint=path)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-12)
    X = chunk(0)[0]
    np.testing.assert_allclose(
        model.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("after", [12, 17])
def test_it_goes_on_with_another_number_of_threads(path, after):
    """A wide kernel, most of whose eigenvalues are nearly rounding errors."""
    model = MKLDiscriminantAnalysis([Nystroem(RBF(gamma=0.01), 300), Linear()])
    with threadpool_limits(1):
        whole = fit_chunks(clone(model), chunks)
        interrupted(path, model, after=after)
    with threadpool_limits(2):
        again = fit_chunks(clone(model), chunks, checkpoint=path)
    X = chunk(0)[0]
    np.testing.assert_allclose(again.weights_, whole.weights_, atol=1e-6)
    np.testing.assert_allclose(
        again.decision_function(X), whole.decision_function(X), atol=1e-4
    )


@pytest.mark.parametrize("kind", [Nystroem, RandomFourier])
def test_other_features_are_noticed(path, monkeypatch, kind):
    model = MKLRidge([kind(RBF(), 40), Linear()])

    def numbers():
        # A target that is large beside all features.
        return ((X, 1e12 * X[:, 0]) for X, _ in chunks())

    interrupted(path, model, numbers)
    real = RBF.fit

    def wider(self, *arguments):
        real(self, *arguments)
        self.gamma_ *= 1.001
        return self

    monkeypatch.setattr(RBF, "fit", wider)
    with pytest.raises(ValueError, match="features of the kernels are not those"):
        fit_chunks(clone(model), numbers, checkpoint=path)


def test_what_cannot_be_repeated_gets_no_checkpoint(path):
    model = MKLDiscriminantAnalysis([Nystroem(RBF(), 40, random_state=None)])
    with pytest.raises(CheckpointError, match="a whole number as random_state"):
        fit_chunks(model, chunks, checkpoint=path)
    with pytest.raises(ValueError, match="no folder"):
        fit_chunks(clone(MODEL), chunks, checkpoint=path.parent / "no" / "file")


def test_writing_takes_a_small_share_of_the_time(tmp_path, monkeypatch):
    kept = checkpoint.Checkpoint(tmp_path / "c", {})
    assert not kept.due()
    now = 1000.0
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: now)

    class Slow:
        def arrays(self):
            return {"a": np.zeros(3)}

        def restore(self, arrays):
            raise AssertionError

    real = os.fsync

    def slow(file):
        nonlocal now
        now += 10
        real(file)

    monkeypatch.setattr(os, "fsync", slow)
    kept.write(Slow(), 5)
    now += 199
    assert not kept.due()
    now += 2
    assert kept.due()


def test_a_fit_of_many_passes_says_so_before_the_first(tmp_path):
    def chunks():
        raise AssertionError("a pass was begun")
        yield

    with pytest.raises(CheckpointError, match="MKLSVC reads the rows at every step"):
        fit_chunks(
            MKLSVC([Linear()], loss="squared_hinge"), chunks, checkpoint=tmp_path / "c"
        )
