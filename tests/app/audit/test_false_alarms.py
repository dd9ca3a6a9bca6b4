"""The rate of false alarms on clean tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from learnable.app.audit import audit
from tests.app.audit.tables import clean, noise, task_of

TASKS = ("binary", "multi-class", "regression")


def wide(seed: int, rows: int, task: str) -> dict[str, Any]:
    """Forty-eight more columns: numbers, integers, texts, heavy tails with missing values."""
    rng = np.random.default_rng([seed, 2])
    table = noise(seed, rows, task)
    for number in range(12):
        table[f"number {number}"] = rng.normal(size=rows)
        table[f"whole {number}"] = rng.integers(0, rng.integers(2, 200), size=rows)
        table[f"word {number}"] = np.array(
            [f"w{k}" for k in rng.integers(0, rng.integers(2, 30), size=rows)], dtype=object
        )
        table[f"tail {number}"] = np.where(rng.random(rows) < 0.4 * rng.random(), np.nan, rng.standard_t(3, size=rows))
    return table


def levels(make: Callable[[int, int, str], dict[str, Any]], seeds: int, rows: int) -> Counter[str]:
    """The number of tables with an alarm of each level."""
    found: Counter[str] = Counter()
    for seed in range(seeds):
        alarms = audit(task_of(make(seed, rows, TASKS[seed % 3])))
        found.update({alarm.level for alarm in alarms})
    return found


@pytest.mark.parametrize("make", [clean, noise])
def test_few_false_alarms_on_small_tables(make: Callable[[int, int, str], dict[str, Any]]) -> None:
    found = levels(make, 50, 150)
    assert found["severe"] == 0 and found["warning"] <= 2


@pytest.mark.slow
@pytest.mark.parametrize("rows", [150, 400, 2000])
@pytest.mark.parametrize("make", [clean, noise, wide])
def test_rate_of_false_alarms(make: Callable[[int, int, str], dict[str, Any]], rows: int) -> None:
    found = levels(make, 100, rows)
    assert found["severe"] <= 1 and found["warning"] <= 5
