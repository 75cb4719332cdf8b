"""Model files: the same predictions elsewhere, and nothing foreign is let in."""

import io
import json
import os
import pickle
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import clone
from sklearn.compose import make_column_selector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelweave
import problems
from kernelweave import persist
from kernelweave.kernels import RBF, ChiSquared, Laplacian, Linear, Overlap, Polynomial
from kernelweave.kernels import Precomputed as Given
from kernelweave.persist import ModelFileError, load, metadata, save
from kernelweave.persist.manifest import MANIFEST
from kernelweave.persist.sealed_zip import checksum, sealed
from kernelweave.plots.model import solutions_of
from kernelweave.solvers import SILP
from kernelweave.weights import ElasticNet, Fixed, LpBall, Simplex

X, Y = problems.blobs(40, 3, 3)
X = pd.DataFrame(np.abs(X).round(1), columns=["a", "b", "c"])
NEW = X + 0.125
KERNELS = [
    RBF(columns=["a", "b"], name="first: rbf", scale=True, missing="mean"),
    Overlap(columns=["c"]),
    ChiSquared(columns=slice("a", "b")),
    Polynomial(columns=[2]),
]
MODELS = [
    kernelweave.KernelDiscriminantAnalysis(Laplacian()),
    kernelweave.MKLDiscriminantAnalysis(KERNELS, weights=Simplex(), solver=SILP()),
    kernelweave.MKLDiscriminantAnalysis(KERNELS, alpha="learn", normalize="trace"),
    kernelweave.MKLDiscriminantAnalysisCV(KERNELS, norms=[1, 2], alphas=[0.1, 1]),
    kernelweave.MKLRidge(KERNELS, weights=LpBall(2), normalize="spherical"),
    kernelweave.MKLRidge(KERNELS, weights=Fixed([0.2, 0.1, 0.2, 0.5])),
    kernelweave.MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.1, 1]),
    kernelweave.MKLSVC(KERNELS, weights=ElasticNet(0.5), solver=SILP(), tol=1e-2),
    kernelweave.MKLSVC(KERNELS, multiclass="per_class", tol=1e-2),
    kernelweave.MKLSVCCV(KERNELS, vs=[0.5, 1], Cs=[1], cv=StratifiedKFold(2)),
    kernelweave.MKLSVR(KERNELS),
    kernelweave.MKLSVR(KERNELS, epsilon=10.0),
    kernelweave.LaplacianMKLSVC(KERNELS),
    kernelweave.LaplacianMKLSVC(KERNELS, formulation="tied"),
    kernelweave.MKLOneClassSVM(KERNELS),
    make_pipeline(StandardScaler(), kernelweave.MKLSVC([RBF(), Linear()])),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.skops"
    save(kernelweave.MKLDiscriminantAnalysis().fit(X, Y), path, target="label")
    return path


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_loaded_model_predicts_the_same(model, tmp_path):
    model = clone(model).fit(X, Y)
    before = model.predict(NEW)
    save(model, tmp_path / "model.skops")
    other = load(tmp_path / "model.skops")
    assert type(other) is type(model)
    assert np.array_equal(other.predict(NEW), before)
    last, old = (m[-1] if hasattr(m, "steps") else m for m in (other, model))
    for name in ("decision_function", "predict_proba"):
        if hasattr(last, name):
            assert np.array_equal(getattr(other, name)(NEW), getattr(model, name)(NEW))
    assert type(last.solution_) is type(old.solution_)
    for read, kept in zip(solutions_of(last), solutions_of(old), strict=True):
        assert read.status is kept.status
        assert read.certificate == kept.certificate
        assert read.trace == kept.trace
    assert last.kernel_names_.tolist() == old.kernel_names_.tolist()
    # Saving leaves the model that was saved as it is.
    assert np.array_equal(model.predict(NEW), before)
    assert repr(clone(other)) == repr(clone(model))


