"""Columns that floats would spoil, and those that hold neither numbers nor texts."""

from __future__ import annotations

import io
import json
from datetime import time, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from learnable import DataError, read_table
from learnable.datasets._reading import delimited_text


@pytest.fixture(params=["pyarrow", "python"])
def reader(request: Any, monkeypatch: Any) -> str:
    """Separated values are read with both readers."""
    if request.param == "python":
        monkeypatch.setattr("learnable.datasets.reading.columns_of_text", delimited_text.columns_in_python)
    return request.param


IDS = [9007199254740993, 9007199254740992, None]


def packed(columns: dict[str, Any], kind: str) -> bytes:
    content, table = io.BytesIO(), pa.table(columns)
    if kind == "parquet":
        parquet.write_table(table, content)
    else:
        feather.write_feather(table, content, compression="uncompressed")
    return content.getvalue()


def written_ids(kind: str) -> bytes:
    if kind in ("parquet", "arrow"):
        return packed({"id": IDS}, kind)
    if kind == "json":
        return json.dumps([{"id": number} for number in IDS]).encode()
    return "id,x\n{},1\n{},2\nNA,3\n".format(*IDS).encode()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "arrow"])
def test_integers_that_floats_cannot_distinguish_stay_texts(kind: str, reader: str) -> None:
    content, texts = written_ids(kind), ["9007199254740993", "9007199254740992", None]
    table = read_table(io.BytesIO(content), format=kind)
    assert table.columns["id"].tolist() == texts
    assert "'id' is kept as text: floats cannot distinguish integers beyond 2^53" in str(table)
    requested = read_table(io.BytesIO(content), format=kind, types={"id": "text"})
    assert requested.columns["id"].tolist() == texts and requested.notes == []
    numbers = read_table(io.BytesIO(content), format=kind, types={"id": "number"})
    assert numbers.columns["id"][:2].tolist() == [2.0**53, 2.0**53] and numbers.notes == []


def test_numbers_of_any_length_in_json_are_texts_or_named() -> None:
    long = "1" + "0" * 400
    assert read_table(io.StringIO(f'[{{"id": {long}}}, {{"id": 2}}]')).columns["id"].tolist() == [long, "2"]
    for text in (f'[{{"id": {long}}}, {{"id": 0.5}}]', '[{"id": 1e400}]'):
        with pytest.raises(DataError, match="a number beyond the range of floats"):
            read_table(io.StringIO(text))
    with pytest.raises(DataError, match="column 'id' holds '1000"):
        read_table(io.StringIO(f'[{{"id": {long}}}]'), types={"id": "number"})
    assert read_table(io.StringIO('[{"id": 1.50}]'), types={"id": "text"}).columns["id"].tolist() == ["1.50"]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_of_binary_files_that_hold_neither_numbers_nor_texts(kind: str) -> None:
    columns = {
        "list": [[1, 2], [3], None], "record": [{"a": 1}, {"a": None}, None], "raw": [b"ab", b"\xff", None],
        "wait": pa.array([timedelta(minutes=1), timedelta(seconds=0.5), None]), "at": [time(10, 30), time(11), None],
        "word": pa.array(["x", "y", None]).dictionary_encode(),
    }  # fmt: skip
    table = read_table(io.BytesIO(packed(columns, kind)), format=kind)
    assert table.columns["list"].tolist() == ["[1, 2]", "[3]", None]
    assert table.columns["record"].tolist() == ['{"a": 1}', '{"a": null}', None]
    assert table.columns["raw"].tolist() == ["ab", "\\xff", None]
    np.testing.assert_array_equal(table.columns["wait"], [60, 0.5, np.nan])
    assert table.columns["at"].tolist() == ["10:30:00", "11:00:00", None]
    assert table.columns["word"].tolist() == ["x", "y", None]
    assert "'raw' (binary) is read as text" in str(table) and "'wait' is a duration, in seconds" in str(table)


def test_times_of_day_are_the_texts_that_were_written(reader: str) -> None:
    assert read_table(io.StringIO("t,y\n10:30,1\n11:45,2\n")).columns["t"].tolist() == ["10:30", "11:45"]


def test_blanks_around_names_of_columns_are_left_out(reader: str) -> None:
    table = read_table(io.StringIO("a, b , c\n1,02,x\n3,04,y\n"), target="b", types={"b": "text"})
    assert list(table.columns) == ["a", "b", "c"] and table.y.tolist() == ["02", "04"]


def test_dates_that_can_be_read_both_ways_are_noted() -> None:
    both = read_table(io.StringIO("day,y\n01/02/2024,1\n03/04/2024,2\n"), types={"day": "date"})
    assert both.columns["day"][0] == np.datetime64("2024-02-01") and "'day' is read as day/month/year" in str(both)
    assert read_table(io.StringIO("day,y\n01/02/2024,1\n13/04/2024,2\n"), types={"day": "date"}).notes == []


def test_numbers_that_a_file_calls_categories_are_categories() -> None:
    """Parquet forgets it of numbers; Arrow does not."""
    wards = {"ward": pa.array([3, 1, 2, None]).dictionary_encode(), "share": pa.array([0.5, 2.5, 1.0, 2.5])}
    content = packed({**wards, "level": wards["share"].dictionary_encode()}, "arrow")
    table = read_table(io.BytesIO(content))
    assert dict(table.types) == {"ward": "categorical", "share": "continuous", "level": "categorical"}
    assert table.columns["ward"].tolist() == ["3", "1", "2", None] and table.notes == []
    numbers = read_table(io.BytesIO(content), types={"ward": "number", "level": "number"})
    assert numbers.columns["ward"][:3].tolist() == [3.0, 1.0, 2.0] and numbers.columns["level"].dtype == float
