"""Numbers with units and beside words for missing values, with and without pyarrow, in text and typed files."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from learnable import read_table
from learnable.datasets._reading.amounts import number_of
from tests.datasets.cells import read

pytestmark = pytest.mark.usefixtures("both_readers")


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize(
    ("cells", "numbers", "how"),
    [
        (["$1,234.50", "-$7.00", "$ 1,250"], [1234.5, -7, 1250], "'$1,234.50' as 1234.5"),
        (["1.234,50 €", "7 €", "EUR", ""], None, ""),
        (["1.234,50 €", "7 €", ""], [1234.5, 7, np.nan], "'1.234,50 €' as 1234.5"),
        (["1 234,50 €", "7,00 €"], [1234.5, 7], "'1 234,50 €' as 1234.5"),
        (["3,50 €", "2,5 €"], [3.5, 2.5], "'3,50 €' as 3.5"),
        (["USD 1,234", "USD 250"], [1234, 250], "'USD 1,234' as 1234"),
        (["12 %", "3%", "n.a."], [12, 3, np.nan], "'12 %' as 12, and 'n.a.' as missing values"),
        (["12", "-", "3.5", "unknown"], [12, np.nan, 3.5, np.nan], "and '-', 'unknown' as missing values"),
        (["1,234.50", "-", "7"], [1234.5, np.nan, 7], "as numbers, '1,234.50' as 1234.5, and '-'"),
        (["(1,234.50)", "20.25", "($3.00)"], None, ""),
        (["(1,234.50)", "20.25", "(3)"], [-1234.5, 20.25, -3], "'(1,234.50)' as -1234.5"),
        (["($1,200)", "$6.50"], [-1200, 6.5], "'($1,200)' as -1200"),
        (["−5", "3", "−2.5"], [-5, 3, -2.5], "'−2.5' as -2.5"),
        (["US$12", "US$1,200"], [12, 1200], "'US$1,200' as 1200"),
        (["1 234", "999", "1 000 000"], [1234, 999, 1e6], "'1 000 000' as 1000000"),
        (["1\u202f234,5", "12\u00a0345"], [1234.5, 12345], "as 1234.5"),
        (["1'234", "12"], [1234, 12], "as 1234"),
        (["12", " ", "3.5", " NA "], [12, np.nan, 3.5, np.nan], ""),
    ],
)
def test_amounts_are_numbers_and_a_note_says_how_they_were_read(
    cells: list[str], numbers: list[float] | None, how: str, delimiter: str
) -> None:
    table = read(cells, delimiter)
    if numbers is None:
        assert table.columns["x"].dtype.kind == "O"
        return
    np.testing.assert_array_equal(table.columns["x"], numbers)
    assert how in " ".join(table.notes)


@pytest.mark.parametrize(
    "cells", [["$5", "5 €"], ["00501", "-"], ["5-", "3+"], ["$5", "soon"], ["-", "unknown"], ["5 %", "5"]]
)
def test_several_units_codes_and_other_words_stay_texts(cells: list[str]) -> None:
    assert read(cells).columns["x"].tolist() == cells


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["007 €", "010 €"], "kept as text: numbers that begin with 0 are codes"),
        (["00501", "-"], "kept as text: numbers that begin with 0 are codes"),
        (["(1)", "(2)"], "kept as text: all of it stands in brackets"),
        (["552 100 554", "732 829 320"], "kept as text: its blanks may stand between thousands"),
        (["1.5k", "700", "2k"], "read as text: most of it is numbers, but row 0 holds '1.5k'"),
        (["12", "9.5 kg", "7 kg"], "read as text: most of it is numbers, but row 1 holds '9.5 kg'"),
        (["$5", "€7"], "read as text: most of it is numbers, but row 0 holds '$5'"),
        (["1,23,456", "7,000"], "read as text: most of it is numbers, but row 0 holds '1,23,456'"),
    ],
)
def test_what_may_be_no_number_stays_text_and_a_note_says_why(cells: list[str], why: str) -> None:
    table = read(cells)
    assert table.columns["x"].tolist() == cells and [f"'x' is {why}" in note for note in table.notes] == [True]


@pytest.mark.parametrize(
    "cells",
    [["030 123456", "0221 45678"], ["1.0.2", "1.10.0"], ["r1", "r2"], ["12:30", "1/2"], ["<=50K", ">50K"]],
)
def test_texts_with_digits_are_not_numbers_and_need_no_note(cells: list[str]) -> None:
    table = read(cells)
    assert table.columns["x"].tolist() == cells and table.notes == []


def test_what_was_requested_holds() -> None:
    np.testing.assert_array_equal(read(["007 €", "(12 €)"], types={"x": "number"}).columns["x"], [7, -12])
    np.testing.assert_array_equal(read(["34 500", "52 000"], types={"x": "number"}).columns["x"], [34500, 52000])
    assert read(["12 %", "3 %"], types={"x": "text"}).columns["x"].tolist() == ["12 %", "3 %"]
    np.testing.assert_array_equal(read(["12 %", "-"], types={"x": "number"}).columns["x"], [12, np.nan])


def test_markers_of_missing_values_among_numbers_of_records_are_missing() -> None:
    records = [{"x": 12, "fee": "$1,000"}, {"x": "N/A", "fee": "$5"}, {"x": 3.5, "fee": None}, {"x": "7", "fee": "-"}]
    table = read_table(io.StringIO(json.dumps(records[:3])), format="json")
    np.testing.assert_array_equal(table.columns["x"], [12, np.nan, 3.5])
    np.testing.assert_array_equal(table.columns["fee"], [1000, 5, np.nan])
    assert "'x' is read as numbers, and 'N/A' as missing values" in table.notes
    assert read_table(io.StringIO(json.dumps(records)), format="json").columns["x"].dtype.kind == "O"
    kept = read_table(io.StringIO(json.dumps(records[:3])), format="json", types={"x": "text"})
    assert kept.columns["x"].tolist() == ["12", "N/A", "3.5"]


def test_thousands_among_smaller_numbers_next_to_decimal_commas_are_noted() -> None:
    table = read_table(io.StringIO("price;sold\n12,5;1.000\n1.300,00;500\n"))
    assert table.columns["sold"].tolist() == ["1.000", "500"]
    assert any("'sold' is kept as text: its points may stand between thousands" in note for note in table.notes)


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1.234", ",", 1234), ("1.5", ",", None), ("1.234", ".", 1.234), ("1,234", ".", 1234),
        ("1.234,5 €", ",", 1234.5), ("0,5", ".", None), ("1,2,3", ".", None),
        ("12.5 %", ".", 12.5), ("1e3", ".", 1000), ("soon", ".", None), ("$ 1", ",", 1),
    ],
)  # fmt: skip
def test_single_amounts_are_read_by_the_decimal_sign_of_their_column(
    text: str, decimal: str, number: float | None
) -> None:
    assert number_of(text, decimal) == number


def test_columns_with_decimal_points_next_to_amounts_with_commas_are_numbers() -> None:
    """One column of 1.708,04 € made categories of all numbers with points, without a word."""
    table = read_table(io.StringIO('price,y\n"1.708,04 €",12.47\n"7,00 €",3\n"2.000,00 €",1.250\n'))
    np.testing.assert_array_equal(table.columns["price"], [1708.04, 7, 2000])
    np.testing.assert_array_equal(table.columns["y"], [12.47, 3, 1.25])
    assert "'y' is read as numbers, '12.47' as 12.47" in table.notes
