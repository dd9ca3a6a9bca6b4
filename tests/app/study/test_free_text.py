"""Columns of free text: recognised, encoded inside the folds, and used by the deployed model."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import learnable
from learnable import DataError
from learnable.app.cli import app
from learnable.app.export.convert import convert_model
from learnable.app.predict.contributions import contributions
from learnable.app.predict.predictor import Predictor
from learnable.app.study.candidates import candidates
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.datasets import Dataset

SPORT, MONEY = (words.split() for words in ("match goal team coach league", "bank shares market profit euro"))
FILLER = ["the", "a", "of", "in", "on", "today", "yesterday", "report", "says", "again"]


def news(rows=240, seed=0):
    """Two topics that only the words of two text columns distinguish, an uninformative number and category."""
    rng = np.random.default_rng(seed)
    topic = rng.choice(["money", "sport"], rows)
    own = [SPORT if one == "sport" else MONEY for one in topic]
    title = [" ".join([*rng.choice(FILLER, 4), *rng.choice(words, 1)]) for words in own]
    text = [" ".join([*rng.choice(FILLER, 9), *rng.choice(words, 1)]) for words in own]
    columns = {"title": title, "text": text, "desk": rng.choice(["a", "b"], rows), "topic": topic}
    return Dataset.of({**{k: np.array(v, dtype=object) for k, v in columns.items()}, "length": rng.normal(size=rows)})


@pytest.fixture(scope="module")
def found():
    settings = StudySettings(effort="quick", repeats=1, models=("logistic regression", "random forest"))
    return run_study(ask(news(), "topic"), settings)


def test_texts_are_recognised_and_stated():
    question = ask(news(), "topic")
    assert question.texts == ("title", "text")
    assert any("'title' and 'text'" in note or "'title', 'text'" in note for note in question.guessed)
    assert ask(news(), "topic", text=["text"]).texts == ("text",)
    with pytest.raises(DataError, match="--text: 'length' does not hold text"):
        ask(news(), "topic", text=["length"])


def test_linear_models_see_terms_and_others_few_columns():
    encoders = {one.name: one.pipeline(0)[0] for one in candidates(ask(news(), "topic"), StudySettings())}
    assert (encoders["logistic regression"].text, encoders["logistic regression"].sparse_output) == ("ngrams", True)
    assert (encoders["boosted trees"].text, encoders["boosted trees"].sparse_output) == ("svd", False)
    without = ask(news(), "topic", drop=["title", "text"])
    assert all(one.pipeline(0)[0].text == "words" for one in candidates(without, StudySettings()))


def test_every_model_uses_the_texts(found):
    scores = {row.name: row.estimate.mean for row in found.ranking.leaderboard}
    assert scores["logistic regression"] > 0.95 and scores["random forest"] > 0.85
    assert found.ranking.useful and {one.code for one in found.alarms} >= {"LB025"}
    assert not {one.column for one in found.diagnosis.partial_dependences} & {"title", "text"}


def test_the_deployed_model_reads_texts(found, tmp_path):
    path = tmp_path / "model.learnable"
    learnable.save(found.deployed, path)
    predictor = Predictor.opened(path)
    assert [column.holds for column in predictor.model.columns] == ["text", "text", "category", "number"]
    rows = pa.table(
        {
            "title": ["the coach of the team", "market says profit again", None],
            "text": ["a goal in the league", "the bank and its shares", ""],
            "desk": ["a", "b", "a"],
            "length": [0.0, 0.1, 0.2],
        }
    )
    predictions = predictor.predict(predictor.frame(rows))
    assert predictions.prediction.tolist()[:2] == ["sport", "money"] and np.isfinite(predictions.probabilities).all()
    explained = contributions(predictor, predictor.frame(rows), 0)
    parts = explained.parts
    assert explained.mean + parts.sum() == pytest.approx(explained.value, abs=1e-12)
    assert np.abs(parts[:2]).sum() > np.abs(parts[2:]).sum()
    with pytest.raises(DataError, match="'title' holds free text"):
        convert_model(predictor, "c")
    assert convert_model(predictor, "json").agreement == "the same bits"


def test_a_program_with_texts_gives_the_same_score(tmp_path):
    import subprocess
    import sys

    table = news()
    path = tmp_path / "news.csv"
    import csv

    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        writer.writerows(zip(*(values.tolist() for values in table.columns.values()), strict=True))
    options = [
        "--target",
        "topic",
        "--quick",
        "--models",
        "logistic regression",
        "--out",
        str(tmp_path / "out"),
        "--json",
    ]
    done = CliRunner().invoke(app, ["study", str(path), *options])
    assert done.exit_code == 0, done.output
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["question"]["texts"] == ["title", "text"]
    run = subprocess.run(
        [sys.executable, "code.py", str(path)], cwd=tmp_path / "out", capture_output=True, text=True, check=True
    )
    assert float(run.stdout.split()[-1]) == pytest.approx(report["final_test"]["score"], abs=1e-9)