def test_given_gram_matrices_and_row_numbers(tmp_path):
    K = np.stack([kernel.fit(X)(X) for kernel in (RBF(), Linear())])
    rows = np.arange(len(X))[:, None]
    models = [
        (kernelweave.MKLSVC("precomputed"), K, K[:, :5]),
        (kernelweave.MKLSVC([Given(K[0]), Given(K[1])]), rows, rows[:5]),
    ]
    for model, train, new in models:
        model.fit(train, Y)
        save(model, tmp_path / "model.skops")
        assert np.array_equal(
            load(tmp_path / "model.skops").decision_function(new),
            model.decision_function(new),
        )


def test_columns_chosen_by_a_selector(tmp_path):
    model = kernelweave.MKLSVC(
        [RBF(columns=make_column_selector(pattern="c")), Linear()]
    ).fit(X, Y)
    save(model, tmp_path / "model.skops")
    other = load(tmp_path / "model.skops")
    assert np.array_equal(other.predict(NEW), model.predict(NEW))
    assert np.array_equal(clone(other).fit(X, Y).weights_, model.weights_)


SCRIPT = """
import sys
import pandas as pd
from kernelweave.persist import load
table = pd.read_json(sys.argv[2], precise_float=True)
print(load(sys.argv[1]).predict_proba(table).tobytes().hex())
"""


def test_the_same_predictions_in_another_process(path, tmp_path):
    NEW.to_json(tmp_path / "new.json", double_precision=15)
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT, path, tmp_path / "new.json"],
        capture_output=True,
        check=True,
        text=True,
    )
    here = load(path).predict_proba(NEW)
    assert answer.stdout.strip() == here.tobytes().hex()


def test_metadata_comes_back(path, tmp_path):
    assert metadata(path) == {"target": "label"}
    columns = ["Größe", "weight"]
    # Keys of JSON are text.
    save(load(path), tmp_path / "other.skops", columns=columns, sizes={10: 1, 9: 2})
    assert metadata(tmp_path / "other.skops") == {
        "columns": columns,
        "sizes": {"10": 1, "9": 2},
    }


def test_every_public_class_is_trusted_and_no_function():
    names = persist.trusted_types()
    assert "kernelweave.kernels.distance.RBF" in names
    assert "kernelweave.estimators.svc.MKLSVC" in names
    assert not any(name.rpartition(".")[2] == "rbf_grid" for name in names)
    own = ("kernelweave.", "sklearn.", "scipy.sparse._csr.", "numpy.dtype")
    assert all(name.startswith(own) for name in names)


def test_functions_are_refused_when_saving(tmp_path):
    model = kernelweave.MKLSVC([RBF(columns=lambda table: ["a"])]).fit(X, Y)
    with pytest.raises(ModelFileError, match=r"holds .*<lambda>.*name the columns"):
        save(model, tmp_path / "model.skops")
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_is_a_function_is_to_be_a_class(tmp_path):
    model = kernelweave.MKLRidge([np.inner]).fit(X, X["a"])
    said = r"holds .*numpy\.inner.*define a kernel class with compare.*trusted="
    with pytest.raises(ModelFileError, match=said):
        save(make_pipeline(StandardScaler(), model).fit(X, X["a"]), tmp_path / "m")


def test_a_failed_save_leaves_the_old_file(path, tmp_path, monkeypatch):
    old = tmp_path / "model.skops"
    old.write_bytes(path.read_bytes())

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        save(load(path), old)
    assert old.read_bytes() == path.read_bytes()
    assert list(tmp_path.iterdir()) == [old]


def test_unfitted_models_are_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        save(kernelweave.MKLSVC(), tmp_path / "model.skops")


def test_no_folder(path, tmp_path):
    with pytest.raises(ValueError, match="there is no folder"):
        save(load(path), tmp_path / "none" / "model.skops")


class Trap:
    """Runs when a pickle of it is opened."""

    def __reduce__(self):
        return (os._exit, (99,))


