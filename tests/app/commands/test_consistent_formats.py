"""Files are read in chunks, and all chunks of a file with the same formats."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import learnable
from learnable.app.predict import chunked_reader
from learnable.app.predict.predictor import Predictor
from learnable.core import DataError
from learnable.datasets import Dataset, read_table

FAR = 300  # lines after which another piece begins
EUROS, DOLLARS, PLAIN = ["1.234,50 €", "7,5 €"], ["$1,234.50", "$7"], ["0.5", "7"]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked_reader, "BYTES", 1000)
    monkeypatch.setattr(chunked_reader, "LINES", 1000)


def model_of(cells: list[str]) -> Predictor:
    """A model that was trained on a column of these cells."""
    table = read_table(io.StringIO("\n".join(["row;x", *(f"{row};{cell}" for row, cell in enumerate(cells))])))
    column = learnable.ExpectedColumn.of("x", table.columns["x"], table.written.get("x", ""))
    fitted = learnable.LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    return Predictor.of(learnable.DeployedModel(fitted, "regression", "y", [column], np.array([0.1])))


def read(path: Path, trained: list[str], **more: Any) -> list[Any]:
    """What the model is given for x of the rows of a file, piece by piece."""
    requested, found = model_of(trained), []
    with chunked_reader.table_chunks(str(path), **more) as table:
        parts = 0
        for piece in table.tables:
            found += requested.frame(piece, table.formats, len(found) + 1).column("x").to_pylist()
            parts += 1
    assert parts > 1
    return found


def text_of(first: list[str], late: list[str]) -> str:
    """A table of which some cells stand far from others."""
    return "\n".join(["row;x", *(f"{row};{cell}" for row, cell in enumerate([*first, *["7"] * FAR, *late])), ""])


@pytest.mark.parametrize(
    ("trained", "first", "late", "numbers"),
    [
        (PLAIN, ["12,5"], ["1,234"], [12.5, 1.234]),
        (PLAIN, ["12.5"], ["1,234"], [12.5, 1234]),
        (PLAIN, ["1.5"], ["1.234"], [1.5, 1.234]),
        (EUROS, ["12.47 €"], ["1.234 €"], [12.47, 1.234]),
        (EUROS, ["12,47 €"], ["1.234 €"], [12.47, 1234]),
        (EUROS, ["7 €"], ["12.47", "1.234"], [7, 12.47, 1.234]),
        (DOLLARS, ["12,5"], ["1,234"], [12.5, 1.234]),
    ],
)
def test_what_is_clear_early_holds_for_what_is_not_clear_later(tmp_path, trained, first, late, numbers):
    (tmp_path / "rows.csv").write_text(text_of(first, late))
    found = read(tmp_path / "rows.csv", trained)
    assert [*found[: len(first)], *found[-len(late) :]] == numbers


@pytest.mark.parametrize(
    ("trained", "first", "late", "sign"),
    [
        (EUROS, ["1.234 €"], ["12.47 €"], ","),
        (DOLLARS, ["1,234"], ["12,5"], "."),
        (PLAIN, ["1.5"], ["12,5"], "."),
        (PLAIN, ["12,5"], ["1.5"], ","),
    ],
)
def test_what_later_turns_out_otherwise_is_refused_by_row(tmp_path, trained, first, late, sign):
    (tmp_path / "rows.csv").write_text(text_of(first, late))
    with pytest.raises(DataError, match=rf"'{late[0]}' in row {FAR + 2}; .* '{sign}' .*--decimal"):
        read(tmp_path / "rows.csv", trained)


@pytest.mark.parametrize(("decimal", "numbers"), [(".", [1.234, 12.47]), (",", None)])
def test_a_decimal_sign_that_is_named_holds(tmp_path, decimal, numbers):
    (tmp_path / "rows.csv").write_text(text_of(["1.234 €"], ["12.47 €"]))
    if numbers is None:
        with pytest.raises(DataError, match=r"12\.47"):
            read(tmp_path / "rows.csv", EUROS, decimal=decimal)
    else:
        found = read(tmp_path / "rows.csv", EUROS, decimal=decimal)
        assert [found[0], found[-1]] == numbers


def test_days_are_read_in_the_order_shown_by_an_earlier_one(tmp_path):
    (tmp_path / "rows.csv").write_text(text_of(["31/12/2024"], ["01/02/2024"]).replace(";7\n", ";05/05/2024\n"))
    found = read(tmp_path / "rows.csv", ["2024-12-31", "2024-01-02"])
    assert [found[0].isoformat()[:10], found[-1].isoformat()[:10]] == ["2024-12-31", "2024-02-01"]
    (tmp_path / "rows.csv").write_text(text_of(["31/12/2024"], ["12/31/2024"]).replace(";7\n", ";05/05/2024\n"))
    with pytest.raises(DataError, match="day/month/year"):
        read(tmp_path / "rows.csv", ["2024-12-31", "2024-01-02"])


def test_records_are_read_as_training_rows_were(tmp_path):
    for cells, numbers in ((["12.47 €", "1.234 €"], [12.47, 1.234]), (["7 €", "1.234 €"], [7, 1234])):
        rows = [cells[0], *["7 €"] * FAR, cells[1]]
        (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"x": cell}) + "\n" for cell in rows))
        found = read(tmp_path / "rows.jsonl", EUROS)
        assert [found[0], found[-1]] == numbers


def read_unknown(path: Path) -> list[Any]:
    """What a model is given that does not say what its columns hold."""
    rows = Dataset.of({"row": np.array(["1", "2"], dtype=object), "x": np.array(["a", "b"], dtype=object)}).arrow()
    steps = learnable.make_pipeline(learnable.OneHotEncoder(handle_unknown="ignore"), learnable.LogisticRegression())
    requested, found = Predictor.of(steps.fit(rows, [0, 1])), []
    with chunked_reader.table_chunks(str(path)) as table:
        for piece in table.tables:
            found += requested.frame(piece, table.formats, len(found) + 1).column("x").to_pylist()
    return found


def test_columns_of_which_nothing_is_known_are_texts_or_numbers_in_all_pieces(tmp_path):
    (tmp_path / "rows.csv").write_text(text_of(["red"], ["3"]))
    found = read_unknown(tmp_path / "rows.csv")
    assert (found[0], found[-1]) == ("red", "3")
    (tmp_path / "rows.csv").write_text(text_of(["", "12,5"], ["1,234", ""]))
    assert read_unknown(tmp_path / "rows.csv")[-2:] == [1.234, None]


@pytest.mark.parametrize(
    ("first", "late", "advice"), [("1.5", "12,5", "--decimal"), ("3", "red", "earlier rows hold"), ("3 €", "4 $", "€")]
)
def test_columns_of_which_nothing_is_known_do_not_change_half_way(tmp_path, first, late, advice):
    (tmp_path / "rows.csv").write_text(text_of([first], [late]))
    with pytest.raises(DataError, match=rf"'{re.escape(late)}' in row {FAR + 2}; .*{advice}"):
        read_unknown(tmp_path / "rows.csv")
