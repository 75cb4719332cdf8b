"""Files appear whole or not at all."""

import os
import subprocess
import sys

import pytest

from kernelweave.atomic import check_output, written_whole


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


def test_what_a_killed_process_left_behind_is_removed(tmp_path):
    path = tmp_path / "file.txt"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with written_whole(path) as part:
        mine = part.name
        part.write_text("whole")
    dead = mine.replace(f".{os.getpid()}.", f".{gone.pid}.")
    # Of a process that runs, of another machine, of another file, of no process.
    others = [
        mine.replace(f".{os.getpid()}.", f".{os.getppid()}."),
        f".file.txt.00000000.{gone.pid}.part",
        dead.replace("file.txt", "other.txt"),
        dead.replace(str(gone.pid), "x"),
    ]
    for name in (dead, *others):
        (tmp_path / name).write_text("half")
    with written_whole(path) as part:
        part.write_text("whole")
    assert {file.name for file in tmp_path.iterdir()} == {"file.txt", *others}
