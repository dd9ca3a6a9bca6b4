"""Tables as people have them, with pyarrow and without."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from learnable import DataError, ParameterError, read_images, read_table, read_texts
from learnable.datasets import separated

PLAIN = "name,size,day,y\nann,1.5,2024-01-31,3\nbob,,2024-02-29,6\ncy,8.5,,9\n"


@pytest.fixture(params=["pyarrow", "python"], autouse=True)
def reader(request: Any, monkeypatch: Any) -> str:
    """Every test runs with both readers of separated values."""
    if request.param == "python":
        monkeypatch.setattr(separated, "columns_of_text", separated.columns_in_python)
        monkeypatch.setattr("learnable.datasets.reading.columns_of_text", separated.columns_in_python)
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
    assert "read as latin-1" in repr(table)
    assert read_table(path, encoding="latin-1").notes == []
    with pytest.raises(DataError, match="give its encoding"):
        read_table(path, encoding="utf-8")


def test_quoted_cells_hold_anything(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, 'a,b\n"x, ""y""\nz",1\n"p;q",2\nr,3\n'))
    assert table.columns["a"].tolist() == ['x, "y"\nz', "p;q", "r"]


def test_markers_of_missing_values_are_known_and_can_be_given(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,x\nNA,?\n-99,y\n4,z\n")
    assert np.isnan(read_table(path).columns["a"]).tolist() == [False, True, False, False]
    assert read_table(path).columns["b"].tolist() == ["x", None, "y", "z"]
    assert np.isnan(read_table(path, missing=["NA", "-99"]).columns["a"]).sum() == 2


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
    with pytest.raises(DataError, match="line 1 is no record"):
        read_table(written(tmp_path, "[1, 2]\n", "t.jsonl"))


def test_open_files_and_standard_input(monkeypatch: Any) -> None:
    assert read_table(io.BytesIO(PLAIN.encode())).n == 3
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(PLAIN.encode(), mtime=0))))
    assert read_table("-").n == 3
    with pytest.raises(DataError, match="there is no file"):
        read_table("nowhere.csv")
    with pytest.raises(DataError, match="cannot be read as a table"):
        read_table(io.BytesIO(gzip.compress(PLAIN.encode(), mtime=0)[:30]))
    with pytest.raises(ParameterError, match="format must be"):
        read_table(io.StringIO(PLAIN), format="xls")  # type: ignore[arg-type]  # on purpose


def test_images_and_texts(tmp_path: Path) -> None:
    """WFL-06: images with the labels of their folders, and lists of tokens."""
    from matplotlib.image import imsave

    for label, pixels in (("one", np.eye(5)), ("two", np.ones((5, 5)))):
        (tmp_path / label).mkdir()
        imsave(tmp_path / label / "a.png", pixels, cmap="gray", vmin=0, vmax=1)
    found = read_images(sorted(tmp_path.glob("*/a.png")))
    np.testing.assert_allclose(found.images, [np.eye(5), np.ones((5, 5))])
    assert found.target.tolist() == ["one", "two"] and found.data.shape == (2, 25)
    imsave(tmp_path / "wide.png", np.ones((5, 6)), cmap="gray")
    with pytest.raises(DataError, match=r"wide\.png has another size"):
        read_images([tmp_path / "one" / "a.png", tmp_path / "wide.png"])
    with pytest.raises(DataError, match="cannot be read as an image"):
        read_images([written(tmp_path, "no image", "bad.png")])
    with pytest.raises(DataError, match="there are no paths"):
        read_images([])
    first, second = written(tmp_path, "a b\n\nc", "1.txt"), written(tmp_path, "Grün".encode("latin-1"), "2.txt")
    assert read_texts(first, tokens=True) == [["a", "b"], ["c"]]
    assert read_texts([first, second]) == ["a b\n\nc", "Grün"]
    with pytest.raises(DataError, match="there is no file"):
        read_texts(tmp_path / "3.txt")
