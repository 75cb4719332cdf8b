"""Classes of a user's own in a model file."""

import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest
import skops.io
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import problems
from kernelweave import MKLSVC, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Kernel, Linear
from kernelweave.persist import ModelFileError, load, save
from kernelweave.persist.manifest import MANIFEST
from kernelweave.persist.sealed_zip import checksum
from kernelweave.solvers import Newton
from kernelweave.weights import Simplex

X, Y = problems.blobs(40, 3, 3)
NEW = X + 0.125


@dataclass(eq=False, repr=False)
class Cubic(Kernel):
    """(1 + c·xᵀz)³."""

    columns: object = None
    name: object = None
    scale: bool = False
    missing: str = "error"
    c: float = 0.1

    def _gram(self, X, Y):
        return (1 + self.c * (X @ Y.T)) ** 3


class Doubled(MKLRidge):
    """Predicts twice what a ridge does."""

    def predict(self, X):
        return 2 * super().predict(X)


class OwnSimplex(Simplex):
    """A weight set of another name."""


class OwnNewton(Newton):
    """A solver of another name."""


class Wrapping(ClassifierMixin, BaseEstimator):
    """An estimator that keeps one of kernelweave inside."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = MKLSVC([RBF(), Cubic()]).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Slotted(Linear):
    """State that no __dict__ holds."""

    def __getstate__(self):
        return (None, {"columns": self.columns})


class Outer:
    class Cubic(Cubic):
        """Found under another name than its own."""


def function(table):
    return [0]


MACHINE = MKLSVC([Linear()], weights=OwnSimplex(), solver=OwnNewton())
MODELS = [
    (MKLDiscriminantAnalysis([Cubic(), RBF()]), [Cubic]),
    (
        MKLSVC([Linear()], weights=OwnSimplex(), solver=OwnNewton()),
        [OwnSimplex, OwnNewton],
    ),
    (Doubled([RBF(), Linear()]), [Doubled]),
    (make_pipeline(StandardScaler(), Doubled([Cubic(), RBF()])), [Cubic, Doubled]),
    (make_pipeline(StandardScaler(), Wrapping()), [Cubic, Wrapping]),
]


def name_of(cls):
    return f"{cls.__module__}.{cls.__name__}"


@pytest.mark.parametrize(("model", "own"), MODELS, ids=lambda x: type(x).__name__)
def test_with_the_list_and_never_without(model, own, tmp_path):
    path = tmp_path / "model.skops"
    model = clone(model).fit(X, Y)
    with pytest.raises(ModelFileError) as error:
        save(model, path)
    for cls in own:
        assert name_of(cls) in str(error.value)
        assert cls.__name__ in str(error.value).partition("trusted=[")[2]
    assert not path.exists()
    save(model, path, trusted=own, target="label")
    with pytest.raises(ModelFileError, match="is refused: it holds") as error:
        load(path)
    assert any(f"trusted=['{name_of(cls)}']" in str(error.value) for cls in own)
    for listed in (own, [name_of(cls) for cls in own], tuple(reversed(own))):
        again = load(path, trusted=listed)
        assert type(again) is type(model)
        assert np.array_equal(again.predict(NEW), model.predict(NEW))
    if len(own) > 1:
        with pytest.raises(ModelFileError, match=name_of(own[0])):
            load(path, trusted=own[1:])
        with pytest.raises(ModelFileError, match=name_of(own[0])):
            save(model, path, trusted=own[1:])


def test_an_own_kernel_gets_its_attributes_back(tmp_path):
    model = MKLRidge([Cubic(c=0.3, columns=[1], name="mine")]).fit(X, Y)
    save(model, tmp_path / "model.skops", trusted=[Cubic])
    (kernel,) = load(tmp_path / "model.skops", trusted=[Cubic]).kernels_
    assert type(kernel) is Cubic
    assert kernel.c == 0.3 and kernel.label == "mine"


MODULE = """
from kernelweave.kernels import Linear
print("imported")
class Mine(Linear):
    pass
"""
SAVE = """
import sys, my_module
from kernelweave import MKLRidge
from kernelweave.persist import save
model = MKLRidge([my_module.Mine()]).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
save(model, "model.skops", trusted=[my_module.Mine])
"""
LOAD = """
from kernelweave.persist import load
try:
    load("model.skops", trusted=["my_module.Other"])
except ValueError as error:
    print("refused", flush=True)
print(type(load("model.skops", trusted=["my_module.Mine"]).kernels_[0]).__name__)
"""


def test_names_import_their_module_only_when_trusted(tmp_path):
    (tmp_path / "my_module.py").write_text(MODULE)
    for script, expected in (
        (SAVE, ["imported"]),
        (LOAD, ["refused", "imported", "Mine"]),
    ):
        found = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            capture_output=True,
            check=True,
            text=True,
        )
        assert found.stdout.split() == expected
    (tmp_path / "my_module.py").unlink()
    with pytest.raises(ModelFileError, match=r"my_module.Mine cannot be imported"):
        load(tmp_path / "model.skops", trusted=["my_module.Mine"])


@pytest.mark.parametrize("trusted", [Cubic, "a.B", [function], ["B"], [1]])
def test_what_is_no_list_of_classes(trusted, tmp_path):
    model = MKLRidge([Linear()]).fit(X, Y)
    for call in (
        lambda: save(model, tmp_path / "model.skops", trusted=trusted),
        lambda: load(tmp_path / "model.skops", trusted=trusted),
    ):
        with pytest.raises(ValueError, match="trusted must"):
            call()


def test_functions_stay_outside_whatever_is_trusted(tmp_path):
    model = MKLRidge([Linear(columns=function)]).fit(X, Y)
    path = tmp_path / "model.skops"
    with pytest.raises(ModelFileError, match=r"function, which a model file must not"):
        save(model, path)
    with pytest.raises(ModelFileError, match=r"function is no class"):
        save(model, path, trusted=[f"{__name__}.function"])


def test_a_forged_file_with_a_function_that_is_called_a_class(tmp_path):
    path = tmp_path / "model.skops"
    save(MKLRidge([Linear()]).fit(X, Y), path)
    forged = skops.io.dumps({"run": os.system})
    with zipfile.ZipFile(io.BytesIO(forged)) as archive:
        schema = archive.read("schema.json")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(parts.pop(MANIFEST))
    del head["sha256"]
    parts["schema.json"] = schema
    head["sha256"] = checksum(head, zipped(parts))
    path.write_bytes(zipped(parts | {MANIFEST: json.dumps(head).encode()}))
    with pytest.raises(ModelFileError, match="is refused"):
        load(path)
    with pytest.raises(ModelFileError, match=r"system is no class"):
        load(path, trusted=[f"{os.system.__module__}.system"])


def zipped(parts):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return archive.getvalue()


def test_classes_that_are_not_where_they_are_looked_for(tmp_path):
    path = tmp_path / "model.skops"

    class Local(Linear):
        pass

    model = MKLRidge([Local()]).fit(X, Y)
    with pytest.raises(ModelFileError, match="at the top level of a module"):
        save(model, path)
    for cls in (Local, Outer.Cubic):
        model = MKLRidge([cls()]).fit(X, Y)
        with pytest.raises(ModelFileError, match="top level of its module"):
            save(model, path, trusted=[cls])
    assert not path.exists()


def test_what_cannot_be_made_again_is_not_saved(tmp_path):
    model = MKLRidge([Slotted()]).fit(X, Y)
    with pytest.raises(ModelFileError, match="could not be read again"):
        save(model, tmp_path / "model.skops", trusted=[Slotted])
    assert list(tmp_path.iterdir()) == []
