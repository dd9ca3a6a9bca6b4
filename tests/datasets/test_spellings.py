"""Days with dots, codes that look like numbers, and streams of Arrow, as read_table takes them."""

import io

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc

from learnable.core import BudgetError, DataError
from learnable.datasets import read_table
from learnable.datasets._reading import text_scan
from learnable.datasets._reading.delimited_text import Dialect
from learnable.datasets._reading.number_spellings import columns_of_codes


def read(text, **more):
    return read_table(io.StringIO(text), **more)


def test_days_with_dots_are_times_with_the_day_first():
    table = read("n,day\n1,31.12.2020\n2,1.2.2021\n3,\n")
    expected = np.array(["2020-12-31", "2021-02-01", "NaT"], dtype="datetime64[us]")
    np.testing.assert_array_equal(table.columns["day"], expected)
    assert table.types["day"] == "time" and "'day' is read as day.month.year" in table.notes


@pytest.mark.parametrize("odd", ["32.1.2020", "12.31.2020", "1.2.20", "1.2.2020.4", "soon"])
def test_one_that_is_not_such_a_day_leaves_the_column_text(odd):
    table = read(f"n,day\n1,31.12.2020\n2,{odd}\n3,01.02.2021\n")
    assert table.columns["day"].tolist() == ["31.12.2020", odd, "01.02.2021"]


@pytest.mark.parametrize(
    "known", [["2023-04-25", "2023-04-26"], ["31.12.2020", "1.2.2021"], ["3/31/2020", "12/1/2020"]]
)
def test_the_entry_that_is_not_a_time_is_shown(known):
    for cells in ([*known, "2023-13-01", "soon"], ["2023-13-01", *known]):
        text = "".join(f"{k},{cell}\n" for k, cell in enumerate(cells))
        with pytest.raises(DataError, match="'day' cannot be read as time, for example '2023-13-01'"):
            read("n,day\n" + text, types={"day": "time"})


def test_days_are_left_as_they_are_where_text_was_requested():
    table = read("n,day\n1,31.12.2020\n2,01.02.2021\n", types={"day": "text"})
    assert table.columns["day"].tolist() == ["31.12.2020", "01.02.2021"]


@pytest.mark.parametrize("cells", [["0x10", "0x11"], ["0x10", "7"], ["7", "0XfF"]])
def test_what_begins_with_0x_is_a_word(cells):
    table = read("n,code\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    assert table.columns["code"].tolist() == cells
    assert any("'code'" in note and "0x" in note for note in table.notes)
    assert table.columns["n"].dtype.kind in "if"


@pytest.mark.parametrize("name", ["t.arrows", "t.arrow", "t"])
@pytest.mark.parametrize("writer", [ipc.new_stream, ipc.new_file])
def test_arrow_is_known_as_a_stream_and_as_a_file(tmp_path, writer, name):
    table, path = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}), tmp_path / name
    with path.open("wb") as out, writer(out, table.schema) as sink:
        sink.write_table(table)
    assert read_table(path).columns["b"].tolist() == ["x", "y", "z"]


TIMES = "when,zip\n" + "2020-01-01 00:30,1234\n" * 5


@pytest.mark.parametrize("letters", [1, 8, 40, 1000])
@pytest.mark.parametrize("line", ["2020-01-01 00:30,01234\n", "2020-01-01 00:30,01234"])
def test_codes_are_found_in_whatever_part_of_a_text_they_stand(monkeypatch, letters, line):
    monkeypatch.setattr(text_scan, "BLOCK", letters)
    assert list(columns_of_codes(TIMES + line, Dialect(",", "."), (), "table")) == ["zip"]
    assert list(columns_of_codes("when,zip\n" + line.strip() + "\n" + TIMES[9:], Dialect(",", "."), (), "t")) == ["zip"]
    assert columns_of_codes(TIMES, Dialect(",", "."), (), "table") == {}


def test_the_scan_for_codes_ends_with_the_budget(monkeypatch):
    monkeypatch.setattr(text_scan, "BLOCK", 8)
    looks = iter([None, None, None])

    def out_of_time():
        if next(looks, BudgetError) is BudgetError:
            raise BudgetError("no time")

    monkeypatch.setattr(text_scan.context, "give_way", out_of_time)
    with pytest.raises(BudgetError):
        columns_of_codes(TIMES, Dialect(",", "."), (), "table")