def foreign_files(content):
    rng = np.random.default_rng(0)
    yield "nothing", b"", "no model file"
    yield "text", b"a,b\n1,2\n", "no model file"
    yield "pickle", pickle.dumps(Trap()), "a pickle, which can run any code"
    yield "old pickle", pickle.dumps(Trap(), protocol=0), "no model file"
    for share in (0.01, 0.5, 0.999):
        cut = content[: int(share * len(content))]
        yield f"cut at {share}", cut, "damaged or cut short"
    for place in [4, 10, 12, *rng.integers(14, len(content) - 100, 40)]:
        flipped = bytearray(content)
        flipped[place] ^= 0xFF
        yield f"byte {place}", bytes(flipped), "damaged"
    yield "a skops file", skops.io.dumps(LogisticRegression()), "not written by kernel"
    archive = archive_of({"a.txt": "text"})
    yield "a zip file", archive, "a zip archive, but was not written by"


def test_foreign_and_damaged_files_are_refused(path, tmp_path):
    for name, content, message in foreign_files(path.read_bytes()):
        other = tmp_path / "other.skops"
        other.write_bytes(content)
        for read in (load, metadata):
            with pytest.raises(ModelFileError, match=message) as error:
                read(other)
            assert "\n" not in str(error.value), name
    for place, message in ((tmp_path, "is a folder"), (tmp_path / "x", "there is no")):
        with pytest.raises(ModelFileError, match=message):
            load(place)


