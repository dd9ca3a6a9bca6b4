"""report.json and its description in the guide."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from learnable.app.study.question import pose
from learnable.app.study.result import SCHEMA
from learnable.app.study.settings import StudySettings
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.datasets import Dataset

from .tables import flowers, house_task

GUIDE = Path(__file__).parents[3] / "docs" / "user_guide" / "study.md"
INNER = {"data", "question", "settings", "timing", "alarms", "learning_curve"}  # described in words


def described():
    section = GUIDE.read_text(encoding="utf-8").partition("## Fields of report.json")[2].partition("\n## ")[0]
    return section, set(re.findall(r"`([a-z0-9_]+)`", section))


def names_in(content, path=""):
    """The names of all fields, but of those that are described in words."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield name
            if name not in INNER:
                yield from names_in(value, name)
    elif isinstance(content, list) and content:
        yield from names_in(content[0])


def test_every_field_is_described():
    section, known = described()
    assert f"`schema` is the version of the layout, {SCHEMA} at present" in section
    study = run_study(house_task(), StudySettings(effort="quick", models=("ridge regression",)))
    content = study.as_json()
    content.pop("parameters"), content["models"][0].pop("scores")
    assert set(names_in(content)) - known == {"learnable"}
    clusters = run_unsupervised(ask(flowers())).as_json()
    clusters["clusters"][0].pop("distinguishing_features")
    assert set(clusters["clusterings"][0]) | set(clusters) - {"learnable"} <= known


def test_lags_are_part_of_the_question():
    table = Dataset.of({"t": np.arange(60), "y": np.arange(60) % 7 + np.random.default_rng(0).random(60)})
    settings = StudySettings(effort="quick", models=("ridge regression",))
    lags = run_study(pose(table, "y", time="t"), settings).as_json()["question"]["lags"]
    assert lags["horizon"] == 1 and lags["lags"] == [1, 2, 3] and lags["unit"] == "step"
