"""CSV files that spreadsheets open: text that begins like a formula gets a quote, and numbers are never changed."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import learnable
from learnable.app.cli import main
from learnable.app.predict.writers import CsvWriter
from learnable.app.safe_csv import safe_cell, safe_column
from tests.app.saved_models import saved

FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "- none",
    "@SUM(A1)",
    "\t=1",
    "\rx",
    "\nx",
    " =1",
    "'=1",
    "''\tx",
    "＝1",
    "-",
    "+",
    "-1\n",
)
NOT = ("-1.5", "+3", "-1e-5", "-1.234,5", "-5%", "a=b", "", "x", "1-2", "'tis", "−1", "-1E+9", " x", None)


def test_formulas_get_a_quote_and_numbers_do_not():
    assert [safe_cell(text) for text in FORMULAS] == [f"'{text}" for text in FORMULAS]
    assert [safe_cell(text) for text in NOT] == list(NOT)
    assert safe_cell(-1.5) == -1.5 and safe_cell(np.float64(-2)) == -2


@given(texts=st.lists(st.text(st.one_of(st.sampled_from("=+-@\t\r\n '19.,eE%＝a"), st.characters(codec="utf-8")))))
@example(texts=[*FORMULAS, *(text for text in NOT if text)])
def test_columns_have_the_same_safe_cells_and_safe_cells_can_be_undone(texts):
    safe = [safe_cell(text) for text in texts]
    assert safe_column(pa.chunked_array([texts], pa.string())).to_pylist() == safe
    assert len(set(safe)) == len(set(texts))
    assert not any(text[:1] in ("=", "@", "\t", "\r") for text in safe)


NAMES = ("=cmd|' /C calc'!A1", "-2+3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of hostile text and negative numbers, and a model of it."""
    folder = tmp_path_factory.mktemp("safe")
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    labels = np.array(["-5 to 0", "=HYPERLINK(1)"], dtype=object)[(x > 0).astype(int)]
    table = pa.table({NAMES[0]: x, NAMES[1]: rng.choice(["@a", "-1.5"], 200), "y": labels.tolist()})
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.column_names, *zip(*table.to_pydict().values(), strict=True)])
    model = learnable.make_pipeline(learnable.TableVectorizer(), learnable.LogisticRegression())
    model.fit(table.select(NAMES), labels)
    expected = [learnable.ExpectedColumn.of(name, table.column(name).to_numpy(zero_copy_only=False)) for name in NAMES]
    saved(learnable.DeployedModel(model, "binary", "y", expected, np.array([0.5]), "-5 to 0"), folder / "m.learnable")
    return folder


def run(*arguments):
    code = 0
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    return code


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("more", [[], ["--no-safe-csv"]])
def test_predict_leaves_texts_as_they_came_unless_safe_ones_are_requested(folder, capsysbinary, more):
    assert run("predict", folder / "m.learnable", folder / "t.csv", *more) == 0
    plain = rows_of(capsysbinary.readouterr().out.decode())
    assert run("predict", folder / "m.learnable", folder / "t.csv", "--safe-csv", "-o", folder / "safe.csv") == 0
    safe = rows_of((folder / "safe.csv").read_text(encoding="utf-8"))
    assert plain[0][:3] == [*NAMES, "y"] and {row[1] for row in plain[1:]} == {"@a", "-1.5"}
    assert safe == [[safe_cell(cell) for cell in row] for row in plain]
    assert {row[1] for row in safe[1:]} == {"'@a", "-1.5"} and safe[0][0] == f"'{NAMES[0]}"
    assert [row[0] for row in safe[1:]] == [row[0] for row in plain[1:]]  # numbers, half of them below zero
    assert {row[3] for row in safe[1:]} == {"'-5 to 0", "'=HYPERLINK(1)"}


@pytest.mark.parametrize("out", [["-o", "x.parquet"], ["--json"]])
def test_only_separated_values_have_a_safe_form(folder, capsys, out):
    assert run("predict", folder / "m.learnable", folder / "t.csv", "--safe-csv", *out) == 2
    assert "CSV and TSV" in capsys.readouterr().err


@pytest.mark.parametrize(("more", "write"), [([], safe_cell), (["--no-safe-csv"], lambda cell: cell)])
def test_a_study_writes_predictions_for_spreadsheets(folder, tmp_path, more, write):
    flags = ("--target", "y", "--quick", "--folds", "2x1", "--models", "naive Bayes", "--out", tmp_path)
    assert run("study", folder / "t.csv", *flags, *more) == 0
    rows = rows_of((tmp_path / "predictions.csv").read_text(encoding="utf-8"))
    labels = {write("-5 to 0"), write("=HYPERLINK(1)")}
    assert {row[2] for row in rows[1:]} == labels == {row[3] for row in rows[1:]}
    assert json.loads((tmp_path / "report.json").read_text())["question"]["positive"] in ("-5 to 0", "=HYPERLINK(1)")
    done = subprocess.run([sys.executable, tmp_path / "code.py"], capture_output=True, text=True, check=True)
    assert "ROC" in done.stdout


def test_a_terminal_gets_printable_cells_and_programs_get_the_bytes():
    table = pa.table({"a\x1b[2J": ["\x1b]0;x\x07", "é"], "b": [-1.5, 2.0]})

    class Nothing:
        strange = None

        def columns(self):
            return {}

    for terminal, first in ((False, '"a\x1b[2J",b'), (True, "a\\x1b[2J,b")):
        file = io.BytesIO()
        CsvWriter(file, terminal=terminal).add(table, Nothing())
        lines = file.getvalue().decode().splitlines()
        assert lines[0] == first.replace('"', "") and lines[2] == "é,2"
        assert lines[1] == ("\\x1b]0;x\\x07,-1.5" if terminal else "\x1b]0;x\x07,-1.5")
