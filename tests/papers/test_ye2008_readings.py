"""The readings of what the print leaves open, small."""

import numpy as np
import pytest

from kernelweave_papers.ye2008 import readings


@pytest.fixture
def table(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(240) % 2
    X = rng.normal(size=(240, 3)) + y[:, None]
    monkeypatch.setattr(readings, "load_table", lambda _: (X, y))
    return X, y


def test_printed_weights_are_those_of_silp():
    theta = readings.printed_weights("heart")
    assert theta[0] == 0.742 and theta[-1] == 0.137 and theta.shape == (10,)
    assert readings.printed_weights("USPS(3)")[-1] == 0.499


def test_two_scalings_are_one_reading(table):
    rows = readings.by_width("heart", splits=1, factors=(0.25, 1.0))
    assert len(rows) == 12
    by = {(r["scaling"], r["power"], r["factor"]): r for r in rows}
    # Half the range is a quarter of the squared distances.
    wide, narrow = by["[-1, 1]", 1, 1.0], by["[0, 1]", 1, 0.25]
    assert np.isclose(wide["distance"], narrow["distance"])
    assert len({round(r["distance"], 6) for r in rows}) > 6
    away = np.abs(wide["weights"] - readings.printed_weights("heart"))
    assert np.isclose(wide["distance"], away.sum())


def test_rows_drawn_or_first(table, monkeypatch):
    monkeypatch.setattr(readings, "features", lambda _, X: X)
    rows = readings.by_rows("segment(2)", draws=1, blocks=1, splits=1)
    assert [row["rows"] for row in rows] == ["block 0", "draw 0"]
    assert all(60 < row["accuracy"] <= 100 for row in rows)
    # Of 200 rows, all are in the first block.
    first, drawn = readings.by_rows("segment(2)", draws=1, splits=1, until=200)
    assert first["accuracy"] == rows[0]["accuracy"] != drawn["accuracy"]


def test_smoothing_changes_the_weights(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    images = rng.normal(size=(90, 64)) + np.kron(np.eye(3), np.ones(64))[y, ::3]
    monkeypatch.setattr(readings, "load_table", lambda _: (images, y))
    none, some = readings.by_smoothing("USPS(3)", (0.0, 0.75), splits=1)
    assert (none["sigma"], some["sigma"]) == (0.0, 0.75)
    away = np.abs(some["weights"] - readings.printed_weights("USPS(3)")).sum()
    assert np.isclose(some["distance"], away)
    assert not np.allclose(none["weights"], some["weights"], atol=0.01)
