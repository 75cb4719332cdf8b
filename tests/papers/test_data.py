"""Which data sets of the papers are here."""

import pytest

from kernelweave import openml
from kernelweave.openml import SOURCES, Source
from kernelweave_papers.data import _fetched, missing, to_fetch


@pytest.fixture(autouse=True)
def tiny(monkeypatch, tmp_path):
    """A data set that OpenML alone has."""
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    monkeypatch.setitem(SOURCES, "tiny", Source(99, "0", {}))
    _fetched.cache_clear()
    yield
    _fetched.cache_clear()


def test_what_nobody_has():
    assert missing(["iris", "nothing"]) == ["nothing"]


def test_what_can_be_fetched(monkeypatch):
    monkeypatch.setattr("kernelweave.datasets.download", lambda name: ([[1.0]], [0]))
    assert missing(["tiny", "nothing"]) == ["nothing"]


def test_without_a_network():
    with pytest.raises(OSError, match="no network"):
        openml._fetch(99)
    assert missing(["tiny"]) == ["tiny"]
    assert missing(["tiny"], download=False) == []
    assert to_fetch(["iris", "tiny", "nothing"]) == ["tiny"]
