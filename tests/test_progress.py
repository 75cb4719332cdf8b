"""The progress line."""

import io

from kernelweave.progress import Progress, _duration


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
