"""Files appear whole or not at all."""

import os
import subprocess
import sys

import pytest

from kernelweave.persist.atomic import check_output, written_whole


def test_a_new_file_and_an_old_one(tmp_path):
    path = tmp_path / "file.txt"
    for text in ("one", "two"):
        with written_whole(path) as part:
            part.write_text(text)
        assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(error), written_whole(path) as part:
        part.write_text("half")
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to("real.txt")
    with written_whole(link) as part:
        part.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        check_output(tmp_path / "none" / "file.txt")
    with pytest.raises(ValueError, match="not a plain file"):
        check_output(tmp_path)


KILLED = """
import os, signal, sys
from kernelweave.persist.atomic import written_whole
with written_whole(sys.argv[1]) as part:
    part.write_text("half")
    print(part.name, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_what_a_killed_process_left_is_removed(tmp_path):
    path, other = tmp_path / "file.txt", tmp_path / "file.txt.txt"
    left = [
        subprocess.run(
            [sys.executable, "-c", KILLED, file], capture_output=True, text=True
        ).stdout.strip()
        for file in (path, other)
    ]
    # A process that is alive goes on writing, and so may one of another machine.
    name, _, machine, number, part = left[0][1:].split(".")
    alive = f".{name}.txt.{machine}.{os.getppid()}.{part}"
    elsewhere = f".{name}.txt.{'0' * len(machine)}.{number}.{part}"
    for file in (alive, elsewhere):
        (tmp_path / file).write_text("half")
    with written_whole(path) as part:
        part.write_text("new")
    assert path.read_text() == "new"
    assert {f.name for f in tmp_path.iterdir()} == {
        path.name,
        left[1],
        alive,
        elsewhere,
    }


def test_a_stale_file_never_becomes_the_new_one(tmp_path):
    path = tmp_path / "file.txt"
    with written_whole(path) as part:
        part.write_text("old")
    part.write_text("of an earlier process with the same number")
    with pytest.raises(FileNotFoundError), written_whole(path):
        pass
    assert path.read_text() == "old"
