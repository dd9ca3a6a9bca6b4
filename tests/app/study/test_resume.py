"""What --resume says where there is nothing to resume."""

from __future__ import annotations

import json

import pytest

from learnable.app.cli import main

ROWS = "\n".join(["x,y", *(f"{k % 7},{2 * (k % 7) + k % 3}.5" for k in range(60))])


def studied(folder, *more):
    (folder / "t.csv").write_text(ROWS)
    options = ["--models", "ridge regression", "--quick", "--out", str(folder / "out"), *more]
    try:
        main(["study", str(folder / "t.csv"), "--target", "y", *options])
    except SystemExit as end:
        return end.code
    return 0


@pytest.mark.parametrize(
    "entry",
    [
        {"key": "0.0.1 of another version", "value": {"predictions": [1.0]}},
        {"key": "other", "value": None},
    ],
)
def test_journals_that_do_not_fit_are_named(tmp_path, capsys, entry):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "journal.jsonl").write_text(json.dumps(entry) + "\n")
    assert studied(tmp_path, "--resume") == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "1 evaluation in" in said and "made by another version of learnable, on another table or with other" in said


def test_a_missing_journal_is_named_and_a_fitting_one_is_used(tmp_path, capsys):
    assert studied(tmp_path, "--resume") == 0
    assert "has no journal of an earlier study" in " ".join(capsys.readouterr().err.split())
    size = len((tmp_path / "out" / "journal.jsonl").read_text())
    assert studied(tmp_path, "--resume") == 0
    assert "--resume" not in capsys.readouterr().err
    assert len((tmp_path / "out" / "journal.jsonl").read_text()) == size


@pytest.mark.parametrize("value", [{}, {"predictions": [1.0]}, [1], {"predictions": "x"}, 7])
def test_a_damaged_entry_is_evaluated_again(tmp_path, capsys, value):
    assert studied(tmp_path) == 0
    journal, report = tmp_path / "out" / "journal.jsonl", tmp_path / "out" / "report.json"
    right = json.loads(report.read_text())["models"]
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps({"key": one["key"], "value": value}) + "\n" for one in lines))
    assert studied(tmp_path, "--resume") == 0
    assert json.loads(report.read_text())["models"] == right
