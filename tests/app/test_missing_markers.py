"""Declared markers of missing values, in studies, in model files and in new rows."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from learnable.app.predict.predictor import Predictor
from learnable.app.service.schema import RowSchema
from learnable.app.table_source import TableSource
from learnable.datasets import read_table
from learnable.datasets._reading.delimited_text import MISSING
from tests.app.commands.test_predict import run
from tests.app.saved_models import classifier, saved

MARKS = ["-999", "refused"]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_markers_are_missing_values_in_files_of_all_kinds(kind: str) -> None:
    rows = [{"age": 31, "city": "Oslo"}, {"age": -999, "city": "refused"}, {"age": 4.5, "city": "Rome"}]
    lines = ["age,city", "31,Oslo", "-999.0,refused", "4.5,Rome"]
    text = json.dumps(rows) if kind == "json" else "\n".join(lines)
    table = read_table(io.StringIO(text), format=kind, missing=(*MISSING, *MARKS))
    np.testing.assert_array_equal(table.columns["age"], [31, np.nan, 4.5])
    assert table.columns["city"].tolist() == ["Oslo", None, "Rome"] and table.missing == MARKS


def test_a_source_writes_its_markers_in_flags_and_code(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x\n1,5\n-999\n")
    source = TableSource(str(tmp_path / "t.csv"), delimiter=";", decimal=",", missing=("-999",))
    assert source.flags()[1:] == ["--delimiter", ";", "--decimal", ",", "--missing=-999"]
    again = eval(source.code(), {"read_table": read_table, "sys": type("System", (), {"argv": []})})
    np.testing.assert_array_equal(again.columns["x"], source.read().columns["x"])
    np.testing.assert_array_equal(again.columns["x"], [1.5, np.nan])


def test_a_model_file_keeps_the_marks_and_new_rows_are_read_by_them(tmp_path: Path) -> None:
    model = classifier(missing=MARKS)
    requested = Predictor.opened(saved(model, tmp_path / "m.learnable"))
    given = pa.table({"age": [31, 40, -999], "income": ["7.5", "-999.0", "refused"], "city": ["Oslo", "refused", ""]})
    frame = requested.frame(given)
    assert frame.column("age").to_pylist() == [31, 40, None]
    assert frame.column("income").to_pylist() == [7.5, None, None]
    assert frame.column("city").to_pylist() == ["Oslo", None, None]
    rows = RowSchema(requested, 10)
    assert rows.frame(rows.parsed(b'[{"age": -999, "income": 1, "city": "refused"}]')).to_pylist() == [
        {"age": None, "income": 1.0, "city": None}
    ]


def test_predict_takes_marks_that_training_rows_did_not_have(capsys, tmp_path: Path) -> None:
    model = saved(classifier(), tmp_path / "m.learnable")
    replies = []
    for name, cell, flags in (("plain", "", []), ("marked", "soon", ["--missing", "soon"])):
        (tmp_path / f"{name}.csv").write_text(f"age,income,city\n30,{cell},Rome\n31,4,Rome\n")
        code, out, err = run(capsys, "predict", model, tmp_path / f"{name}.csv", "--json", *flags)
        assert code == 0, err
        replies.append(json.loads(out))
    assert replies[0] == replies[1]


def test_the_note_on_a_stray_word_names_the_flag() -> None:
    cells = [*(f"{number}" for number in range(30)), "soon"]
    note = read_table(io.StringIO("\n".join(["row;x", *(f"a;{cell}" for cell in cells)]))).notes[0]
    assert "'soon'" in note and "--missing" in note
