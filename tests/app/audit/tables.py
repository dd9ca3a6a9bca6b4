"""Tables for the tests of the audit: clean ones, and their alarms."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable.app.audit import Alarm, audit
from learnable.app.task import Question, ask
from learnable.datasets import Dataset


def clean(seed: int, rows: int = 300, task: str = "binary") -> dict[str, Any]:
    """A clean table with columns of every type; the target `y` depends on `a` and `b`."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, rows))
    score = a + b + 2 * rng.normal(size=rows)
    amounts = {"binary": score > 0, "multi-class": np.digitize(score, [-1.5, 1.5]), "regression": score}[task]
    return {
        "a": a,
        "b": b,
        "skewed": rng.exponential(size=rows),
        "count": rng.poisson(3, size=rows),
        "flag": rng.random(rows) < 0.4,
        "town": rng.choice(["Rome", "Oslo", "Bonn"], rows).astype(object),
        "partial": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
        "y": amounts if task == "regression" else np.array(["no", "yes", "perhaps"], dtype=object)[amounts.astype(int)],
    }


def noise(seed: int, rows: int = 300, task: str = "binary") -> dict[str, Any]:
    """Columns of the same types with a target that is independent of them."""
    table = clean(seed, rows, task)
    return {**table, "y": table["y"][np.random.default_rng([seed, 1]).permutation(rows)]}


def task_of(columns: dict[str, Any], **more: Any) -> Question:
    return ask(Dataset.of(columns), "y", **more)


def alarms(columns: dict[str, Any], **more: Any) -> dict[str, Alarm]:
    """The alarms by code."""
    return {alarm.code: alarm for alarm in audit(task_of(columns, **more))}
