"""The progress line."""

import io
import sys
from types import ModuleType, SimpleNamespace

from kernelweave import MKLRidgeCV
from kernelweave.progress import Progress, _duration
from kernelweave.reporting import reporting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_one_line_that_is_wiped():
    terminal = Terminal()
    with Progress(terminal) as progress:
        progress(0, 4, "first")
        progress(1, 4, "second " * 40)
        progress(4, 4, "done")
        progress(0, 0, "iteration 7")
    lines = terminal.getvalue().split("\r")
    assert "\n" not in terminal.getvalue()
    assert "0%" in lines[1] and "first" in lines[1] and "left" not in lines[1]
    assert "25%" in lines[2] and "left" in lines[2]
    assert "100%" in lines[3]
    assert lines[4:] == ["iteration 7\033[K", "\033[K"]
    assert all(len(line.removesuffix("\033[K")) <= 79 for line in lines)


def test_a_file_sees_nothing():
    file = io.StringIO()
    with Progress(file) as progress:
        progress(1, 2, "text")
    assert file.getvalue() == ""


def test_durations():
    assert [_duration(s) for s in (5, 300, 9000)] == ["5 s", "5 min", "2.5 h"]


def test_a_notebook_sees_a_bar(monkeypatch):
    """IPython's shell in a notebook has a kernel; its display can be updated."""
    pages = []

    class Handle:
        def update(self, data, raw):
            assert raw
            pages.append(data["text/html"])

    def display(data, raw, display_id):
        assert raw and display_id
        pages.append(data["text/html"])
        return Handle()

    ipython, displays = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    displays.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    model = MKLRidgeCV(norms=[1, 2], alphas=[0.1, 1])
    with Progress() as progress, reporting(progress):
        model.fit([[0.0], [1.0], [2.5], [4.0]], [0.0, 1.0, 2.0, 4.0])
        progress(1, 4, "a < b")
    assert pages[0] == pages[-1] == ""
    assert any('<progress value="0.5000"></progress>' in page for page in pages)
    # Iterations of the solver, of which nobody knows the number.
    assert any("<progress></progress> <code>iteration" in page for page in pages)
    assert "a &lt; b" in pages[-2] and 'value="0.2500"' in pages[-2]
    # A shell without a kernel is a terminal.
    ipython.get_ipython = lambda: SimpleNamespace()
    assert not Progress(io.StringIO())._live
