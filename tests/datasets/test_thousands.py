"""Numbers with points or commas between their thousands, with pyarrow and without."""

from __future__ import annotations

import io

import numpy as np
import pytest

from learnable import DataError, read_table
from tests.datasets.cells import read

pytestmark = pytest.mark.usefixtures("both_readers")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.000,50", "12,5", "-3", "1.234.567"], [1000.5, 12.5, -3, 1234567]),
        (["1.000", "12,5", "", "NA"], [1000, 12.5, np.nan, np.nan]),
        (["1,000.50", "12.5", "+3", "1,234,567"], [1000.5, 12.5, 3, 1234567]),
        (["1,000,000.25", "7"], [1000000.25, 7]),
    ],
)
def test_columns_that_show_both_signs_are_numbers(cells: list[str], numbers: list[float], delimiter: str) -> None:
    table = read(cells, delimiter)
    np.testing.assert_array_equal(table.columns["x"], numbers)
    assert any("'x' is read as numbers, '1" in note for note in table.notes)


@pytest.mark.parametrize(
    "cells",
    [
        ["1.000,50", "1,000.50"],
        ["1.000,50", "10.00"],
        ["1.000", "2,500"],
        ["1.000,50", "1.00,5"],
        ["1.000,50", "0.100,5"],
        ["1.000,50", "soon"],
        ["1.2.3,4", "1.000,50"],
    ],
)
def test_columns_that_may_be_read_in_two_ways_or_none_stay_texts(cells: list[str]) -> None:
    assert read(cells).columns["x"].tolist() == cells


def test_one_sign_alone_is_kept_as_text_next_to_decimal_commas_and_a_note_says_how_to_get_numbers() -> None:
    text = "price;sold\n12,5;1.000\n1.300,00;2.500\n"
    table = read_table(io.StringIO(text))
    assert table.columns["price"].tolist() == [12.5, 1300] and table.columns["sold"].tolist() == ["1.000", "2.500"]
    assert any("'sold' is kept as text: its points may stand between thousands" in note for note in table.notes)
    requested = read_table(io.StringIO(text), types={"sold": "number"})
    assert requested.columns["sold"].tolist() == [1000, 2500] and not any("sold" in note for note in requested.notes)


def test_commas_alone_are_kept_as_text_too() -> None:
    table = read(["1,000", "25,500"], ",")
    assert table.columns["x"].tolist() == ["1,000", "25,500"] and "'x' is kept as text: its commas" in str(table)
    assert read(["1,000", "25,500"], ",", types={"x": "number"}).columns["x"].tolist() == [1000, 25500]


def test_what_was_requested_holds() -> None:
    cells = ["1.000,50", "12,5"]
    assert read(cells, types={"x": "text"}).columns["x"].tolist() == cells
    assert read(cells, decimal=".").columns["x"].tolist() == cells
    assert read(["1.000", "2.500"]).columns["x"].tolist() == [1.0, 2.5]
    with pytest.raises(DataError, match="column 'x' cannot be continuous"):
        read(["1.000,50", "soon"], types={"x": "continuous"})
