"""Two tables of the same samples, and a way to run commands on them."""

import pytest

from kernelweave.cli import main
from two_tables import BOTH, tables


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with clinic.csv and rna.csv in it."""
    monkeypatch.chdir(tmp_path)
    clinic, rna = tables()
    clinic.to_csv("clinic.csv", index=False)
    # In another order, so that rows are matched by their ids or not at all.
    rna.iloc[::-1].to_csv("rna.csv", index=False)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run a command: its exit code, standard output and standard error."""

    def run(*arguments):
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as exit:
            code = exit.code
        out, err = capsys.readouterr()
        for line in [] if "--json" in arguments else out.splitlines():
            assert len(line) <= 80, line
        return code, out, err

    return run


@pytest.fixture
def model(folder, run):
    """A model file of both tables."""
    assert run("fit", *BOTH, "--norm", "1", "-o", "model.skops")[0] == 0
    return folder / "model.skops"
