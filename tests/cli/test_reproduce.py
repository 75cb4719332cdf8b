"""kernelweave reproduce, where the papers' experiments are not installed."""

import sys

from kernelweave.cli import main


def test_without_the_papers(monkeypatch, capsys):
    for name in [n for n in sys.modules if n.split(".")[0] == "kernelweave_papers"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "kernelweave_papers", None)
    assert main(["reproduce"]) == 2
    assert "pip install 'kernelweave[papers]'" in capsys.readouterr().err
