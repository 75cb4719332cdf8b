"""The engine behind `kernelweave reproduce`, on made-up tables and small real ones."""

import csv
import json
import math
import re
import signal

import pytest

from kernelweave.cli import main
from kernelweave_papers import (
    command,
    comparison,
    output,
    page,
    reproduce,
    sections,
    splits,
)
from kernelweave_papers.comparison import difference_error, tally, verdict
from kernelweave_papers.data import missing
from kernelweave_papers.table import Cell, Table

PRINTED = {
    "table1": {
        "caption": "Made up",
        "splits": 9,
        "cells": {
            "near": {"A": {"mean": 85.0, "sd": 3.0}},
            "high": {"A": {"mean": 87.0, "sd": 3.0}},
            "low": {"A": {"mean": 79.0, "sd": 3.0}},
            "other": {"A": {"mean": 50.0}},
        },
    },
    "figure1": {"caption": "A curve.", "x": "n", "y": "error"},
}


class Engine:
    """A paper `fake` with a table and a figure, and what was asked of it."""

    def __init__(self):
        self.calls = []
        self.stop_at = None
        self.tables = {
            "table1": Table("made up", "accuracy", 4, (), self.run, self.small),
            "figure1": Table("a curve", "curve", 2, (), self.curve),
        }

    def run(self, split):
        self.calls.append(split)
        if split == self.stop_at:
            raise KeyboardInterrupt
        value = 80.0 + 2 * split
        return [Cell(row, "A", value) for row in ("near", "high", "low", "new")]

    def small(self, split):
        self.calls.append(("small", split))
        return [Cell("near", "A", 80.0 + split)]

    def curve(self, split):
        return [
            Cell(f"{panel}: {name}", str(n), 1 / n + split)
            for panel in ("left", "right")
            for name in ("ours", "theirs")
            for n in (1, 10, 1000)
        ]


@pytest.fixture
def engine(monkeypatch):
    fake = Engine()

    def read_toml(paper, file):
        notes = {"table1": {"text": "Because of the weather."}}
        return PRINTED if file == "printed.toml" else notes

    for module in (reproduce, page, command):
        monkeypatch.setattr(module, "all_tables", lambda: {"fake": fake.tables})
    for module in (reproduce, page, sections):
        monkeypatch.setattr(module, "read_toml", read_toml)
    monkeypatch.setattr(page, "JUDGED", {"fake": ("table1", "table2")})
    return fake


def _run(out, name="table1", **options):
    return reproduce.reproduce("fake", name, out, **options)


def _cell(result, row):
    (found,) = [cell for cell in result.cells if cell.row == row]
    return found


def test_error_of_a_difference():
    # 20/3/4 + 9/9 = 8/3; one deviation stands for both where the other is not known.
    assert difference_error(math.sqrt(20 / 3), 4, 3.0, 9) == pytest.approx(1.6329932)
    assert difference_error(None, 1, 3.0, 9) == pytest.approx(3 * math.sqrt(10) / 3)
    assert difference_error(2.0, 4, None, 16) == pytest.approx(math.sqrt(1.25))
    assert difference_error(None, 1, None, 9) is None


@pytest.mark.parametrize(
    ("mean", "printed", "error", "said"),
    [
        (83.0, 85.0, 1.0, "within"),
        (82.9, 85.0, 1.0, "below"),
        (87.1, 85.0, 1.0, "above"),
        (273.0, 273.0, 0.0, "within"),
        (272.0, 273.0, 0.0, "below"),
        (83.0, None, None, "not printed"),
        (None, 85.0, None, "not run"),
        (83.0, 85.0, None, "no spread"),
    ],
)
def test_verdicts(mean, printed, error, said):
    assert verdict(mean, printed, error) == said


def test_a_table_beside_the_printed_one(engine, tmp_path):
    result = _run(tmp_path)
    near = _cell(result, "near")
    # 80, 82, 84, 86.
    assert (near.mean, near.splits, near.printed, near.difference) == (83, 4, 85, -2)
    assert near.sd == pytest.approx(2.5819889)
    assert near.error == pytest.approx(1.2909944)
    assert near.difference_error == pytest.approx(1.6329932)
    verdicts = {cell.row: cell.verdict for cell in result.cells}
    assert verdicts == {
        "near": "within",
        "high": "below",
        "low": "above",
        "new": "not printed",
        "other": "not run",
    }
    assert tally(result.cells, "accuracy")["within"] == 1
    assert tally(result.cells, "count") == {}


