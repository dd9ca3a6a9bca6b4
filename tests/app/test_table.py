"""Tables as people have them: separators, missing values, text, dates, broken files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from learnable.app import table
from learnable.core import DataError

PLAIN = "a,b,y\n1,2.5,3\n4,5.5,6\n7,8.5,9\n"


def written(folder: Path, text: str, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.csv", PLAIN),
        ("rows.csv", "\ufeff" + PLAIN),
        ("rows.csv", PLAIN.replace("\n", "\r\n")),
        ("rows.csv", PLAIN.replace(",", ";")),
        ("rows.csv", PLAIN.replace(",", ";").replace(".", ",")),
        ("rows.csv", PLAIN.replace(",", "|")),
        ("rows.txt", PLAIN.replace(",", "\t")),
        ("rows.tsv", PLAIN.replace(",", "\t")),
    ],
    ids=["comma", "byte order mark", "windows lines", "semicolon", "decimal comma", "bar", "tabs", "tsv"],
)
def test_separated_values_in_every_dialect(tmp_path: Path, name: str, text: str) -> None:
    rows = table.read(written(tmp_path, text, name))
    assert (rows.names, rows.target, rows.notes) == (["a", "b"], "y", [])
    np.testing.assert_array_equal(rows.X, [[1, 2.5], [4, 5.5], [7, 8.5]])
    np.testing.assert_array_equal(rows.y, [3, 6, 9])


def test_compressed_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(PLAIN.replace(",", ";").encode()))
    assert table.read(path).X.shape == (3, 2)


def test_parquet_keeps_types_that_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    columns = {
        "small": pa.array([1, None, 3], pa.int8()),
        "large": pa.array([2**52, 2**53, 1], pa.int64()),
        "flag": pa.array([True, False, True]),
        "price": pa.array([1, 2, 3], pa.decimal128(9, 2)),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "y": pa.array([0.5, 1.5, 2.5], pa.float32()),
    }
    parquet.write_table(pa.table(columns), path)
    rows = table.read(path)
    assert rows.names == ["small", "large", "flag", "price"]
    np.testing.assert_array_equal(rows.X, [[1, 2**52, 1, 1], [np.nan, 2**53, 0, 2], [3, 1, 1, 3]])
    assert rows.notes[0] == "column 'kind' holds text such as 'x', not numbers: left out"
    assert rows.notes[1].startswith("1 missing value in 'small'")


def test_any_column_can_be_the_target(tmp_path: Path) -> None:
    rows = table.read(written(tmp_path, PLAIN), "a")
    assert (rows.names, rows.target) == (["b", "y"], "a")
    assert table.example("bmi").target == "bmi"
    assert table.example().target == "progression"
    assert table.example().X.shape == (442, 10)


def test_missing_values_are_kept_as_such_and_told(tmp_path: Path) -> None:
    text = "a,b,c,y\n1,,?,1\nNA,2,3,2\n5,inf,4,\n6,7,8,4\n"
    rows = table.read(written(tmp_path, text))
    np.testing.assert_array_equal(rows.X, [[1, np.nan, np.nan], [np.nan, 2, 3], [6, 7, 8]])
    assert rows.notes == [
        "1 row without a target: left out",
        "3 missing values in 'a', 'b', 'c': filled with the mean of the training rows, inside every fold",
    ]


def test_infinite_values_are_told_apart_from_missing_ones(tmp_path: Path) -> None:
    rows = table.read(written(tmp_path, "a,b,y\n1,inf,1\n,2,2\n5,-inf,inf\n6,7,4\n"))
    assert np.isnan(rows.X).sum() == 2
    assert rows.notes == [
        "1 row with an infinite target: left out",
        "1 missing value in 'a': filled with the mean of the training rows, inside every fold",
        "1 infinite value in 'b': filled with the mean of the training rows, inside every fold",
    ]


def test_columns_that_cannot_help_are_left_out_with_the_reason(tmp_path: Path) -> None:
    text = "name,day,empty,same,a,y\nann,2024-01-01,,5,1,1\nbob,2024-01-02,,5,2,2\ncy,2024-01-03,,5,4,3\n"
    rows = table.read(written(tmp_path, text))
    assert rows.names == ["a"]
    assert rows.notes == [
        "column 'name' holds text such as 'ann', not numbers: left out",
        "column 'day' holds dates, not numbers: left out",
        "column 'empty' is empty: left out",
        "column 'same' has the same value in every row: left out",
    ]


@pytest.mark.parametrize(
    ("text", "target", "words"),
    [
        (PLAIN, "price", "has no column 'price'; it has 'a', 'b', 'y'"),
        ("a,y\n1,yes\n2,no\n", None, "the target 'y' holds text such as 'yes', not numbers"),
        ("a,y\n" + "ann,1\nbob,2\n" * 10, None, "no numeric column that varies besides the target 'y'"),
        ("a,y\n", None, "0 rows"),
        ("a\n1\n2\n", None, "2 rows and 1 column;"),
        ("a,a,y\n1,2,3\n4,5,6\n", None, "more than one column called 'a'"),
        ("a,y\n1,2\n3,4,5\n", None, "cannot be read as a table"),
        ("", None, "cannot be read as a table"),
    ],
)
def test_tables_that_cannot_be_used_are_refused_in_words(
    tmp_path: Path, text: str, target: str | None, words: str
) -> None:
    with pytest.raises(DataError, match=words):
        table.read(written(tmp_path, text), target)


def test_files_that_are_not_tables(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        table.read(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="is a folder; name a file in it"):
        table.read(tmp_path)
    with pytest.raises(DataError, match="cannot be read as a table"):
        table.read(written(tmp_path, "not parquet", "rows.parquet"))
    noise = tmp_path / "noise.csv"
    noise.write_bytes(np.random.default_rng(0).bytes(5000))
    with pytest.raises(DataError):
        table.read(noise)


def test_another_encoding_is_read_and_told(tmp_path: Path) -> None:
    latin = tmp_path / "latin.csv"
    latin.write_bytes("größe,y\n1,2\n3,4\n".encode("latin-1"))
    rows = table.read(latin)
    assert rows.names == ["größe"] and rows.notes == ["read as latin-1: the bytes are not UTF-8"]
    told = table.read(latin, encoding="latin-1")
    assert told.names == ["größe"] and told.notes == []
    with pytest.raises(DataError, match="give its encoding, for example latin-1"):
        table.read(latin, encoding="utf-8")
