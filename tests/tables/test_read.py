"""Tables from files: strict, and every refusal is one line with a remedy."""

import gzip

import pandas as pd
import pytest

from kernelweave.tables import TableError, read_table


def written(tmp_path, content, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.csv", b"a,b\n1,x\n2.5,y\n"),
        ("table.csv", b"\xef\xbb\xbfa,b\r\n1,x\r\n\r\n2.5,y"),
        ("table.csv", b'a , "b"\n1,x\n2.5,"y"\n'.replace(b' "b"', b'"b"')),
        ("table.tsv", b"a\tb\n1\tx\n2.5\ty\n"),
        ("TABLE.CSV", b"a,b\n1,x\n2.5,y\n"),
        ("TABLE.CSV.GZ", gzip.compress(b"a,b\n1,x\n2.5,y\n", mtime=0)),
        ("table.csv.gz", gzip.compress(b"a,b\n1,x\n2.5,y\n", mtime=0)),
    ],
)
def test_texts(tmp_path, name, content):
    table = read_table(written(tmp_path, content, name))
    assert table.to_dict("list") == {"a": [1.0, 2.5], "b": ["x", "y"]}


@pytest.mark.parametrize("mark", [b"", b"\xff\xfe"])
def test_utf_16_is_named(tmp_path, mark):
    path = written(tmp_path, mark + "a,b\n1,x\n2,y\n".encode("utf-16-le"))
    with pytest.raises(TableError, match=r"UTF-8.*save it as CSV UTF-8"):
        read_table(path)


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"a": [1.0, 2.5], "b": ["x", "y"]})
    table.to_parquet(tmp_path / "table.parquet")
    assert read_table(tmp_path / "table.parquet").equals(table)
    with pytest.raises(TableError, match="no Parquet file"):
        read_table(written(tmp_path, b"PAR1", "cut.parquet"))


def test_numbers_are_read_exactly(tmp_path):
    value = 0.1 + 0.2
    assert read_table(written(tmp_path, f"a\n{value!r}\n"))["a"].tolist() == [value]


def test_ids_stay_text(tmp_path):
    path = written(tmp_path, "sample,a\n007,1\n7,2\n")
    assert read_table(path, id="sample")["sample"].tolist() == ["007", "7"]
    assert read_table(path)["sample"].tolist() == [7, 7]
    assert read_table(path, text=["a", "b"])["a"].tolist() == ["1", "2"]


def test_a_first_column_without_a_name(tmp_path):
    assert list(read_table(written(tmp_path, ",a\ns1,1\ns2,2\n"))) == ["index", "a"]


def test_quoted_fields(tmp_path):
    table = read_table(written(tmp_path, 'a,b\n1,"x, y"\n2,"two\nlines"\n'))
    assert table["b"].tolist() == ["x, y", "two\nlines"]


BAD = [
    ("a,b\n1,2\n3\n", "line 3: 1 fields, but the header has 2; put text .* comma"),
    ("a,b\n1,2,3\n", "line 2: 3 fields, but the header has 2"),
    ('a,b\n1,"2\n3,4\n', "after line 1: .*is a quote missing"),
    ("", "is empty"),
    ("\n\n", "has a blank first line"),
    ("\na,b\n1,2\n", "has a blank first line"),
    (",,\n1,2,3\n", "has a blank first line"),
    ("a,b\n", "has a header, but no rows"),
    ("a,a\n1,2\n", r"two columns are called 'a' \(1 and 2\): rename one"),
    ("a,,b\n1,2,3\n", "column 2 has no name"),
    ("a;b\n1;2\n", "separated by semicolons: save it with commas"),
    ("a\tb\n1\t2\n", "separated by tabs"),
    (b"a,b\n1,\xff\xfe\n", "not UTF-8"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_malformed(tmp_path, content, message):
    path = written(tmp_path, content)
    with pytest.raises(TableError, match=message) as error:
        read_table(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_other_files(tmp_path):
    with pytest.raises(TableError, match="there is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(TableError, match="is a folder, not a table"):
        read_table(tmp_path)
    with pytest.raises(TableError, match=r"a table is a \.csv, \.tsv, \.parquet"):
        read_table(written(tmp_path, "a\n1\n", "table.xls"))
    cut = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-20]
    with pytest.raises(TableError, match="damaged or cut short"):
        read_table(written(tmp_path, cut, "table.csv.gz"))


def test_rows_without_an_id(tmp_path):
    with pytest.raises(TableError, match="1 rows have no 'sample': fill in"):
        read_table(written(tmp_path, "sample,a\ns1,1\n,2\n"), id="sample")
