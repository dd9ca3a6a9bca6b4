"""Explanations in a report, and the summary on one page."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.app.report.page import page
from learnable.app.report.summary import summary_page
from learnable.app.study.files import write_all
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.datasets import Dataset

from .tables import house_task, noise, passengers

QUICK = StudySettings(effort="quick", repeats=1)


@pytest.mark.parametrize(
    ("question", "model", "unit"),
    [
        (house_task(), "ridge regression", "prediction"),
        (house_task(), "nearest neighbours", "prediction"),
        (ask(passengers(), "survived"), "boosted trees", "log-odds of "),
        (ask(passengers(), "survived"), "naive Bayes", "probability of "),
    ],
)
def test_explained_rows_add_up_to_predictions(question, model, unit):
    from dataclasses import replace

    study = run_study(question, replace(QUICK, models=(model,)))
    assert study.recommended == model
    found = study.diagnosis.explained
    assert [one.kind for one in found] == ["lowest", "median", "highest"]
    values = study.final_test.predictions
    values = values[:, -1] if values.ndim == 2 else values
    for one in found:
        assert one.unit.startswith(unit)
        assert one.base + sum(part.value for part in one.contributions) + one.others == pytest.approx(one.value)
        place = int(np.flatnonzero(study.question.numbers(study.split.test_rows) == one.row)[0])
        expected = float(values[place])
        expected = np.log(expected / (1 - expected)) if unit.startswith("log") else expected
        assert one.value == pytest.approx(expected, rel=1e-6)
    assert found[0].value <= found[1].value <= found[2].value
    text = page(study)
    assert "Explanations of single predictions" in text and "Interactions" in text
    content = study.as_json()["diagnosis"]
    assert len(content["explained_rows"]) == 3 and content["interactions"][0]["features"]


def test_the_summary_is_one_short_page(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    table = Dataset.of({"a<b>": x[:, 0], "$x$": x[:, 1], "y": 5 * x[:, 0] + 0.1 * rng.normal(size=200)})
    study = run_study(ask(table, "y"), StudySettings(effort="quick", models=("ridge regression",)))
    text = summary_page(study)
    assert "Shuffling a&lt;b&gt; increases the root mean squared error by" in text and "rises with it" in text
    assert "half of the predictions were off by" in text and "40 rows that no model had seen" in text
    assert "summary.html" not in write_all(study, tmp_path)
    assert write_all(study, tmp_path, summary=True)["summary.html"].read_text() == text
    write_all(study, tmp_path)
    assert not (tmp_path / "summary.html").exists()


def test_a_summary_without_a_model():
    text = summary_page(run_study(ask(noise(), "y"), QUICK))
    assert "No model is significantly better than the baseline" in text and "What does it use?" not in text
