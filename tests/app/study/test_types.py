"""Columns are to models what the study infers, or what the user declares instead."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import learnable
from learnable.app.cli import main
from learnable.app.study.candidates import candidates
from learnable.app.study.settings import StudySettings
from learnable.app.task import ask
from learnable.datasets import Dataset
from tests.app.page_text import shown

ROWS = 240


def towns(path: Path) -> Path:
    """A table whose target hangs on a code that begins with 0, in no order, and on a year."""
    rng = np.random.default_rng(0)
    town = rng.integers(0, 40, ROWS)
    level, year = rng.normal(size=40)[town], 2000 + rng.integers(0, 5, ROWS)
    y = 5 * level + rng.normal(size=ROWS)
    lines = [f"{code:05d},{own},{value:.3f}" for code, own, value in zip(town, year, y, strict=True)]
    path.write_text("\n".join(["town,year,y", *lines]))
    return path


def kinds_of(table: Dataset) -> dict[str, str]:
    """What the models of a study take the columns for."""
    question = ask(table, "y")
    pipeline = candidates(question, StudySettings())[0].pipeline(0).fit(question.frame(), question.y)
    return dict(pipeline[0].kinds_)


def test_codes_are_categories_to_models_too(tmp_path):
    path = towns(tmp_path / "towns.csv")
    assert kinds_of(learnable.read_table(path)) == {"town": "many", "year": "number"}
    requested = learnable.read_table(path, types={"year": "text", "town": "number"})
    assert kinds_of(requested) == {"town": "number", "year": "few"}
    later = learnable.read_table(path).with_types({"year": "text"})
    assert kinds_of(later) == {"town": "many", "year": "few"}


@pytest.mark.parametrize("types", [["year=text"], ["town=number", "year=text"]])
def test_types_are_shown_overridden_and_kept_in_the_code(capsys, tmp_path, types):
    path, out = towns(tmp_path / "towns.csv"), tmp_path / "out"
    wished = [part for one in types for part in ("--type", one)]
    models = ["--models", "ridge regression", "--quick"]
    with pytest.raises(SystemExit) as end:
        main(["study", str(path), "--target", "y", *models, "--out", str(out), *wished])
    assert end.value.code == 0
    printed = " ".join(capsys.readouterr().err.split())
    town = "continuous" if "town=number" in types else "categorical"
    assert f"types: town {town}, year categorical, y continuous; --type COLUMN=KIND overrides one" in printed
    assert " ".join(wished) in shown(out / "report.html")
    score = subprocess.run([sys.executable, out / "code.py"], capture_output=True, text=True, check=True).stdout
    tested = json.loads((out / "report.json").read_text())["final_test"]
    assert float(score.split()[-1]) == pytest.approx(-tested["score"], rel=1e-12)


@pytest.mark.parametrize("option", ["town", "town=", "town=words", "=text"])
def test_a_type_is_one_of_those_that_are_known(capsys, tmp_path, option):
    with pytest.raises(SystemExit) as end:
        main(["study", str(towns(tmp_path / "towns.csv")), "--type", option, "--out", str(tmp_path / "out")])
    assert end.value.code == 2 and "COLUMN=KIND" in capsys.readouterr().err