def test_the_kind_of_a_column():
    table = Table("t", "accuracy", 1, (), lambda _: [])
    assert table.kind_of("GMKL") == "accuracy"
    assert table.kind_of("GMKL kernels") == "count"
    assert table.kind_of("seconds") == "seconds"
    with pytest.raises(ValueError, match="kind 'guess'"):
        Table("t", "guess", 1, (), lambda _: [])


def test_finished_splits_are_not_run_again(engine, tmp_path):
    seen = []
    _run(tmp_path, splits=2, progress=lambda *args: seen.append(args[:2]))
    assert engine.calls == [0, 1] and seen == [(1, 2), (2, 2)]
    result = _run(tmp_path)
    assert engine.calls == [0, 1, 2, 3] and result.splits == 4
    # Fewer of them: the first ones, without running anything.
    assert _cell(_run(tmp_path, splits=2), "near").mean == 81
    assert engine.calls == [0, 1, 2, 3]


def test_an_interruption_keeps_what_is_finished(engine, tmp_path):
    engine.stop_at = 2
    with pytest.raises(KeyboardInterrupt):
        _run(tmp_path)
    folder = tmp_path / "fake-table1"
    assert sorted(f.name for f in folder.glob("*split*")) == [
        "split-0.json",
        "split-1.json",
    ]
    engine.stop_at = None
    assert _cell(_run(tmp_path), "near").mean == 83
    assert engine.calls == [0, 1, 2, 2, 3]


