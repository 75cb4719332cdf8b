"""The rules of the house, as far as they can be read off the code."""

import ast
import re
from pathlib import Path

import pytest
import sklearn

import kernelweave
from kernelweave.estimators.base import KernelEstimator
from public import ESTIMATORS

SOURCE = Path(kernelweave.__file__).parent
PRIVATE = re.compile("_(?!_)")


def files():
    return [p for p in SOURCE.rglob("*.py") if "__pycache__" not in p.parts]


def private_names_of_estimators():
    """All that their classes define and that begins with one underscore."""
    names = set()
    for path in (SOURCE / "estimators").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                inside = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]
                names |= {n.name for n in inside}
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
    return {name for name in names if PRIVATE.match(name)}


def test_no_private_name_of_an_estimator_outside():
    private = private_names_of_estimators()
    assert {"_fit_data", "_fitted", "_learn"} <= private
    found = []
    for path in files():
        if path.parent.name == "estimators":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            own = isinstance(node, ast.Attribute) and getattr(node.value, "id", "")
            if isinstance(node, ast.Attribute) and node.attr in private:
                if own in ("self", "cls"):
                    continue
                base = ast.unparse(node.value)
                if base in ("model", "estimator", "core", "plain", "learned"):
                    found.append(f"{path.relative_to(SOURCE)}: {base}.{node.attr}")
    assert not found


def test_private_names_of_other_folders_are_not_imported():
    found = []
    for path in files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                found += [
                    f"{path.relative_to(SOURCE)}: {alias.name}"
                    for alias in node.names
                    if PRIVATE.match(alias.name)
                ]
    assert not found


@pytest.mark.parametrize("Estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_few_classes_of_ours_stand_behind_an_estimator(Estimator):
    ours = [c for c in Estimator.__mro__ if c.__module__.startswith("kernelweave")]
    assert ours[-1] is KernelEstimator and len(ours) <= 4
    rest = [c for c in Estimator.__mro__ if c not in (*ours, object)]
    assert all(c.__module__.startswith("sklearn.") for c in rest), sklearn.__version__


def test_no_file_is_two_rooms():
    long = {
        str(path.relative_to(SOURCE)): count
        for path in files()
        if (count := len(path.read_text("utf-8").splitlines())) > 300
    }
    assert not long
