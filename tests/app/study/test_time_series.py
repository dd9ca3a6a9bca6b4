"""Studies of time series whose truth is known: what models may know, what they predict, and what is stated."""

from __future__ import annotations

import csv
import runpy
from dataclasses import replace

import numpy as np
import pytest

import learnable
from learnable.app.study.files import write_all
from learnable.app.study.question import pose
from learnable.app.study.settings import StudySettings
from learnable.app.study.skewed_targets import kind_of_target
from learnable.app.study.splits import split_rows
from learnable.app.study.workflow import run_study
from learnable.app.table_source import TableSource
from learnable.app.time_series import SeriesOptions
from learnable.core import DataError, ParameterError
from learnable.datasets import Dataset

QUICK = StudySettings(effort="quick", folds=4, repeats=1, models=("ridge regression",))
DAYS = np.datetime64("2023-01-02") + np.arange(420)
WEEK = np.array([10.0, 12.0, 11.0, 15.0, 20.0, 30.0, 5.0])


def weekly(rows=240, noise=0.3, seed=0):
    """A weekly pattern and a trend."""
    at = np.arange(rows)
    return WEEK[at % 7] + 0.05 * at + noise * np.random.default_rng(seed).normal(size=rows)


@pytest.fixture(scope="module")
def found():
    table = Dataset.of({"day": DAYS[:240], "sales": weekly(), "noise": np.random.default_rng(9).normal(size=240)})
    return run_study(pose(table, "sales", SeriesOptions(horizon=7), time="day"), QUICK)


def test_the_features_are_stated(found):
    said = " ".join(found.question.guessed)
    assert "a horizon of 7 days, season 7 days: lags 7, 8, 9, 14 of 'sales'" in said
    assert "windows of 3 and 7; weekday, elapsed time of 'day'" in said
    assert "7 rows without an earlier 'sales' left out" in said and found.question.n == 233
    assert found.as_json()["question"]["lags"]["horizon"] == 7
    assert found.deployed.card["horizon"] == "7 days"


def test_no_model_is_trained_on_targets_less_than_a_horizon_before_its_test_rows(found):
    split, days = found.split, found.question.moments.astype("datetime64[D]").astype(int)
    assert days[split.development].max() == days[split.test_rows].min() - 7
    own = days[split.development]
    assert all(own[train].max() == own[test].min() - 7 for train, test in split.folds)


def test_a_seasonal_series_is_forecast_beside_naive_baselines(found):
    names = [row.name for row in found.ranking.leaderboard if row.baseline]
    assert set(names) == {"mean of the target", "seasonal naive"}  # 7 days before is both
    assert found.ranking.baseline == "seasonal naive" and found.recommended == "ridge regression"
    naive = found.metric.shown(found.ranking.row_of("seasonal naive").estimate.mean)
    assert naive == pytest.approx(np.sqrt(0.35**2 + 2 * 0.3**2), rel=0.15)  # the trend of a week, and the noise twice
    assert found.metric.shown(found.final_test.score) < 0.45
    assert found.metric.shown(found.final_test.baseline) == pytest.approx(naive, rel=0.3)


def test_a_saved_model_predicts_rows_after_the_training_table(found, tmp_path):
    learnable.save(found.deployed, tmp_path / "m.learnable")
    model = learnable.load(tmp_path / "m.learnable")
    import pyarrow

    rows = pyarrow.table({"day": DAYS[240:247].astype("datetime64[us]"), "noise": np.zeros(7)})
    predictions = model.predict(rows)
    assert np.abs(predictions - weekly(247, 0.0)[240:]).max() < 1.0
    assert [float(model.predict(rows.slice(k, 1))[0]) for k in range(7)] == predictions.tolist()
    with pytest.warns(UserWarning, match="1 of 1 rows are more than 7 days after the last known 'sales'"):
        model.predict(pyarrow.table({"day": DAYS[247:248].astype("datetime64[us]"), "noise": np.zeros(1)}))


