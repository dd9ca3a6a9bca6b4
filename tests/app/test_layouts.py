"""Dates between slashes are distinguished by their values, and new rows are read as training rows were."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import learnable
from learnable.app.predict.type_conversion import convert_column, infer_type
from learnable.core import DataError, ModelFileError
from learnable.datasets import Dataset, read_table

DAYS = ["12/31/2024", "01/02/2024"]


def read(cells: list[str], **more: object) -> Dataset:
    return read_table(io.StringIO("\n".join(["row;x", *(f"{row};{cell}" for row, cell in enumerate(cells))])), **more)


def expected(cells: list[str], **more: object) -> learnable.ExpectedColumn:
    """What a model that was trained on these cells expects."""
    table = read(cells, **more)
    return learnable.ExpectedColumn.of("x", table.columns["x"], table.written.get("x", ""))


@pytest.mark.parametrize(
    ("cells", "days", "words"),
    [
        (DAYS, ["2024-12-31", "2024-01-02"], "month/day/year"),
        (["31/12/2024", "01/02/2024"], ["2024-12-31", "2024-02-01"], "day/month/year"),
        (["1/2/2024 10:30", "1/13/2024 0:00"], ["2024-01-02T10:30", "2024-01-13"], "month/day/year"),
        (["31.12.2024 10:30", "1.2.2024 09:00"], ["2024-12-31T10:30", "2024-02-01T09:00"], "day.month.year"),
        (["05/05/2024", ""], ["2024-05-05", "NaT"], "day/month/year"),
        (["2024/12/31", "2024/1/2"], ["2024-12-31", "2024-01-02"], "year/month/day"),
        (["31-12-2024", "01-02-2024"], ["2024-12-31", "2024-02-01"], "day-month-year"),
        (["12-31-2024", "01-02-2024"], ["2024-12-31", "2024-01-02"], "month-day-year"),
        (["31-Dec-2024", "2-Jan-2024"], ["2024-12-31", "2024-01-02"], "day-month-year"),
        (["31 December 2024", "2 May 2024"], ["2024-12-31", "2024-05-02"], "day month year"),
        (["Dec 31, 2024 10:30", "Jan 2, 2024 09:00"], ["2024-12-31T10:30", "2024-01-02T09:00"], "month day, year"),
    ],
)
def test_a_day_after_the_12th_determines_the_order_of_dates(cells: list[str], days: list[str], words: str) -> None:
    table = read(cells)
    np.testing.assert_array_equal(table.columns["x"], np.array(days, dtype="datetime64[us]"))
    assert table.types["x"] == "time" and table.notes == [f"'x' is read as {words}"]


@pytest.mark.parametrize(
    ("cells", "days", "words"),
    [
        (["31/12/24", "01/02/99"], ["2024-12-31", "1999-02-01"], "day/month/year, '31/12/24' as 2024-12-31"),
        (["12/31/24", "01/02/24"], ["2024-12-31", "2024-01-02"], "month/day/year, '12/31/24' as 2024-12-31"),
        (["24-12-31", "24-01-02"], ["2024-12-31", "2024-01-02"], "year-month-day, '24-12-31' as 2024-12-31"),
        (["31-Dec-24", "2-Jan-24"], ["2024-12-31", "2024-01-02"], "day-month-year, '31-Dec-24' as 2024-12-31"),
        (["31.12.24", "01.02.24"], ["2024-12-31", "2024-02-01"], "day.month.year, '31.12.24' as 2024-12-31"),
        (["", "31/12/24 10:30"], ["NaT", "2024-12-31T10:30"], "day/month/year, '31/12/24 10:30' as 2024-12-31"),
    ],
)
def test_years_of_two_digits_are_read_where_one_order_alone_fits(cells, days, words):
    table = read(cells)
    np.testing.assert_array_equal(table.columns["x"], np.array(days, dtype="datetime64[us]"))
    assert table.notes == [f"'x' is read as {words}"]


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["15/03/24", "16/03/24"], "may begin with the day, the month or the year"),
        (["01/02/24", "03/04/24"], "may begin with the day, the month or the year"),
        (["31/12/55", "01/02/24"], "its years of two digits may be 19.. or 20.."),
        (["31-Dec-55", "2-Jan-24"], "its years of two digits may be 19.. or 20.."),
    ],
)
def test_years_of_two_digits_that_are_not_clear_stay_text_and_a_note_says_why(cells, why):
    table = read(cells)
    assert table.columns["x"].tolist() == cells and len(table.notes) == 1 and why in table.notes[0]
    requested = read(cells, types={"x": "time"})
    assert (
        requested.columns["x"].dtype.kind == "M" and "years from 69 on as 19.. and others as 20.." in requested.notes[0]
    )


def test_days_in_files_of_records_are_times_too() -> None:
    table = read_table(io.StringIO(json.dumps([{"x": day} for day in DAYS])), format="json")
    assert table.columns["x"].dtype.kind == "M"


@pytest.mark.parametrize("cells", [["01/02/2024", "03/04/2024"], ["01-02-2024", "03-04-2024"]])
def test_dates_that_may_be_either_stay_text_and_a_note_says_why(cells: list[str]) -> None:
    table = read(cells)
    assert table.columns["x"].dtype.kind == "O" and "may begin with the day or the month" in table.notes[0]


@pytest.mark.parametrize(
    "cells",
    [
        ["31/12/2024", "12/31/2024"],
        ["1/2/3", "4/5/6"],
        ["5-Foo-2024", "x"],
        ["1.2.24", "3.4.24"],
        ["31/12/2024", "soon"],
    ],
)
def test_what_no_layout_fits_stays_text(cells: list[str]) -> None:
    assert read(cells).columns["x"].tolist() == cells


@pytest.mark.parametrize(
    ("trained", "new", "read_as"),
    [
        (DAYS, "03/04/2024", "2024-03-04"),
        (["31/12/2024", "01/02/2024"], "03/04/2024", "2024-04-03"),
        (DAYS, "2024-03-04", "2024-03-04"),
        (DAYS, "03/04/2024 12:30", "2024-03-04T12:30"),
        (["12/31/2024 10:00", "01/02/2024 11:00"], "03/04/2024", "2024-03-04"),
        (["2024-12-31", "2024-01-02"], "31/12/2024", "2024-12-31"),
        (DAYS, "31.12.2024", "2024-12-31"),
        (["12-31-2024", "01-02-2024"], "03-04-2024", "2024-03-04"),
        (["Dec 31, 2024", "Jan 2, 2024"], "Mar 4, 2024", "2024-03-04"),
        (DAYS, "4-Mar-2024", "2024-03-04"),
        (DAYS, "03/04/24", "2024-03-04"),
        (["31/12/24", "01/02/24"], "03/04/24", "2024-04-03"),
        (["31/12/24", "01/02/24"], "03/04/2024", "2024-04-03"),
    ],
)
def test_a_new_date_is_read_as_training_dates_were(trained: list[str], new: str, read_as: str) -> None:
    column = expected(trained, types={"x": "time"})
    assert convert_column(pa.array([new]), column).to_numpy()[0] == np.datetime64(read_as)


@pytest.mark.parametrize(
    ("trained", "new", "message"),
    [
        (DAYS, "31/12/2024", "training rows had month/day/year"),
        (["31/12/2024", "01/02/2024"], "12/31/2024", "training rows had day/month/year"),
        (["2024-12-31", "2024-01-02"], "03/04/2024", "it is ambiguous"),
        (["2024-12-31", "2024-01-02"], "15/03/24", "it is ambiguous"),
        (["31/12/1955", "01/02/2024"], "31/03/55", "training rows had day/month/year"),
        (["31/12/24", "01/02/24"], "12/31/2024", "training rows had day/month/year"),
        (["12-31-2024", "01-02-2024"], "31-12-2024", "training rows had month-day-year"),
    ],
)
def test_a_date_that_may_be_another_day_is_refused(trained: list[str], new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        convert_column(pa.array([new]), expected(trained, types={"x": "time"}))


@pytest.mark.parametrize(
    ("trained", "new", "number"),
    [
        (["1.234,50 €", "7,5 €"], ["1.234 €"], 1234),
        (["12,5 %", "7 %"], ["12,500 %"], 12.5),
        (["$1,234.50", "$7"], ["$1,234"], 1234),
        (["1.234,50 €", "7,5 €"], ["1.234", "0.5"], 1.234),
        (["1.234,50 €", "7,5 €"], ["1,234.50 €"], 1234.5),
        (["US$5", "(US$7.50)"], ["(US$1,200)"], -1200),
        (["1 234", "−5"], ["−1 200"], -1200),
        (["0.5", "7"], ["$3"], 3),
    ],
)
def test_a_new_amount_is_read_as_training_amounts_were(trained: list[str], new: list[str], number: float) -> None:
    assert convert_column(pa.array(new), expected(trained)).to_pylist()[0] == number


@pytest.mark.parametrize(("trained", "new"), [(["3 €", "5 €"], "3 $"), (["3 %", "5%"], "$3")])
def test_amounts_in_another_unit_are_refused(trained: list[str], new: str) -> None:
    with pytest.raises(DataError, match="training rows had"):
        convert_column(pa.array([new]), expected(trained))


@pytest.mark.parametrize("new", ["50 %", "5 ‰"])
def test_a_percentage_is_refused_where_training_rows_had_plain_numbers(new: str) -> None:
    with pytest.raises(
        DataError, match=rf"column 'x' holds '{new}' in row 3; training rows had no .: use the same notation"
    ):
        convert_column(pa.array([new]), expected(["0.5", "0.25"]), first=3)


def test_columns_of_which_nothing_is_known_are_read_in_the_unit_of_their_first_text() -> None:
    assert infer_type(pa.array([None, "50 %", "-"])).to_pylist() == [None, 50, None]
    assert infer_type(pa.array(["50 %", "$3"])).to_pylist() == ["50 %", "$3"]


def test_a_file_with_an_unusual_layout_is_refused(tmp_path: Path) -> None:
    X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    column = learnable.ExpectedColumn("x", "number", 0.0, 2.0, [], False, "(a+)+%")
    model = learnable.DeployedModel(learnable.Ridge().fit(X, y), "regression", "y", [column], np.array([0.1]))
    with pytest.raises(ModelFileError, match=r"which load would refuse: .*not a format of numbers or times"):
        learnable.save(model, tmp_path / "odd.learnable")
