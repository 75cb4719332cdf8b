"""A fit that does not converge says so: exit code, what to do, and model file."""

import json

import pytest

from kernelweave import persist
from kernelweave.cli import fit
from two_tables import BOTH


@pytest.fixture
def hasty(monkeypatch):
    """Fits that end after one iteration."""
    make = fit.make_estimator
    monkeypatch.setattr(
        fit,
        "make_estimator",
        lambda *arguments: make(*arguments).set_params(max_iter=1, tol=1e-14),
    )


def test_it_has_its_own_exit_code(folder, run, hasty):
    code, out, err = run("fit", *BOTH, "--norm", "1", "-o", "model.skops")
    assert code == 3
    assert "NOT CONVERGED: the weights may be off by" in out
    assert "fit again with --norm 2" in " ".join(err.split())
    assert persist.metadata("model.skops")["converged"] is False
    code, out, err = run("predict", "model.skops", "clinic.csv", "rna.csv", "--json")
    assert code == 0 and len(json.loads(out)) == 60
    assert "model.skops did not converge when it was fitted" in err


def test_json_has_the_status(folder, run, hasty):
    code, out, _ = run("fit", *BOTH, "--norm", "1", "--json")
    assert code == 3
    assert json.loads(out)["status"] != "OPTIMAL"


def test_a_proof_is_silent(model, folder, run):
    assert persist.metadata(model)["converged"] is True
    _, _, err = run("predict", model, "clinic.csv", "rna.csv", "--json")
    assert "converge" not in err


def test_the_grid_is_that_of_python():
    from kernelweave import MKLDiscriminantAnalysisCV, MKLRidgeCV
    from kernelweave.cli.estimator import make_estimator

    for task, there in (
        ("classify", MKLDiscriminantAnalysisCV()),
        ("regress", MKLRidgeCV()),
    ):
        here = make_estimator(task, "auto", None)
        assert here.get_params() == there.get_params()
