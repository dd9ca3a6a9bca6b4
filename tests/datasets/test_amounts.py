"""Numbers beside units and between words for gaps, with pyarrow and without, in files of texts and of types."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from learnable import read_table
from learnable.datasets.amounts import number_of
from tests.datasets.cells import read

pytestmark = pytest.mark.usefixtures("both_readers")


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize(
    ("cells", "numbers", "how"),
    [
        (["$1,234.50", "-$7.00", "$ 1,250"], [1234.5, -7, 1250], "without $, with commas between thousands"),
        (["1.234,50 €", "7 €", "EUR", ""], None, ""),
        (["1.234,50 €", "7 €", ""], [1234.5, 7, np.nan], "without €, with points between thousands"),
        (["1 234,50 €", "7,00 €"], [1234.5, 7], "without €"),
        (["3,50 €", "2,5 €"], [3.5, 2.5], "without €"),
        (["USD 1,234", "USD 250"], [1234, 250], "without USD, with commas between thousands"),
        (["12 %", "3%", "n.a."], [12, 3, np.nan], "without %, and 'n.a.' as nothing known"),
        (["12", "-", "3.5", "unknown"], [12, np.nan, 3.5, np.nan], "and '-', 'unknown' as nothing known"),
        (["1,234.50", "-", "7"], [1234.5, np.nan, 7], "as numbers, with commas between thousands, and '-'"),
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


def test_what_was_asked_for_holds() -> None:
    assert read(["12 %", "3 %"], types={"x": "text"}).columns["x"].tolist() == ["12 %", "3 %"]
    np.testing.assert_array_equal(read(["12 %", "-"], types={"x": "number"}).columns["x"], [12, np.nan])


def test_words_for_gaps_among_numbers_of_records_are_gaps() -> None:
    records = [{"x": 12, "fee": "$1,000"}, {"x": "N/A", "fee": "$5"}, {"x": 3.5, "fee": None}, {"x": "7", "fee": "-"}]
    table = read_table(io.StringIO(json.dumps(records[:3])), format="json")
    np.testing.assert_array_equal(table.columns["x"], [12, np.nan, 3.5])
    np.testing.assert_array_equal(table.columns["fee"], [1000, 5, np.nan])
    assert "'x' is read as numbers, and 'N/A' as nothing known" in table.notes
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
        ("1.234", ",", 1234), ("1.5", ",", 1.5), ("1.234", ".", 1.234), ("1,234", ".", 1234),
        ("1.234,5 €", ".", 1234.5), ("0,5", ".", 0.5), ("1,2,3", ".", None),
        ("12.5 %", ".", 12.5), ("1e3", ".", 1000), ("soon", ".", None), ("$ 1", ",", 1),
    ],
)  # fmt: skip
def test_single_amounts_are_read_by_the_decimal_sign_of_their_table(
    text: str, decimal: str, number: float | None
) -> None:
    assert number_of(text, decimal) == number


def test_columns_with_decimal_points_next_to_amounts_with_commas_are_numbers() -> None:
    """One column of 1.708,04 € made categories of all numbers with points, without a word."""
    table = read_table(io.StringIO('price,y\n"1.708,04 €",12.47\n"7,00 €",3\n"2.000,00 €",1.250\n'))
    np.testing.assert_array_equal(table.columns["price"], [1708.04, 7, 2000])
    np.testing.assert_array_equal(table.columns["y"], [12.47, 3, 1.25])
    assert "'y' is read with points before fractions" in table.notes
