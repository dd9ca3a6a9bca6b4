"""A study from Python takes any table and gives what the command finds."""

from __future__ import annotations

import pandas
import polars
import pyarrow
import pytest

from learnable.app.study import study
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from tests.app.page_text import shown

from .tables import noise, passengers

NAIVE = {"models": ["naive Bayes"], "effort": "quick"}
COLUMNS = dict(passengers().columns)


@pytest.fixture(scope="module")
def expected():
    question = ask(passengers(), "survived")
    return run_study(question, StudySettings(effort="quick", repeats=1, models=("naive Bayes",)))


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(passengers(), marks=pytest.mark.exhaustive),
        pytest.param(COLUMNS, marks=pytest.mark.exhaustive),
        pytest.param(pandas.DataFrame(COLUMNS), marks=pytest.mark.exhaustive),
        pandas.DataFrame(COLUMNS, index=range(7, 307)),
        pytest.param(polars.DataFrame(COLUMNS, nan_to_null=True), marks=pytest.mark.exhaustive),
        pyarrow.Table.from_pandas(pandas.DataFrame(COLUMNS)),
    ],
    ids=["dataset", "dictionary", "pandas", "pandas with an index", "polars", "arrow"],
)  # fmt: skip
def test_any_table_gives_the_same_study(table, expected, tmp_path):
    found = study(table, "survived", **NAIVE)
    assert found.recommended == expected.recommended and found.final_test.score == expected.final_test.score
    assert found.deployed.names == ["fare", "age", "cabin"]
    found.report(tmp_path / "report.html")
    text = shown(tmp_path / "report.html")
    assert "learnable study TABLE --target survived" in text and "inside the package" not in text


def test_a_file_and_no_target(tmp_path):
    pandas.DataFrame(dict(noise().columns)).to_csv(tmp_path / "noise.csv", index=False)
    found = study(tmp_path / "noise.csv", effort="quick")
    assert found.question.task == "unsupervised" and found.source.name == "noise.csv"
    found.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000
