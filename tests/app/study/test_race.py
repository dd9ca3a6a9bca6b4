"""Hopeless candidates are stopped on large tables only, with the reason; the others keep all folds."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.app.study import settings
from learnable.app.study.settings import StudySettings, default_repeats
from learnable.app.study.time_left import RemainingWork
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.datasets import Dataset

MODELS = ("logistic regression", "nearest neighbours")


def directions(rows=400, columns=40):
    """Classes that are separated by a plane, with irrelevant columns that make neighbours uninformative."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    side = np.where(X[:, :10].sum(axis=1) > 0, "over", "under").astype(object)
    return Dataset.of({**{f"x{j}": X[:, j] for j in range(columns)}, "side": side}, name="directions")


def compared(**changes):
    return run_study(ask(directions(), "side"), StudySettings(repeats=1, models=MODELS, metric="accuracy", **changes))


@pytest.mark.parametrize("effort", ["quick", "thorough"])
def test_a_hopeless_candidate_is_stopped_on_a_large_table(monkeypatch, effort):
    monkeypatch.setattr("learnable.app.study.settings.MANY_ROWS", 100)
    found = compared(effort=effort)
    by_name = {entry.candidate.name: entry for entry in found.entries}
    neighbours = by_name["nearest neighbours"]
    if effort == "thorough":
        assert len(neighbours.fold_results) == 5 and not neighbours.reason
        return
    assert not neighbours.fold_results and neighbours.reason.startswith("stopped after 1 of 5 folds: accuracy 0.")
    assert "for logistic regression" in neighbours.reason
    assert len(by_name["logistic regression"].fold_results) == len(by_name["decision stump"].fold_results) == 5
    assert found.recommended == "logistic regression"
    assert {"name": "nearest neighbours", "skipped": neighbours.reason} in found.as_json()["models"]


def test_no_candidate_is_stopped_on_a_small_table():
    found = compared(effort="quick")
    assert all(len(entry.fold_results) == 5 for entry in found.entries)


def test_large_tables_are_split_once():
    many = settings.MANY_ROWS
    assert [default_repeats("standard", rows) for rows in (many - 1, many)] == [2, 1]
    assert default_repeats("thorough", many) == 2 and default_repeats("quick", 100) == 1


def test_the_time_left_counts_candidates_that_were_not_evaluated():
    progress = RemainingWork({"a": 2, "b": 2})
    assert progress.estimate == ""
    progress.finish("a", 10.0)
    assert progress.estimate == "; about 30 s left"
    progress.finish("b", 100.0)
    assert progress.estimate == "; about 2 min left"
    progress.leave_out("b")
    assert progress.estimate == "; about 10 s left"