def test_a_solver_that_survives_an_interruption_is_not_kept(tmp_path):
    def run(_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return [Cell("best", "so far", 0.0)]
        return [Cell("never", "reached", 0.0)]

    table = Table("t", "accuracy", 1, (), run)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            splits.run_splits(table, tmp_path, 1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_is_named(engine, tmp_path):
    _run(tmp_path)
    (tmp_path / "fake-table1" / "split-1.json").write_text('{"row": "near"')
    with pytest.raises(ValueError, match=r"split-1\.json cannot be read .*delete it"):
        _run(tmp_path)


def test_the_smaller_form_has_a_folder_of_its_own(engine, tmp_path):
    result = _run(tmp_path, quick=True)
    assert engine.calls == [("small", 0), ("small", 1)]
    assert result.quick and _cell(result, "near").mean == 80.5
    assert result.command == "kernelweave reproduce fake table1 --quick"
    assert _run(tmp_path).command == "kernelweave reproduce fake table1"
    assert _run(tmp_path, splits=3).command.endswith("table1 --splits 3")
    assert (tmp_path / "fake-table1-quick" / "split-1.json").is_file()


def test_the_smaller_form_says_that_it_is_not_comparable(engine, tmp_path, capsys):
    for options, said in ((["--quick"], True), ([], False)):
        _, out, _ = _cli(capsys, "fake", "table1", *options, "--out", tmp_path)
        assert ("NOT comparable with print" in out) is said
        if said:
            # Before it counts.
            counts = re.search(r"\d (within|above|below)", out)
            assert counts and out.index("NOT comparable") < counts.start()


def test_warnings_of_the_splits_come_through(tmp_path):
    def run(split):
        import warnings

        warnings.warn("not converged", UserWarning, stacklevel=1)
        return [Cell("a", "b", split)]

    with pytest.warns(UserWarning, match="not converged") as caught:
        splits.run_splits(Table("t", "count", 3, (), run), tmp_path, 3)
    assert len(caught) == 1
    assert len(splits.read_splits(tmp_path)) == 3


def test_an_error_says_where(tmp_path):
    def run(split):
        raise ValueError("singular")

    with pytest.raises(ValueError, match="some table, split 0: singular"):
        splits.run_splits(Table("some table", "count", 3, (), run), tmp_path, 3)
    with pytest.raises(ValueError, match="split 0 gave no numbers"):
        splits.run_splits(Table("t", "count", 3, (), lambda _: []), tmp_path, 3)


def _with_data(engine, *data):
    table = Table("made up", "accuracy", 4, data, engine.run)
    engine.tables["table1"] = table


def test_no_data_at_all(engine, tmp_path):
    _with_data(engine, "no such set", "nor this")
    result = _run(tmp_path)
    assert engine.calls == [] and result.splits == 0
    assert result.reason == "not available: no such set, nor this"
    assert {cell.verdict for cell in result.cells} == {"not run"}


def test_some_data_sets_missing(engine, tmp_path):
    assert missing(["iris", "no such set"]) == ["no such set"]
    _with_data(engine, "iris", "no such set")
    result = _run(tmp_path, splits=2)
    assert result.missing == ["no such set"] and result.splits == 2
    # Now it is there: the finished splits lack its rows.
    _with_data(engine, "iris")
    with pytest.raises(ValueError, match=r"no such set.*--out"):
        _run(tmp_path)
    assert engine.calls == [0, 1]


def test_a_table_that_cannot_do_without(engine, tmp_path):
    def run(_):
        raise FileNotFoundError("the data set 'no such set' is not here")

    engine.tables["table1"] = Table("t", "accuracy", 4, ("iris", "no such set"), run)
    result = _run(tmp_path)
    assert result.reason.startswith("the data set 'no such set'")
    # If all sets are here it is another file that is not.
    engine.tables["table1"] = Table("t", "accuracy", 4, ("iris",), run)
    with pytest.raises(FileNotFoundError):
        _run(tmp_path)


def test_small_weights_keep_their_digits():
    assert output.number(5e-4, "weights") == "5.0e-04"
    assert output.number(0.25, "weights", sign=True) == "+0.250"
    assert (
        output.number(0.0, "weights") == "0.000" and output.number(None, "count") == ""
    )


def test_csv_and_json(engine, tmp_path):
    result = _run(tmp_path)
    table, facts = output.write_files(result, tmp_path)
    with table.open(encoding="utf-8") as lines:
        rows = {row["row"]: row for row in csv.DictReader(lines)}
    assert float(rows["near"]["mean"]) == 83 and rows["near"]["verdict"] == "within"
    assert rows["other"]["mean"] == "" and rows["new"]["printed"] == ""
    read = json.loads(facts.read_text(encoding="utf-8"))
    assert read["verdicts"]["below"] == 1 and read["printed_splits"] == 4
    assert read["cells"][0]["difference"] == -2


def test_a_figure_and_its_caption(engine, tmp_path):
    result = _run(tmp_path, "figure1")
    files = output.write_files(result, tmp_path)
    assert [f.name for f in files[2:]] == ["figure.png", "caption.txt"]
    assert files[2].read_bytes().startswith(b"\x89PNG") and len(files) == 4
    assert files[3].read_text(encoding="utf-8") == (
        "A curve: mean of 2 runs, with its standard error. In print: A curve.\n"
    )


def _cli(capsys, *arguments):
    code = main(["reproduce", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_command_runs_a_table(engine, tmp_path, capsys):
    code, out, err = _cli(capsys, "fake", "table1", "--out", tmp_path)
    assert code == 0
    lines = out.splitlines()
    assert max(map(len, lines)) < 80
    (near,) = [line.split() for line in lines if line.startswith("near")]
    assert near == ["near", "A", "83.00", "±", "1.29", "85.00", "-2.00", "within"]
    assert "1 within, 1 below, 1 above, 1 not printed, 1 not run" in out
    assert "table.csv" in err
    code, out, _ = _cli(capsys, "fake", "--out", tmp_path, "--json")
    assert [facts["table"] for facts in json.loads(out)] == ["table1", "figure1"]
    assert engine.calls == [0, 1, 2, 3]


def test_a_table_that_fails_does_not_stop_the_others(engine, tmp_path, capsys):
    def run(_):
        raise ValueError("singular")

    engine.tables["table1"] = Table("made up", "accuracy", 4, (), run)
    code, out, err = _cli(capsys, "all", "--out", tmp_path)
    assert code == 2 and "fake figure1" in out
    assert "fake table1: made up, split 0: singular" in err


def test_where_nothing_can_be_run(engine, tmp_path, capsys):
    _with_data(engine, "no such set")
    code, out, err = _cli(capsys, "fake", "table1", "--out", tmp_path)
    assert code == 2 and "not run: not available: no such set" in out
    said = " ".join(err.split())
    assert "nothing was run: not available: no such set;" in said
    assert "load_table('no such set') says" in said and "wrote" not in err
    assert not list(tmp_path.rglob("table.*"))
    # The other table can be run.
    code, _, err = _cli(capsys, "fake", "--out", tmp_path)
    assert code == 0 and "nothing was run" not in err
    assert len(list(tmp_path.rglob("table.csv"))) == 1


def test_the_list_says_what_would_have_to_be_fetched(engine, monkeypatch, capsys):
    monkeypatch.delenv("KERNELWEAVE_DATA", raising=False)
    for data, state in (
        (("iris",), "here"),
        (("sonar",), "OpenML"),
        (("sonar", "no such set"), "OpenML"),
        (("iris", "sonar"), "some"),
        (("no such set",), "missing"),
    ):
        _with_data(engine, *data)
        _, out, err = _cli(capsys)
        (line,) = [line.split() for line in out.splitlines() if "table1" in line]
        assert line[3] == state
        assert ("from OpenML, unless fetched before: sonar" in err) == ("sonar" in data)
    _, out, _ = _cli(capsys, "--json")
    assert json.loads(out)[0]["to_fetch"] == []


def test_command_lists_the_tables(capsys):
    code, out, _ = _cli(capsys)
    lines = out.splitlines()
    assert code == 0 and max(map(len, lines)) < 80
    listed = {tuple(line.split()[:2]) for line in lines}
    assert {("yang2011", "table5"), ("hao2012", "table1"), ("yan2012", "table2")} < (
        listed
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "there is no paper 'nobody'; there are "),
        (["yang2011", "table99"], "yang2011 has no 'table99' here; it has table4"),
        (["yang2011", "table4", "--splits", "0"], "at least 1"),
        (["--write-docs", "no such folder"], "there is no folder"),
    ],
)
def test_command_says_what_to_correct(arguments, said, tmp_path, capsys):
    code, out, err = _cli(capsys, *arguments, "--out", tmp_path)
    assert code == 2 and out == "" and said in err and err.count("\n") == 1


def test_the_page(engine, tmp_path, capsys):
    _run(tmp_path / "results")
    _run(tmp_path / "results", "figure1", quick=True)
    _with_data(engine, "no such set")
    engine.tables["table2"] = engine.tables["table1"]
    _run(tmp_path / "results", "table2")
    engine.tables["table1"] = Table("made up", "accuracy", 4, (), engine.run)
    file = tmp_path / "docs" / "reproduction.md"
    arguments = ("--write-docs", tmp_path / "results", "--page", file)
    assert _cli(capsys, *arguments)[0] == 0
    text = file.read_text(encoding="utf-8")
    assert "| near | 83.00 ± 1.29 (85.00) |" in text
    assert "| high | 83.00 ± 1.29 (87.00) ▼ |" in text
    assert "| low | 83.00 ± 1.29 (79.00) ▲ |" in text
    assert "| fake | table1 | 4 of 4 | 1 | 1 | 1 | 67% |" in text
    assert "    kernelweave reproduce fake table1\n" in text
    assert "Because of the weather." in text
    assert "Not run: not available: no such set." in text
    assert "(reproduction/fake-figure1.png)" in text and "smaller form" in text
    assert (tmp_path / "docs" / "reproduction" / "fake-figure1.png").is_file()
    # Counted, and where curves lie.
    assert "Of 3 printed accuracies 2, or 66.7%, are" in text
    assert "those of 1 of 2 tables" in text
    assert "| left: ours | 0.501 | 1.5 | 0.001 | 2 |" in text
    # Written again it is the same.
    _cli(capsys, *arguments)
    assert file.read_text(encoding="utf-8") == text


def test_a_disagreement_without_a_paragraph_is_said(engine, tmp_path, monkeypatch):
    _run(tmp_path)
    said = "Nobody has looked yet for the reason"
    file = tmp_path / "page.md"
    page.write_page(tmp_path, file)
    assert said not in file.read_text(encoding="utf-8")
    monkeypatch.setattr(sections, "read_toml", lambda *_: {})
    page.write_page(tmp_path, file)
    assert said in file.read_text(encoding="utf-8")


def test_weights_and_seconds_have_tables_of_their_own(engine, tmp_path, capsys):
    def learn(_):
        return [Cell("SILP", "θ1", 0.25), Cell("SILP", "θ2", 0.75)]

    def time(_):
        return [Cell("slow", "iris", 6.0), Cell("fast", "iris", 1.5)]

    engine.tables = {
        "weights": Table("weights", "weights", 1, (), learn),
        "times": Table("times", "seconds", 1, (), time, unit="fast"),
    }
    PRINTED["weights"] = {"cells": {"SILP": {"θ1": {"mean": 0.5}, "θ2": {"mean": 0.5}}}}
    try:
        _, out, _ = _cli(capsys, "fake", "weights", "--out", tmp_path)
        assert "SILP   0.894    0.750  θ2       θ1" in out
        _, out, _ = _cli(capsys, "fake", "times", "--out", tmp_path)
        assert "as multiples of fast" in out and "slow     4" in out
        page.write_page(tmp_path, tmp_path / "page.md")
        text = (tmp_path / "page.md").read_text(encoding="utf-8")
        assert "| SILP | 0.894 | 0.750 | θ2 (θ1) |" in text
        assert "| slow | 4 | 4 |" in text
    finally:
        del PRINTED["weights"]


def test_the_tables_that_are_counted_are_tables_of_accuracies():
    for paper, names in page.JUDGED.items():
        tables = reproduce.all_tables()[paper]
        printed = comparison.read_toml(paper, "printed.toml")
        for name in names:
            columns = {c for row in printed[name]["cells"].values() for c in row}
            assert "accuracy" in {tables[name].kind_of(c) for c in columns}, name


REAL = [(p, n, t) for p, n, t in reproduce.find("all")]


@pytest.mark.parametrize("paper", sorted({paper for paper, _, _ in REAL}))
def test_printed_numbers_have_their_places(paper):
    tables = reproduce.all_tables()[paper]
    printed = comparison.read_toml(paper, "printed.toml")
    sections = {name: s for name, s in printed.items() if "cells" in s}
    assert sections and set(sections) <= set(tables)
    for section in sections.values():
        cells = [c for columns in section["cells"].values() for c in columns.values()]
        assert cells and all(set(c) <= {"mean", "sd"} for c in cells)
        assert all(math.isfinite(value) for c in cells for value in c.values())
    notes = comparison.read_toml(paper, "notes.toml")
    assert set(notes) <= set(tables)
    assert all(note["text"].strip() for note in notes.values())


SMALL = [
    ("yan2012", "figure1"),
    ("yang2011", "figure2"),
    ("hao2012", "table2"),
    ("hao2012", "figure2"),
    ("yan2012", "figure5"),
    ("ye2008", "table9"),
    ("kim2006", "table1"),
]


@pytest.mark.parametrize(("paper", "name"), SMALL)
def test_quick(paper, name, tmp_path, capsys):
    ((_, _, table),) = reproduce.find(paper, name)
    if table.data and missing(table.data[:1]):
        pytest.skip(f"{table.data[0]} is not here")
    arguments = (paper, name, "--quick", "--splits", 1, "--out", tmp_path, "--json")
    code, out, _ = _cli(capsys, *arguments)
    (facts,) = json.loads(out)
    assert code == 0 and facts["splits"] == 1 and facts["not_run"] == ""
    values = [cell["mean"] for cell in facts["cells"] if cell["verdict"] != "not run"]
    assert len(values) >= 4 and all(map(math.isfinite, values))
    # The same split gives the same numbers, but for seconds.
    ((_, _, again),) = reproduce.find(paper, name)
    cells = (again.quick or again.run)(0)
    assert [cell.value for cell in cells] == pytest.approx(values)


def test_two_at_a_time_give_the_same(tmp_path):
    one = reproduce.reproduce("yan2012", "figure1", tmp_path / "1", 3, quick=True)
    two = reproduce.reproduce(
        "yan2012", "figure1", tmp_path / "2", 3, quick=True, jobs=2
    )
    assert one.splits == two.splits == 3
    assert [c.mean for c in one.cells] == pytest.approx([c.mean for c in two.cells])


def test_the_tables_are_those_of_the_protocols():
    from kernelweave_papers import hao2012, yan2012

    rows = yan2012.simulation([1, 5, 20], 3)
    quick = yan2012.TABLES["figure1"].quick
    assert quick is not None
    cells = quick(2)
    expected = [row["error"] for row in rows if row["repeat"] == 2]
    got = [c.value for c in cells if c.row.startswith("error")]
    assert got == expected and len(got) == 6
    if missing(["sonar"]):
        pytest.skip("sonar is not here")
    rows = hao2012.six_sets(["sonar"], 2, (0.01, 1.0))
    chosen = {row["method"]: row["lam"] for row in rows}
    again = hao2012.six_sets(["sonar"], 1, first=1, chosen=chosen)
    assert again == rows[2:]
