"""Candidates and samples for wide tables and many classes."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.app.study.candidates import candidates
from learnable.app.study.question import pose
from learnable.app.study.settings import StudySettings, default_repeats, is_large
from learnable.app.study.splits import split_rows
from learnable.datasets import Dataset


def table(rows, columns, classes):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, columns))
    return Dataset.of({**{f"x{j}": x[:, j] for j in range(columns)}, "y": [f"c{k % classes}" for k in range(rows)]})


@pytest.mark.parametrize(
    ("columns", "classes", "effort", "parameters", "tuned"),
    [
        (10, 2, "standard", {"max_features": 1.0, "max_iter": 100}, True),
        (400, 2, "standard", {"max_features": 0.2}, True),
        (400, 10, "standard", {"max_features": 0.2, "max_iter": 100}, False),
        (400, 10, "thorough", {"max_features": 0.2}, True),
        (400, 10, "quick", {"max_features": 0.2, "max_iter": 40}, False),
    ],
)
def test_boosting_is_adapted_to_the_width(columns, classes, effort, parameters, tuned):
    settings = StudySettings(effort=effort)
    found = candidates(pose(table(60, columns, classes), "y"), settings)
    boosted = next(one for one in found if one.name == "boosted trees")
    model = boosted.pipeline(0)[-1]
    assert {name: getattr(model, name) for name in parameters} == parameters
    assert bool(boosted.space(settings)) == tuned


def test_wide_tables_are_compared_on_fewer_rows():
    question = pose(table(900, 2500, 3), "y")
    assert split_rows(question, StudySettings(effort="quick")).drawn == 500
    assert split_rows(question, StudySettings()).drawn is None
    assert StudySettings().most_compared(784) == 6377 and StudySettings().most_compared(20) == 50_000
    assert StudySettings(effort="thorough").most_compared(10**6) == float("inf")


def test_large_tables_are_split_once():
    assert [is_large(*size) for size in ((5000, 2), (4999, 2), (2930, 80), (500, 5000))] == [True, False, True, False]
    assert default_repeats("standard", 2930, 80) == 1 and default_repeats("standard", 2930, 8) == 2
