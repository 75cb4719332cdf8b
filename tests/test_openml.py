"""Data sets from OpenML: a stubbed download, and scikit-learn's own files, local."""

import gzip
import hashlib
import json
from types import SimpleNamespace

import numpy as np
import pytest

from kernelweave import openml
from kernelweave.datasets import load_table
from kernelweave.openml import SOURCES, Source, checksum

fetch = openml._fetch

ARFF = """@relation tiny
@attribute size numeric
@attribute kind {3, 1, 2}
@attribute class {no, yes}
@data
0.5, 3, no
1.5, 2, yes
?, 1, yes
-0.0, 1, yes
"""
X = np.array([[0.5, 3], [1.5, 2], [0, 1]])
y = np.array([0, 1, 1])


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))

    def known(sha256, labels=(("no", 0), ("yes", 1))):
        source = Source(99, sha256, dict(labels))
        monkeypatch.setitem(SOURCES, "tiny", source)

    return known


def _found(target=("no", "yes", "yes", "yes")):
    data = [[0.5, 0], [1.5, 2], [np.nan, 1], [-0.0, 1]]
    return SimpleNamespace(
        data=np.array(data),
        feature_names=["size", "kind"],
        categories={"kind": ["3", "1", "2"], "class": ["no", "yes"]},
        target=np.array(target, dtype=object),
    )


def test_what_is_known_is_taken(tiny, monkeypatch):
    tiny(checksum(X, y))
    monkeypatch.setattr(openml, "_fetch", lambda number: _found())
    got = load_table("tiny")
    assert np.array_equal(got[0], X) and np.array_equal(got[1], y)


def test_what_is_not_is_refused(tiny, monkeypatch):
    tiny(checksum(X, y))
    other = _found()
    other.data[0, 0] = 0.6
    monkeypatch.setattr(openml, "_fetch", lambda number: other)
    with pytest.raises(FileNotFoundError, match=r"'tiny' is not here.*99.*sha256"):
        load_table("tiny")
    monkeypatch.setattr(
        openml, "_fetch", lambda number: _found(("no", "yes", "yes", "perhaps"))
    )
    with pytest.raises(FileNotFoundError, match="classes perhaps"):
        load_table("tiny")


def test_without_a_network(tiny):
    tiny(checksum(X, y))
    with pytest.raises(FileNotFoundError, match=r"99 of OpenML.*no network"):
        load_table("tiny")


def test_the_checksum_is_of_values_and_order():
    same = checksum(X, y)
    assert checksum(X * (1 + 1e-9), y) == same
    assert checksum(X + 1e-3, y) != same
    assert checksum(X[::-1], y[::-1]) != same
    assert checksum(X, 1 - y) != same


def test_the_files_of_openml(tiny, monkeypatch, tmp_path):
    """What scikit-learn downloaded before is read again, without a network."""
    tiny(checksum(X, y))
    monkeypatch.setattr(openml, "_fetch", fetch)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    description = {
        "id": "99",
        "name": "tiny",
        "version": "1",
        "description": "",
        "format": "ARFF",
        "status": "active",
        "file_id": "99",
        "default_target_attribute": "class",
        "url": "https://www.openml.org/data/v1/download/99/tiny.arff",
        "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
    }
    flags = ("is_target", "is_ignore", "is_row_identifier")
    usual = {"number_of_missing_values": "0"} | dict.fromkeys(flags, "false")
    kind = {"data_type": "nominal", "nominal_value": ["3", "1", "2"]}
    target = {"data_type": "nominal", "nominal_value": ["no", "yes"]}
    features = [
        usual | {"index": "0", "name": "size", "data_type": "numeric"},
        usual | {"index": "1", "name": "kind"} | kind,
        usual | {"index": "2", "name": "class", "is_target": "true"} | target,
    ]
    answers = {
        "api/v1/json/data/99": {"data_set_description": description},
        "api/v1/json/data/features/99": {"data_features": {"feature": features}},
        "api/v1/json/data/qualities/99": {
            "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "4"}]}
        },
    }
    texts = {path: json.dumps(answer) for path, answer in answers.items()}
    for path, text in (texts | {"data/v1/download/99/tiny.arff": ARFF}).items():
        file = tmp_path / "home" / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(text.encode()))
    got = load_table("tiny")
    assert np.array_equal(got[0], X) and np.array_equal(got[1], y)


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_the_checksums_are_those_of_the_folder(name):
    try:
        table = load_table(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert checksum(*table) == SOURCES[name].sha256
