"""The rules of the house, as far as they can be read off the code."""

import ast
import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn

import kernelweave
from kernelweave import (
    MKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
)
from kernelweave.estimators.base import KernelEstimator
from kernelweave.estimators.likelihood import LikelihoodEstimator
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
    assert {"_fit_data", "_fitted", "_represent"} <= private
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
    # Itself, the one whose parameters it chooses, what outcomes share, and the base.
    most = 3 + issubclass(Estimator, LikelihoodEstimator)
    assert ours[-1] is KernelEstimator and len(ours) <= most
    rest = [c for c in Estimator.__mro__ if c not in (*ours, object)]
    assert all(c.__module__.startswith("sklearn.") for c in rest), sklearn.__version__


def test_no_file_is_two_rooms():
    long = {
        str(path.relative_to(SOURCE)): count
        for path in files()
        if (count := len(path.read_text("utf-8").splitlines())) > 300
    }
    assert not long


# One step each, whatever they call: what a reader of the estimators need not follow.
FOLDED = ("solve.py", "kernels/", "grams/", "losses/", "weights/", "solvers/")
# Helpers that every file uses.
SMALL = ("arrays.py", "frames.py", "threads.py", "solution.py", "stacklevel.py")


def walk(call):
    """Functions of ours that a call visits: steps, files, returns to a file left."""
    files, depth, folded = [], 0, None

    def look(frame, event, _):
        nonlocal depth, folded
        path = Path(frame.f_code.co_filename)
        if event not in ("call", "return") or SOURCE not in path.parents:
            return
        name = path.relative_to(SOURCE).as_posix()
        if event == "return":
            depth -= 1
            folded = None if folded is not None and depth <= folded else folded
            return
        if folded is None and name not in SMALL and "<" not in frame.f_code.co_name:
            files.append(name)
            folded = depth if name.startswith(FOLDED) else None
        depth += 1

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    pairs = enumerate(pairwise(files), 1)
    back = sum(here != last and here in files[:i] for i, (last, here) in pairs)
    return len(files), len(set(files)), back


GRID = {"norms": [1, 2], "alphas": [0.1, 1]}


@pytest.mark.parametrize(
    ("make", "fit", "predict"),
    [
        (MKLDiscriminantAnalysis, (42, 23, 3), (17, 9, 0)),
        (lambda: MKLDiscriminantAnalysisCV(**GRID), (66, 32, 10), (18, 9, 0)),
        (MKLSVC, (28, 18, 4), (12, 8, 0)),
        (MKLRidge, (35, 19, 4), (10, 7, 0)),
    ],
    ids=["discriminant", "discriminant that chooses", "machine", "ridge"],
)
def test_the_way_from_data_to_model_and_answer_is_short(make, fit, predict):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=["ax", "ay", "bx", "by"])
    table["c"] = rng.choice(["u", "v"], 60)
    y = table["ax"].to_numpy()
    if make is not MKLRidge:
        y = np.where(y > 0, "p", "q")
    kernels = kernelweave.views.kernels_for(table)
    # What is looked up once for every class is no part of the way.
    make().set_params(kernels=kernels).fit(table, y)
    model = make().set_params(kernels=kernels)
    found = walk(lambda: model.fit(table, y))
    assert all(np.array(found) <= fit), found
    found = walk(lambda: model.predict(table[:3]))
    assert all(np.array(found) <= predict), found