def test_scores_are_those_of_the_same_features_made_of_the_past_alone(found):
    """A plain program: each test row is predicted from a table that ends a horizon before it."""
    fold = found.split.folds[-1]
    question, entry = found.question, next(one for one in found.entries if one.candidate.name == "ridge regression")
    view = found.plan.development
    model = entry.candidate.pipeline(0).fit(view.rows(fold[0]).frame, view.y[fold[0]])
    order = found.split.development[fold[1]]
    days, y = DAYS[:240], weekly()
    alone = []
    for row in order.tolist():
        day = question.moments[row]
        known = days <= day - 7
        lags = question.lags.knowing(days[known], y[known])
        frame = {"noise": question.table.columns["noise"][[row]], **lags.columns(question.moments[[row]])}
        alone.append(float(model.predict(Dataset.of(frame).arrow(question.features))[0]))
    assert np.allclose(entry.fold_results[-1].predictions, alone, atol=1e-9)


@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_the_program_gives_the_same_score(tmp_path, capsys, monkeypatch, metric):
    at = np.arange(150)
    with open(tmp_path / "table.csv", "w", newline="") as file:
        csv.writer(file).writerows([["day", "sales"], *zip(DAYS[:150].astype(str), weekly(150), strict=True)][::1])
    source = TableSource(str(tmp_path / "table.csv"))
    models = () if metric == "mae" else ("ridge regression",)
    question = pose(source.read(), "sales", time="day")
    study = run_study(question, replace(QUICK, metric=metric, models=models), source=source)
    assert len(at) - 1 == study.question.n
    write_all(study, tmp_path)
    capsys.readouterr()
    monkeypatch.setattr("sys.argv", ["code.py"])
    runpy.run_path(str(tmp_path / "code.py"))
    assert float(capsys.readouterr().out.split()[-1]) == pytest.approx(study.metric.shown(study.final_test.score), 1e-9)


def test_each_series_has_lags_of_its_own():
    rng = np.random.default_rng(0)
    shops = np.array(["a", 'b"$', "<c>"], dtype=object)[np.tile(np.arange(3), 100)]
    days, level = np.repeat(DAYS[:100], 3), np.tile([0.0, 50.0, 90.0], 100)
    y = level + np.repeat(weekly(100), 3) + rng.normal(size=300)
    table = Dataset.of({"day": days, "shop": shops, "y": y})
    none = pose(table, "y", time="day")
    assert none.lags is None and "--series COLUMN names the time series" in none.guessed[-1]
    question = pose(table, "y", SeriesOptions(series="shop"), time="day")
    own = question.table.columns["shop"] == "<c>"
    assert np.array_equal(question.table.columns["y: lag 1"][own], y[shops == "<c>"][:-1])
    study = run_study(question, QUICK)
    assert study.metric.shown(study.final_test.score) < 2.0
    new = Dataset.of({"day": DAYS[100:101], "shop": ['b"$']}).arrow()
    assert study.deployed.predict(new)[0] == pytest.approx(50 + weekly(101, 0.0)[100], abs=3)


def test_classes_follow_the_last_one():
    rng = np.random.default_rng(0)
    state = np.cumsum(rng.random(300) < 0.1) % 2
    table = Dataset.of({"t": np.arange(300), "up": np.where(state, "yes", "no"), "x": rng.normal(size=300)})
    settings = replace(QUICK, models=("logistic regression",))
    study = run_study(pose(table, "up", time="t"), settings)
    names = [row.name for row in study.ranking.leaderboard if row.baseline]
    assert "class after the last one" in names and "up: lag 1" in study.question.features
    found = study.final_test.predictions[:, 1] > 0.5
    last = study.question.table.columns["up: lag 1"][study.split.test_rows] == "yes"
    assert (found == last).mean() > 0.95


