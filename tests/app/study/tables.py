"""Tables whose target depends on known columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable.app.task import Question, ask
from learnable.datasets import Dataset


def passengers(rows: int = 300, seed: int = 0) -> Dataset:
    """Two classes that depend on a number and on a category; missing values, a useless column, text classes."""
    rng = np.random.default_rng(seed)
    fare, age = rng.lognormal(3, 1, rows).round(2), rng.uniform(1, 80, rows).round(1)
    cabin = rng.choice(["upper", "middle", "lower"], rows).astype(object)
    score = np.log(fare) - 3 + 1.5 * (cabin == "upper") - 1.0 * (cabin == "lower") + rng.logistic(size=rows) * 0.6
    age[rng.uniform(size=rows) < 0.1] = np.nan
    survived = np.where(score > 0, "yes", "no").astype(object)
    return Dataset.of({"fare": fare, "age": age, "cabin": cabin, "survived": survived}, name="passengers")


def noise(rows: int = 200, columns: int = 5, seed: int = 0) -> Dataset:
    """Columns that say nothing about the target."""
    rng = np.random.default_rng(seed)
    table = {f"x{j}": rng.normal(size=rows) for j in range(columns)}
    return Dataset.of({**table, "y": rng.choice(["a", "b"], rows).astype(object)}, name="noise")


def flowers(rows: int = 60, seed: int = 0) -> Dataset:
    """Three kinds that differ in length and width, without a column that names them."""
    rng = np.random.default_rng(seed)
    length, width = (
        np.concatenate([rng.normal(centre, 0.5, rows) for centre in centres]) for centres in ((2, 6, 9), (5, 1, 6))
    )
    return Dataset.of({"length": length, "width": width}, name="flowers")


def houses(rows: int = 200, seed: int = 0) -> Dataset:
    """A number that depends on two others."""
    rng = np.random.default_rng(seed)
    rooms, old = rng.uniform(1, 8, rows).round(3), rng.uniform(0, 90, rows).round(3)
    price = 50 * rooms - old + rng.normal(scale=10, size=rows)
    return Dataset.of({"rooms": rooms, "age": old, "price": price}, name="houses")


def house_task(rows: int = 200, seed: int = 0, **roles: Any) -> Question:
    """The regression of the price of houses."""
    return ask(houses(rows, seed), "price", **roles)
