"""The printed numbers: complete, and such as they can be."""

import numpy as np
import pytest

from kernelweave_papers.comparison import read_toml
from kernelweave_papers.table import Table
from kernelweave_papers.ye2008 import TABLES, protocol, tasks, timing

COLUMNS = [f"θ{j}" for j in range(1, 11)]


@pytest.fixture(scope="module")
def printed():
    return read_toml("ye2008", "printed.toml")


def test_every_table_is_printed_and_every_print_is_a_table(printed):
    assert set(TABLES) == set(printed) - {"paper"}
    assert all(isinstance(table, Table) for table in TABLES.values())
    wanted = {f"table{i}" for i in range(2, 18)} | {"figure1", "figure3", "figure4"}
    assert wanted <= set(TABLES)


@pytest.mark.parametrize("number", range(2, 16))
def test_printed_tables_are_complete_and_plausible(number, printed):
    rows = printed[f"table{number}"]["cells"]
    methods = protocol.TWELVE if number < 6 else protocol.EIGHT
    alone = tuple(protocol.ALONE.values()) if number < 6 else ()
    assert tuple(rows) == methods + alone
    for name, row in rows.items():
        if name in alone:
            assert list(row) == [f"{c} accuracy" for c in COLUMNS]
            assert all(50 < cell["mean"] < 100 for cell in row.values())
            continue
        values = np.array([row[c]["mean"] for c in COLUMNS])
        total = values.sum()
        if name in protocol.RIVALS:
            assert total == 30
        elif name in protocol.MACHINES:
            assert 9.3 < total < 11.01
        else:
            lam = row["λ/C" if number < 6 else "λ"]["mean"]
            assert 0.7 < total < 1.009 and 0 < lam < 0.2
            # Ten roundings to three digits.
            if not name.endswith(",λ"):
                assert abs(total - 1) <= 0.006, name
        accuracy = row["accuracy"]
        assert 70 < accuracy["mean"] < 100 and 0.4 < accuracy["sd"] < 7


def test_printed_times_and_support_vectors(printed):
    times = printed["table16"]["cells"]
    assert set(times) == set(timing.ALL) - {"Newton_θ", "Newton_θ,λ"}
    for row in times.values():
        assert list(row) == list(tasks.MULTICLASS)
    for name in tasks.MULTICLASS:
        column = [times[m][name]["mean"] for m in ("SDP_θ", "QCQP_θ", "SILP_θ")]
        assert column == sorted(column, reverse=True)
    for name, row in printed["table17"]["cells"].items():
        assert name in tasks.BINARY
        for method in protocol.MACHINES:
            share = row[f"{method} vectors"]["mean"] / row["training size"]["mean"]
            # The print rounds the number to a tenth.
            assert abs(100 * share - row[f"{method} PCT"]["mean"]) < 0.05
