"""The readings of what the print leaves open, small."""

import numpy as np
import pytest

from kernelweave.papers.ye2008 import readings


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
    rows = readings.by_rows("segment(2)", draws=2, splits=1)
    assert [row["rows"] for row in rows] == ["first", "0", "1"]
    assert all(60 < row["accuracy"] <= 100 for row in rows)
