"""The installed package without any extra: what works, and what the rest says.

Run as a program, with a Python that has the wheel and nothing else: `make test-wheel`.
"""

import contextlib
import doctest
import io
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

import kernelweave
from kernelweave.cli import main
from kernelweave.evaluation import evaluate
from kernelweave.importance import feature_importance, per_sample, view_importance
from kernelweave.kernels import RBF, ChiSquared, Linear, Nystroem
from kernelweave.persist import load, save
from kernelweave.plots import WeightsDisplay
from kernelweave.solvers import QCQP, SILP
from kernelweave.tables import read_table
from kernelweave.weights import LpBall

EXTRAS = ("numba", "pandas", "matplotlib", "dask", "cvxpy", "pyarrow", "openpyxl")
here = [name for name in EXTRAS if find_spec(name) is not None]
if here:
    sys.exit(f"this is no bare environment: it has {', '.join(here)}")

README = Path(__file__).resolve().parents[1] / "README.md"
assert doctest.testfile(str(README), module_relative=False).failed == 0

X, y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
scores = {}
for name in kernelweave.__all__:
    cls = getattr(kernelweave, name)
    if not (isinstance(cls, type) and hasattr(cls, "fit")):
        continue
    if "Cox" in name:  # its targets are events and times
        continue
    model = cls([RBF(), Linear()] if name[:6] != "Kernel" else RBF())
    model.fit(X[::2], y[::2])
    if hasattr(model, "score"):
        scores[name] = model.score(X[1::2], y[1::2])
print({name: round(float(score), 3) for name, score in scores.items()})
# Accuracy, R², and the shares of deviance and of absolute error that are explained.
assert min(scores.values()) > 0.6

counts = np.abs(X)
for model in (
    kernelweave.MKLSVC([RBF(), ChiSquared()]),
    kernelweave.MKLSVC([Nystroem(RBF(), n_components=20)], loss="squared_hinge"),
    kernelweave.MKLDiscriminantAnalysis([RBF(), Linear()], LpBall(2), solver=SILP()),
):
    model.fit(counts, y)
    assert model.solution_.converged, model
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder) / "model.skops")
        again = load(Path(folder) / "model.skops")
    assert np.array_equal(again.predict(counts), model.predict(counts))


def refusal(work):
    try:
        work()
    except ImportError as error:
        return str(error)
    raise AssertionError("it should have said what to install")


def command(*arguments):
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        code = main([str(argument) for argument in arguments])
    return code, screen.getvalue()


model = kernelweave.MKLSVC([RBF(), Linear()]).fit(X, y)
assert "kernelweave[plot]" in refusal(lambda: WeightsDisplay.from_estimator(model))
conic = kernelweave.MKLDiscriminantAnalysis([RBF(), Linear()], solver=QCQP())
assert "kernelweave[conic]" in refusal(lambda: conic.fit(X[::9], y[::9]))
machine = kernelweave.MKLDiscriminantAnalysis([RBF(), Linear()]).fit(X[::3], y[::3])
evaluation = evaluate(machine, X[::3], y[::3])
cox = kernelweave.MKLCoxRegression([RBF(), Linear()])
times = np.zeros(len(X[::3]), dtype=[("event", bool), ("time", float)])
times["event"], times["time"] = True, 1 + np.abs(X[::3, 0])
risks = evaluate(cox, X[::3], times).left_out
assert "combination" in str(evaluation)
for work in (
    evaluation.to_frame,
    evaluation.recall,
    evaluation.confusion,
    evaluation.left_out.to_frame,
    risks.to_frame,
    lambda: view_importance(machine, X[::3], y[::3]),
    lambda: per_sample(machine, X[::3], y[::3]),
    lambda: feature_importance(machine, X[::3], y[::3]),
):
    assert "kernelweave[tables]" in refusal(work), work
for ending, extra in ((".csv", "tables"), (".parquet", "parquet"), (".xlsx", "excel")):
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"wine{ending}"
        table.write_text("a,b,label\n" + "1,2,x\n2,1,y\n" * 10)
        file = Path(folder) / "model.skops"
        code, text = command("fit", table, "--target", "label", "-o", file)
        assert code == 2 and f"kernelweave[{extra}]" in text, text
        assert f"kernelweave[{extra}]" in refusal(lambda path=table: read_table(path))
code, text = command("reproduce")
assert code == 2 and "kernelweave[papers]" in text, text
for arguments in (["--help"], ["--version"]):
    try:
        command(*arguments)
    except SystemExit as end:
        assert end.code == 0
assert command("methods")[0] == 0
code, text = command("demo")
assert code == 0, text
print("all works, or says what to install")
