"""Studies of well-known tables, of planted faults, and how often their intervals hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from learnable.app.study.dataset_view import DatasetView
from learnable.app.study.final_test import interval
from learnable.app.study.metric import METRICS
from learnable.app.study.settings import StudySettings
from learnable.app.study.story import verdict
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.datasets import Dataset, load_wine, read_table

from .tables import house_task, houses, passengers

REFERENCES = Path(__file__).parents[2] / "references"
FAST = StudySettings(effort="quick", repeats=1, folds=4)


def codes(found):
    return {alarm.code for alarm in found.alarms}


def test_census():
    question = ask(read_table(REFERENCES / "adult.csv.gz"), "income")
    assert question.task == "binary" and question.positive == ">50K"
    found = run_study(question, replace(FAST, models=("logistic regression", "pruned tree")))
    assert found.recommended == "logistic regression"
    assert found.final_test.low < 0.9 < found.final_test.high
    assert "LB022" in codes(found), "incomes of 99999 stand for more than that"


def test_districts_of_california():
    question = ask(read_table(REFERENCES / "california.csv.gz"), "MedHouseVal")
    assert question.task == "regression"
    found = run_study(question, replace(FAST, models=("ridge regression", "boosted trees")))
    assert found.recommended == "boosted trees" and found.ranking.useful
    assert found.metric.shown(found.final_test.score) == pytest.approx(0.6, abs=0.15)
    assert "LB031" in codes(found), "values above 5 were written as 5"
    assert found.diagnosis.importances[0].column in ("MedInc", "Latitude", "Longitude")


def test_three_wines():
    data = load_wine()
    names = np.array([str(name) for name in data.target_names], dtype=object)[data.target]
    table = Dataset.of({**dict(zip(data.feature_names, data.data.T, strict=True)), "kind": names}, name="wines")
    found = run_study(ask(table, "kind"), replace(FAST, models=("logistic regression",)))
    assert found.question.task == "multi-class" and found.recommended == "logistic regression"
    assert found.final_test.score > 0.9


def test_what_was_planted_is_found():
    table, rng = passengers(240), np.random.default_rng(1)
    leak = np.where(table.columns["survived"] == "yes", 1.0, 0.0) + rng.normal(scale=0.01, size=240)
    rows = np.concatenate([np.arange(240), np.arange(30)])
    planted = Dataset.of({**table.columns, "lifeboat": leak}, name="planted").rows(rows)
    found = run_study(ask(planted, "survived"), replace(FAST, models=("naive Bayes",)))
    assert codes(found) & {"LB001", "LB002"} and "LB036" in codes(found)
    assert any(alarm.level == "severe" and alarm.columns == ("lifeboat",) for alarm in found.alarms)
    parts = [set(rows[part]) for part in (found.split.development, found.split.test_rows)]
    assert not parts[0] & parts[1], "copies are on one side"


def test_the_verdict_is_qualified_where_an_alarm_is_severe():
    columns = houses(60).columns
    models = replace(FAST, models=("ridge regression",))
    leaking = run_study(ask(Dataset.of({**columns, "copy": 2 * columns["price"]}), "price"), models)
    assert verdict(leaking).endswith("Do not rely on it yet: a column is a copy of the target (LB001).")
    assert "Do not rely" not in verdict(run_study(ask(Dataset.of(columns), "price"), models))


@pytest.mark.parametrize("name", ["auc", "average-precision", "balanced-accuracy", "f1"])
@pytest.mark.parametrize("rows_of_group", [1, 2])
def test_a_perfect_score_is_as_sure_as_the_rows_of_the_rarest_class_are_many(name, rows_of_group):
    """None of m rows wrong: Wilson's interval begins at m / (m + 1.96 squared)."""
    rare, rows = 6, 40
    kind = np.where(np.arange(rows) < rare, "rare", "usual").astype(object)
    columns = {"x": np.arange(float(rows)), "place": np.arange(rows) // rows_of_group, "kind": kind}
    group = {"group": "place"} if rows_of_group > 1 else {}
    case = DatasetView.of(ask(Dataset.of(columns), "kind", positive="rare", **group))
    low, high = interval(case, np.eye(2)[case.y], METRICS[name], 0)
    units = rare // rows_of_group
    assert high == 1 and low == pytest.approx(units / (units + 1.959964**2))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "truth"), [("auc", 0.7602), ("accuracy", 0.6915), ("rmse", 10.0), ("mae", 7.9788)])
def test_intervals_of_the_last_test_hold_the_truth(name, truth):
    """Two classes one standard deviation apart, or a line with noise of deviation 10: the best score is known."""
    held = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        metric, number = METRICS[name], "regression" in METRICS[name].tasks
        if number:
            case = DatasetView.of(house_task(100, seed))
            columns = case.question.table.columns
            predictions = 50 * columns["rooms"] - columns["age"]
        else:
            kind = rng.integers(0, 2, 100)
            x = rng.normal(loc=kind.astype(float))
            case = DatasetView.of(ask(Dataset.of({"x": x, "kind": kind}), "kind"))
            probability = 1 / (1 + np.exp(0.5 - x))
            predictions = np.column_stack([1 - probability, probability])
        low, high = interval(case, predictions, metric, seed)
        held.append(low <= metric.sign * truth <= high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.04)
