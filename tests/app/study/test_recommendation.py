"""A study of ratings: roles of the columns, models, split by time, files."""

from __future__ import annotations

import csv
import subprocess
import sys

import numpy as np
import pytest

from learnable.app.study import study
from learnable.app.study.files import write_all
from learnable.app.task import ask
from learnable.core import DataError, ParameterError
from learnable.datasets import Dataset
from tests.app.page_text import shown as shown_text
from tests.recommend.films import planted


def ratings(times: bool = True) -> Dataset:
    """Ratings with a known model, with names as in MovieLens."""
    X, y, _, _ = planted()
    columns = {"movieId": [f"film {item}" for item in X[:, 1]], "userId": X[:, 0].tolist(), "rating": y.tolist()}
    if times:
        columns["timestamp"] = np.random.default_rng(0).permutation(len(y)).tolist()
    return Dataset.of(columns | {"genre": ["drama"] * len(y)})


def test_columns_are_found_by_their_names():
    question = ask(ratings(), task="recommendation")
    assert question.recommends and question.features == ("userId", "movieId") and question.time == "timestamp"
    assert question.target == "rating" and question.dropped == ("genre",) and question.aim == "recommendation"
    assert question.table.types["userId"] == "categorical"
    plain = Dataset.of({"a": list("xyz") * 10, "b": list("uv") * 15, "stars given": [1.0, 2.0, 5.0] * 10})
    found = ask(plain, "stars given", task="recommendation")
    assert found.features == ("a", "b") and found.time is None
    with pytest.raises(DataError, match="the user, the item and the rating"):
        ask(Dataset.of({"user": [1.0] * 30, "rating": [2.0] * 30}), task="recommendation")
    with pytest.raises(ParameterError, match="not all recommenders take weights"):
        ask(ratings(), task="recommendation", weight="timestamp")


def test_ratings_are_split_by_time_where_there_is_one():
    found = study(ratings(), task="recommendation", models=["user and item biases"], effort="quick")
    moments = found.question.moments
    assert moments[found.split.test_rows].min() > moments[found.split.development].max()


def test_factors_are_recommended_with_their_files(tmp_path):
    table = ratings(times=False)
    with open(tmp_path / "ratings.csv", "w", newline="") as file:
        names = list(table.columns)
        csv.writer(file).writerows([names, *zip(*(table.columns[name].tolist() for name in names), strict=True)])
    models = ["user and item biases", "similar items"]
    found = study(tmp_path / "ratings.csv", task="recommendation", models=models, effort="quick")
    assert found.recommended == "similar items" and found.final_test.low > found.final_test.baseline
    files = write_all(found, tmp_path)
    with open(files["recommendations.csv"], newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["userId", "rank", "movieId", "score"]
    seen = set(zip(table.columns["userId"].astype(str), table.columns["movieId"], strict=True))
    assert len(rows) == 600 and not seen & {(row["userId"], row["movieId"]) for row in rows}
    shown = subprocess.run([sys.executable, files["code.py"]], capture_output=True, text=True, check=True).stdout
    assert float(shown.split()[-1]) == pytest.approx(found.metric.shown(found.final_test.score), rel=1e-12)
    assert "--task recommendation" in shown_text(files["report.html"])
