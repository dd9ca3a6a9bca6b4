"""Tables as people have them, with pyarrow and without."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from learnable import DataError, ParameterError, read_table
from learnable.datasets._reading import delimited_text

PLAIN = "name,size,day,y\nann,1.5,2024-01-31,3\nbob,,2024-02-29,6\ncy,8.5,,9\n"


@pytest.fixture(params=["pyarrow", "python"], autouse=True)
def reader(request: Any, monkeypatch: Any) -> str:
    """Every test runs with both readers of separated values."""
    if request.param == "python":
        monkeypatch.setattr(delimited_text, "columns_of_text", delimited_text.columns_in_python)
        monkeypatch.setattr("learnable.datasets.reading.columns_of_text", delimited_text.columns_in_python)
    return request.param


def written(folder: Path, content: str | bytes, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", PLAIN.encode()),
        ("rows.csv", b"\xef\xbb\xbf" + PLAIN.encode()),
        ("rows.csv", PLAIN.encode("utf-16")),
        ("rows.csv", PLAIN.replace("\n", "\r\n").encode()),
        ("rows.csv", PLAIN.replace(",", ";").encode()),
        ("rows.csv", PLAIN.replace(",", ";").replace(".", ",").encode()),
        ("rows.csv", PLAIN.replace(",", "|").encode()),
        ("rows.csv", PLAIN.replace(",", "^").encode()),
        ("rows.txt", PLAIN.replace(",", "\t").encode()),
        ("rows.tsv", PLAIN.replace(",", "\t").encode()),
        ("rows.csv.gz", gzip.compress(PLAIN.encode(), mtime=0)),
        ("rows.tsv.gz", gzip.compress(PLAIN.replace(",", "\t").encode(), mtime=0)),
        ("rows.csv", PLAIN.replace("ann", '"ann"').encode()),
    ],
)
def test_separated_values_in_every_dialect(tmp_path: Path, name: str, content: bytes) -> None:
    table = read_table(written(tmp_path, content, name), target="y")
    assert dict(table.types) == {"name": "categorical", "size": "continuous", "day": "time", "y": "integer"}
    assert table.columns["name"].tolist() == ["ann", "bob", "cy"]
    np.testing.assert_array_equal(table.columns["size"], [1.5, np.nan, 8.5])
    assert table.columns["day"].astype("datetime64[D]").astype(str).tolist() == ["2024-01-31", "2024-02-29", "NaT"]
    assert table.y.tolist() == [3, 6, 9] and table.notes == []


def test_latin_text_is_noted(tmp_path: Path) -> None:
    path = written(tmp_path, "ort,n\nKöln,1\nLübeck,2\nGöß,3\n".encode("latin-1"))
    table = read_table(path)
    assert table.columns["ort"].tolist() == ["Köln", "Lübeck", "Göß"]
    assert "read as cp1252" in repr(table)
    assert read_table(path, encoding="latin-1").notes == []
    with pytest.raises(DataError, match="give its encoding"):
        read_table(path, encoding="utf-8")


def test_signs_of_windows_are_letters(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "preis in €,ort\n1,Köln–Süd\n2,“Göß”\n".encode("cp1252")))
    assert table.columns["ort"].tolist() == ["Köln–Süd", "“Göß”"] and "preis in €" in table.columns
    assert "read as latin-1" in repr(read_table(written(tmp_path, b"ort,n\nK\x81ln,1\nOslo,2\n")))  # no letter there


def test_quoted_cells_hold_anything(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, 'a,b\n"x, ""y""\nz",1\n"p;q",2\nr,3\n'))
    assert table.columns["a"].tolist() == ['x, "y"\nz', "p;q", "r"]


def test_markers_of_missing_values_are_known_and_can_be_given(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,x\nNA,?\n-99,y\n4,z\n")
    assert np.isnan(read_table(path).columns["a"]).tolist() == [False, True, False, False]
    assert read_table(path).columns["b"].tolist() == ["x", None, "y", "z"]
    assert np.isnan(read_table(path, missing=["NA", "-99"]).columns["a"]).sum() == 2


@pytest.mark.parametrize("word", ["none", "None"])
def test_none_is_text_among_texts_and_missing_among_numbers(word: str) -> None:
    table = read_table(io.StringIO(f"size,lenses\n1.5,soft\n{word},{word}\n3.5,hard\n"))
    assert table.columns["lenses"].tolist() == ["soft", word, "hard"] and np.isnan(table.columns["size"][1])


@pytest.mark.parametrize("cell", ["NA", " NA", "NA ", "  NA  ", '" NA"', '"NA "'])
@pytest.mark.parametrize("place", [0, 1])
def test_blanks_may_stand_around_a_marker_of_missing_values(cell: str, place: int) -> None:
    lines = ["1,2", ",".join([cell, "4"][:: 1 if place == 0 else -1])]
    assert np.isnan(read_table(io.StringIO("\n".join(["a,b", *lines]))).columns["ab"[place]][1])


def test_codes_stay_as_they_are_written() -> None:
    text = "zip,y\n01234,1\n1234,2\n00501,3\n501,4\nNA,5\n"
    table = read_table(io.StringIO(text), types={"zip": "categorical"})
    assert table.columns["zip"].tolist() == ["01234", "1234", "00501", "501", None]
    assert table.columns["y"].tolist() == [1, 2, 3, 4, 5]


def test_kinds_and_dialect_can_be_overridden(tmp_path: Path) -> None:
    path = written(tmp_path, "code:n\n007:1,5\n011:2,5\n012:3,5\n")
    table = read_table(path, types={"code": "categorical"}, delimiter=":", decimal=",")
    assert table.types["code"] == "categorical" and table.columns["code"].tolist() == ["007", "011", "012"]
    assert table.columns["n"].tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,y\n1,2\n3,4,5\n6,7\n", "line 3 has 3 cells, the header has 2.*quote cells that hold the delimiter ','"),
        ("a,b\n1,2\n3\n", "line 3 has 1 cells"),
        ("a,a\n1,2\n", "more than one column called 'a'"),
        ("a,b\n", "0 rows"),
        ("", "cannot be read as a table"),
    ],
)
def test_broken_tables_are_refused_with_line_and_remedy(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_table(written(tmp_path, text))


def test_binary_files(tmp_path: Path) -> None:
    columns = pa.table({"kind": ["x", "y", "z"], "n": pa.array([1, None, 3], pa.int8()), "ok": [True, False, True]})
    parquet.write_table(columns, tmp_path / "t.parquet")
    feather.write_feather(columns, tmp_path / "t.feather", compression="uncompressed")
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_stream(file, columns.schema) as out:
        out.write_table(columns)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        table = read_table(tmp_path / name)
        assert dict(table.types) == {"kind": "categorical", "n": "binary", "ok": "binary"}
        np.testing.assert_array_equal(table.columns["n"], [1, np.nan, 3])
    with pytest.raises(DataError, match="cannot be read as a table"):
        read_table(written(tmp_path, "no parquet", "bad.parquet"))


def test_binary_files_say_what_they_need(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"needs pyarrow; install learnable\[app\]"):
        read_table(written(tmp_path, b"PAR1", "t.parquet"))


def test_json_lines(tmp_path: Path) -> None:
    text = '{"a": 1, "b": "x"}\n\n{"b": "y", "c": [1, 2]}\n{"a": 2.5, "b": null}\n'
    table = read_table(written(tmp_path, text, "t.jsonl"))
    np.testing.assert_array_equal(table.columns["a"], [1, np.nan, 2.5])
    assert table.columns["b"].tolist() == ["x", "y", None] and table.columns["c"].tolist() == [None, "[1, 2]", None]
    with pytest.raises(DataError, match="line 2: "):
        read_table(written(tmp_path, '{"a": 1}\n{"a": \n', "t.jsonl"))
    with pytest.raises(DataError, match="line 1 is not a record"):
        read_table(written(tmp_path, "[1, 2]\n", "t.jsonl"))


def test_open_files_and_standard_input(monkeypatch: Any) -> None:
    assert read_table(io.BytesIO(PLAIN.encode())).n == 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(PLAIN.encode(), mtime=0))))
    assert read_table("-").n == 3
    with pytest.raises(DataError, match="does not exist"):
        read_table("nowhere.csv")
    with pytest.raises(DataError, match="cannot be read as a table"):
        read_table(io.BytesIO(gzip.compress(PLAIN.encode(), mtime=0)[:30]))
    with pytest.raises(ParameterError, match="format must be"):
        read_table(io.StringIO(PLAIN), format="xls")  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1,2.5\n4,5\n7,8\n", ["column_1", "column_2"]),
        ("5.1,NA,setosa\n4.9,3,setosa\n6,4,other\n", ["column_1", "column_2", "column_3"]),
        ("2024-01-31;3\n2024-02-29;4\n", ["column_1", "column_2"]),
        ("land,2019,2020\nitaly,1,2\nspain,3,4\n", ["land", "2019", "2020"]),
        ("0,1\n0.5,7\n0.25,8\n", ["0", "1"]),
        ("a,b\n1,2\n", ["a", "b"]),
    ],
)
def test_a_first_line_of_values_does_not_name_columns(tmp_path: Path, text: str, names: list[str]) -> None:
    table = read_table(written(tmp_path, text))
    assert list(table.columns) == names
    assert table.n == text.count("\n") - (names[0] != "column_1")
    assert any("header=True" in note for note in table.notes) == (names[0] == "column_1")


def test_whether_the_first_line_names_columns_can_be_said(tmp_path: Path) -> None:
    path = written(tmp_path, "1,2\n4,5\n")
    assert list(read_table(path, header=True).columns) == ["1", "2"]
    assert list(read_table(path, header=["low", "high"]).columns) == ["low", "high"]
    assert read_table(path, header=["low", "high"]).notes == []
    assert read_table(written(tmp_path, "x,y\nx,z\n"), header=False).n == 2
    with pytest.raises(DataError, match="line 1 has 2 cells, the header has 3"):
        read_table(path, header=["a", "b", "c"])


@pytest.mark.parametrize(
    ("text", "names", "comments"),
    [
        ("# made by hand\nx,y\n1,2\n3,4\n", ["x", "y"], 1),
        ("# made by hand, in 2024\n# twice\nx,y\n1,2\n3,4\n", ["x", "y"], 2),
        ("#made by hand, in 2024\nx,y\n1,2\n3,4\n", ["x", "y"], 1),
        ("# who, where\nname,city\nann,rome\nbob,oslo\n", ["name", "city"], 1),
        ("#id,name\n1,ann\n2,bob\n", ["#id", "name"], 0),
        ("##source=lab\n##note=a b\n#place\tvalue\nx\t100\ny\t200\n", ["#place", "value"], 2),
        ("# x,y\n1.5,2\n3,4\n", ["x", "y"], 0),
        ("# run 7\n# x y\n1.0e+00 2.5e+00\n3.0e+00 4.5e+00\n", ["x", "y"], 1),
        ("# run 7\n1,2.5\n3,4\n", ["column_1", "column_2"], 1),
        ("# one column\nx\n1\n2\n", ["x"], 1),
        ("tag,n\n#a,1\n#b,2\n", ["tag", "n"], 0),
        ("#\tn\n1\t2\n3\t4\n", ["#", "n"], 0),
        ("#,n\n1,2\n3,4\n", ["#", "n"], 0),
    ],
)
def test_comments_above_a_table_are_not_names(tmp_path: Path, text: str, names: list[str], comments: int) -> None:
    for content in (text, text.replace("\n", "\r\n")):
        table = read_table(written(tmp_path, content))
        assert list(table.columns) == names and table.n == 2
        messages = {0: [], 1: ["the line above the table that begins with # is a comment"]}
        many = [f"the {comments} lines above the table that begin with # are comments"]
        assert [note for note in table.notes if "comment" in note] == messages.get(comments, many)


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_first_line_may_name_the_delimiter(tmp_path: Path, first: str) -> None:
    table = read_table(written(tmp_path, f"{first}\r\na;b,c\r\n1;2,5\r\n3;4,5\r\n"))
    assert list(table.columns) == ["a", "b,c"] and table.columns["b,c"].tolist() == [2.5, 4.5]
    with pytest.raises(DataError, match="line 4 has 1 cells"):
        read_table(written(tmp_path, f"{first}\na;b\n1;2\n3\n"))


def test_lines_below_comments_keep_their_numbers(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 4 has 3 cells, the header has 2"):
        read_table(written(tmp_path, "# by hand\na,b\n1,2\n3,4,5\n"))
    codes = read_table(written(tmp_path, "# zip codes\n# of old\nzip,n\n00501,1\n10001,2\n"))
    assert codes.columns["zip"].tolist() == ["00501", "10001"]


@pytest.mark.parametrize(
    "text",
    [
        "name   height  age\nann      1.68   20\n\nbob      1.81    31\n",
        "  name  height  age\n   ann    1.68   20\n   bob    1.81   31\n",
        "name    height  age\nann  1.68  20\nbob         1.81    31",
    ],
)
def test_columns_aligned_by_blanks(tmp_path: Path, text: str) -> None:
    table = read_table(written(tmp_path, text, "rows.txt"))
    assert list(table.columns) == ["name", "height", "age"] and table.columns["height"].tolist() == [1.68, 1.81]
    assert read_table(written(tmp_path, text, "rows.txt"), delimiter=" ").columns["age"].tolist() == [20, 31]


def test_aligned_cells_may_hold_blanks_and_lines_are_counted(tmp_path: Path) -> None:
    text = "full name    home  age\nann b        rome  20\nbob de c     oslo  31\n"
    assert read_table(written(tmp_path, text)).columns["full name"].tolist() == ["ann b", "bob de c"]
    with pytest.raises(DataError, match="line 4 has 2 cells, the header has 3"):
        read_table(written(tmp_path, text + "cy d       44\n"))


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "b": "x"}, {"b": "y"}]',
        '{"a": [1, null], "b": ["x", "y"]}',
        '{"a": {"0": 1}, "b": {"0": "x", "1": "y"}}',
        '{"a": 1, "b": "x"}\n{"b": "y"}\n',
    ],
)
def test_json_in_every_shape_that_holds_a_table(tmp_path: Path, text: str) -> None:
    for source in (written(tmp_path, text, "t.json"), io.StringIO(text)):
        table = read_table(source)
        np.testing.assert_array_equal(table.columns["a"], [1, np.nan])
        assert table.columns["b"].tolist() == ["x", "y"]


@pytest.mark.parametrize("text", ["3", "[]", "{}", "[[1, 2]]", '{"a": [1], "b": [1, 2]}', '[{"a": 1},', '{"a": 1}'])
def test_json_without_a_table_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"t\.json cannot be read as a table: "):
        read_table(written(tmp_path, text, "t.json"))


def test_compressed_files_are_unpacked_or_said_to_be_broken(tmp_path: Path) -> None:
    assert read_table(written(tmp_path, bz2.compress(PLAIN.encode()), "t.csv.bz2")).n == 3
    assert read_table(written(tmp_path, lzma.compress(PLAIN.encode()), "t.csv.xz")).n == 3
    packed = gzip.compress(PLAIN.encode(), mtime=0)
    for place in range(10, len(packed)):
        broken = packed[:place] + bytes([packed[place] ^ 255]) + packed[place + 1 :]
        with pytest.raises(DataError, match=r"t\.csv\.gz cannot be read as a table: its \.gz compression is broken"):
            read_table(written(tmp_path, broken, "t.csv.gz"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "read_table: source must be a path.* of type NoneType"),
        (7, "of type int"),
        ({"a": [1]}, "of type dict. Columns that are already here go into Dataset.of"),
        (b"a,b", "of type bytes"),
        ("", "is a folder"),
        ("https://example.com/t.csv", "nothing is downloaded"),
    ],
)
def test_what_is_not_a_table_is_refused_in_words(source: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        read_table(source)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04...", "zip archive; unpack it"),
        (b"\xd0\xcf\x11\xe0...", "save the table as xlsx or CSV"),
        (b"a,b\n\0,1\n", "holds no text; give its format"),
        (b"one line", "0 rows"),
    ],
)
def test_bytes_that_hold_no_table_are_refused_in_words(content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_table(io.BytesIO(content))


@pytest.mark.parametrize(
    "argument",
    [{"types": "text"}, {"delimiter": ";;"}, {"decimal": "x"}, {"missing": "NA"}, {"target": 1}, {"header": "a"}],
)
def test_arguments_that_make_no_sense_are_named(argument: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"read_table: {next(iter(argument))} must be"):
        read_table(io.StringIO(PLAIN), **argument)


@pytest.mark.parametrize("quoted", [False, True])
def test_numbers_with_leading_zeros_are_codes_and_a_note_says_so(quoted):
    text = "zip,y,share\n00501,1,0.5\n10001,0,0.25\nNA,0,0\n02134,0,1\n"
    table = read_table(io.StringIO(text.replace("00501", '"00501"') if quoted else text))
    assert table.columns["zip"].tolist() == ["00501", "10001", None, "02134"] and table.types["zip"] == "categorical"
    assert table.types["y"] == "binary" and table.types["share"] == "continuous"
    assert "'zip' is kept as text: numbers that begin with 0 are codes" in str(table)
    requested = read_table(io.StringIO(text), types={"zip": "number", "y": "text"})
    assert requested.notes == []
    assert requested.columns["zip"][:2].tolist() == [501.0, 10001.0] and requested.columns["y"].tolist() == list("1000")


@pytest.mark.parametrize("numbers", [["1"] * 300, [f"{i / 4}" for i in range(300)]])
def test_a_word_among_numbers_is_noted(numbers):
    table = read_table(io.StringIO("\n".join(["a,b", *(f"{n},x" for n in numbers), "foo,y"])))
    assert len(table.notes) == 1 and table.notes[0].startswith("'a'") and "row 300 holds 'foo'" in table.notes[0]
    named = read_table(io.StringIO("\n".join(["a,b", *(f"{n},x" for n in numbers), "foo,y"])), missing=["foo"])
    assert named.notes == [] and np.isnan(named.columns["a"]).sum() == 1


def test_numbers_beyond_all_floats_are_refused_and_infinity_by_name_is_not():
    with pytest.raises(DataError, match="column 'x' holds '1e400' in row 1, a number beyond the range of floats"):
        read_table(io.StringIO("x,y\n1.5,1\n1e400,2\n"))
    assert read_table(io.StringIO("x,y\n1.5,1\ninf,2\n")).columns["x"].tolist() == [1.5, float("inf")]


def test_a_quote_that_is_never_closed_is_named_and_swallows_nothing():
    lines = [f"{k},x{k}" for k in range(100)]
    lines[50] = '50,"oops'
    with pytest.raises(DataError, match="line 52 is never closed"):
        read_table(io.BytesIO("\n".join(["a,b", *lines]).encode()))


def test_two_quotes_that_are_never_closed_do_not_close_each_other():
    lines = [f"{k},x{k},{k}" for k in range(100)]
    lines[20], lines[50] = '20,"oops,1', '50,"oops,1'
    with pytest.raises(DataError, match="line 22 is never closed"):
        read_table(io.BytesIO("\n".join(["a,b,c", *lines]).encode()))


def test_quotes_within_one_line_and_cells_of_several_lines_are_read():
    table = read_table(io.BytesIO(b'a,b\n1,"x"y\n2,"two\nlines"\n3,"a ""b"""\n'))
    assert table.columns["b"].tolist() == ["xy", "two\nlines", 'a "b"']


def test_an_inch_sign_is_not_a_quote():
    table = read_table(io.BytesIO(b'a,b\n1,5" pipe\n2,"x ""y"""\n'))
    assert table.columns["b"].tolist() == ['5" pipe', 'x "y"']


def test_times_of_day_can_be_shown():
    assert "10:30" in str(read_table(io.BytesIO(b"t,y\n10:30,1\n11:45,2\n12:00,3\n")))


def test_times_with_a_zone_are_those_of_greenwich():
    from learnable.datasets._reading.column_types import times_of

    texts = np.array(["2024-01-01T12:00:00Z", "2024-01-01T12:00:00+02:00", None], dtype=object)
    hours = times_of("t", texts).astype("datetime64[h]").astype(str)
    assert hours.tolist() == ["2024-01-01T12", "2024-01-01T10", "NaT"]