def test_rows_in_any_order_give_the_same_study():
    order = np.random.default_rng(3).permutation(120)
    studies = []
    for rows in (np.arange(120), order):
        table = Dataset.of({"day": DAYS[:120][rows], "y": weekly(120)[rows]})
        studies.append(run_study(pose(table, "y", time="day"), QUICK))
    assert studies[0].final_test.score == studies[1].final_test.score


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({}, SeriesOptions(horizon=0), "--horizon 0 must be from 1 to 20 steps"),
        ({}, SeriesOptions(season=99), "--season 99 must be from 1"),
        ({}, SeriesOptions(series="other"), "'other' is not a feature"),
        ({"y: lag 1": np.arange(40.0)}, SeriesOptions(), "has a column 'y: lag 1', the name of a feature"),
        ({"day": np.repeat(DAYS[0], 40)}, SeriesOptions(), "too few different values"),
        (
            {"day": np.array([np.datetime64("NaT"), *DAYS[:39]])}, SeriesOptions(),
            "is missing in 1 of 40 rows, such as row 0",
        ),
        ({"x": np.full(40, np.nan)}, SeriesOptions(lags=False), "no column besides the target 'y' has a value"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(columns, options, words):
    table = Dataset.of({"day": DAYS[:40], "x": np.arange(40.0), "y": weekly(40)} | columns)
    with pytest.raises((DataError, ParameterError), match=words):
        split_rows(pose(table, "y", options, time="day"), QUICK)


def test_options_of_series_need_a_time():
    with pytest.raises(ParameterError, match="--horizon: these describe a time series; name its --time column"):
        pose(Dataset.of({"x": np.arange(40.0), "y": weekly(40)}), "y", SeriesOptions(horizon=2))


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (np.random.default_rng(0).poisson(3, 200), "counts"),
        (np.exp(np.random.default_rng(0).normal(size=200)), "positive and skewed"),
        (np.round(np.exp(np.random.default_rng(0).normal(12, 1, size=200))), "positive and skewed"),
        (np.random.default_rng(0).normal(size=200), ""),
        (np.random.default_rng(0).normal(100, 1, size=200), ""),
    ],
)  # fmt: skip
def test_counts_and_skewed_targets_get_candidates(y, kind):
    table = Dataset.of({"x": np.random.default_rng(1).normal(size=200), "y": np.asarray(y, dtype=float)})
    assert kind_of_target(pose(table, "y", task="regression")) == kind


def test_counts_are_compared_on_the_same_metric(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    y = rng.poisson(np.exp(0.5 + 1.2 * x[:, 0]))
    table = Dataset.of({"a": x[:, 0], "b": x[:, 1], "y": y})
    models = ("ridge regression", "Poisson regression", "ridge regression of the logarithm")
    study = run_study(pose(table, "y", task="regression"), replace(QUICK, models=models, folds=5))
    assert study.recommended == "Poisson regression" and study.ranking.best.name == "Poisson regression"
    write_all(study, tmp_path)
    assert "counts" in study.question.guessed[-1]
    model = learnable.load(tmp_path / "model.learnable")
    assert model.predict(Dataset.of({"a": [1.0], "b": [0.0]}).arrow())[0] == pytest.approx(np.exp(1.7), rel=0.15)


def test_a_model_of_the_logarithm_is_saved(tmp_path):
    x = np.random.default_rng(0).normal(size=200)
    table = Dataset.of({"x": x, "y": np.exp(2 + x + 0.05 * np.random.default_rng(1).normal(size=200))})
    study = run_study(pose(table, "y"), replace(QUICK, models=("ridge regression of the logarithm",), metric="mae"))
    assert study.recommended == "ridge regression of the logarithm"
    learnable.save(study.deployed, tmp_path / "m.learnable")
    one = Dataset.of({"x": [0.0]}).arrow()
    assert learnable.load(tmp_path / "m.learnable").predict(one) == study.deployed.predict(one)
    assert study.deployed.predict(one)[0] == pytest.approx(np.exp(2), rel=0.05)