def members_of(content):
    """The parts of an archive, by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return archive.getvalue()


def rewritten(path, changes, **manifest):
    """The archive with other parts, and a checksum that is right again if asked."""
    members = members_of(path.read_bytes()) | changes
    head = json.loads(members.pop(MANIFEST)) | manifest
    if "sha256" not in manifest:
        head.pop("sha256")
        head["sha256"] = checksum(head, archive_of(members))
    return archive_of(members | {MANIFEST: json.dumps(head).encode()})


def test_tampering_is_noticed(path, tmp_path):
    other = tmp_path / "other.skops"
    old = json.loads(members_of(path.read_bytes())[MANIFEST])["sha256"]
    members = members_of(path.read_bytes())
    array = next(name for name in members if name.endswith(".npy"))
    changed = bytearray(members[array])
    changed[-1] ^= 1
    for changes, manifest in (
        ({array: bytes(changed)}, {}),
        ({"more.npy": b""}, {}),
        ({}, {"metadata": {"target": "other"}}),
        ({}, {"kernelweave": "9.9"}),
        ({MANIFEST: b"{}"}, {}),
        ({MANIFEST: b"[1]"}, {}),
    ):
        if MANIFEST in changes:
            other.write_bytes(archive_of(members | changes))
        else:
            other.write_bytes(rewritten(path, changes, **manifest, sha256=old))
        with pytest.raises(ModelFileError, match="was changed after it was written"):
            load(other)
    # The rewriting itself is sound.
    other.write_bytes(rewritten(path, {}))
    assert np.array_equal(load(other).predict(NEW), load(path).predict(NEW))


@pytest.mark.parametrize(
    ("version", "remedy"),
    [(4, "update kernelweave"), (2, "fit the model again"), ("2b", "update")],
)
def test_other_formats(path, tmp_path, version, remedy):
    other = tmp_path / "other.skops"
    content = rewritten(path, {}, format=version, kernelweave="9.9")
    # Seal and parts of another format may be others too.
    manifest = {"format": version, "kernelweave": "9.9"}
    alone = archive_of({MANIFEST: json.dumps(manifest)})
    badly = bytearray(sealed(content))
    badly[-1] ^= 1
    for made in (content, sealed(content), bytes(badly), alone):
        other.write_bytes(made)
        for read in (load, metadata):
            with pytest.raises(ModelFileError) as error:
                read(other)
            assert f"written by kernelweave 9.9, format {version}; this is " in str(
                error.value
            )
            assert remedy in str(error.value)


def test_a_manifest_that_lacks_something(path, tmp_path):
    members = members_of(path.read_bytes())
    head = json.loads(members.pop(MANIFEST))
    other = tmp_path / "other.skops"
    for name in ("kernelweave", "metadata", "sha256"):
        less = {key: value for key, value in head.items() if key != name}
        if name != "sha256":
            del less["sha256"]
            less["sha256"] = checksum(less, archive_of(members))
        other.write_bytes(archive_of(members | {MANIFEST: json.dumps(less).encode()}))
        for read in (load, metadata):
            with pytest.raises(ModelFileError, match="was changed after"):
                read(other)


def test_a_right_checksum_lets_no_foreign_type_in(path, tmp_path):
    # Who knows the format can forge the checksum, but not what may be built.
    forged = skops.io.dumps({"model": LogisticRegression, "run": os.system})
    with zipfile.ZipFile(io.BytesIO(forged)) as archive:
        schema = archive.read("schema.json")
    other = tmp_path / "other.skops"
    other.write_bytes(rewritten(path, {"schema.json": schema}))
    with pytest.raises(ModelFileError, match=r"refused: it holds .*system"):
        load(other)
    assert b"system" in schema


def test_a_right_checksum_on_what_cannot_be_built(path, tmp_path):
    schema = members_of(path.read_bytes())["schema.json"]
    other = tmp_path / "other.skops"
    for changed in (b"{}", schema.replace(b"OPTIMAL", b"SPLENDID")):
        other.write_bytes(rewritten(path, {"schema.json": changed}))
        with pytest.raises(ModelFileError, match=r"cannot be read by .* Fit the model"):
            load(other)


def test_two_parts_of_one_name(path, tmp_path):
    other = tmp_path / "other.skops"
    other.write_bytes(path.read_bytes())
    with (
        zipfile.ZipFile(other, "a") as file,
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        file.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="two parts have the same name"):
        load(other)


LARGE = 2**28


def floods(path):
    """Files of less than a megabyte that would take a quarter of a gigabyte."""
    zeros = bytes(LARGE)
    members = members_of(path.read_bytes())
    yield archive_of({"a.txt": zeros}), "not written by"
    yield archive_of({"schema.json": zeros}), "not written by"
    # Of parts that are ours:
    yield archive_of(members | {"more.npy": zeros}), "was changed after"
    yield sealed(archive_of(members | {"more.npy": zeros})), "was changed after"
    yield archive_of(members | {MANIFEST: zeros}), "damaged"
    yield archive_of(members | {"schema.json": zeros}), "damaged"
    # The directory says that the part is small.
    lying = bytearray(archive_of(members | {"more.npy": zeros}))
    size = LARGE.to_bytes(4, "little")
    while (place := lying.find(size)) >= 0:
        lying[place : place + 4] = (100).to_bytes(4, "little")
    yield bytes(lying), "damaged"


def test_no_file_floods_the_memory(path, tmp_path):
    other = tmp_path / "other.skops"
    for content, message in floods(path):
        assert len(content) < 2**20
        other.write_bytes(content)
        del content
        tracemalloc.start()
        with pytest.raises(ModelFileError, match=message):
            load(other)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**24, message


def test_a_model_that_does_not_fit_into_memory(path, monkeypatch):
    monkeypatch.setattr("kernelweave.persist.sealed_zip.machine_memory", lambda: 1000)
    with pytest.raises(ModelFileError, match=r"too large: it takes 0.0 GB of memory"):
        load(path)


def test_more_than_can_be_compressed(path, tmp_path):
    # A directory that names the same bytes over and over.
    content = bytearray(archive_of({"a": bytes(2**16)}))
    size = (2**16).to_bytes(4, "little")
    while (place := content.find(size)) >= 0:
        content[place : place + 4] = (2**30).to_bytes(4, "little")
    other = tmp_path / "other.skops"
    other.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"bytes cannot hold 1073741824"):
        load(other)
