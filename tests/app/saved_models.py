"""Model files for the tests of everything that uses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import learnable


def customers(rows: int = 300, seed: int = 0) -> pa.Table:
    """A table with numbers, missing values and categories, and a class and a number to predict."""
    rng = np.random.default_rng(seed)
    age, income = rng.uniform(18, 80, rows).round(1), rng.normal(40, 10, rows).round(2)
    city = rng.choice(["Oslo", "Rome", "Kyiv"], rows)
    buys = np.where(age / 30 + (city == "Rome") + rng.normal(size=rows) / 4 > 2, "yes", "no")
    spends = 2 * income + 10 * (city == "Oslo") + rng.normal(size=rows)
    income[::10] = np.nan
    columns = {"age": age, "income": pa.array(income, from_pandas=True), "city": city, "buys": buys, "spends": spends}
    return pa.table(columns)


def features(table: pa.Table) -> pa.Table:
    """The columns that are not predicted."""
    return table.select(["age", "income", "city"])


def expected(table: pa.Table) -> list[learnable.ExpectedColumn]:
    """What the columns of training rows say."""
    return [learnable.ExpectedColumn.of(name, table.column(name).to_numpy()) for name in ("age", "income", "city")]


def prepared(last: Any) -> Any:
    """A pipeline that imputes, scales and encodes before the last step."""
    numbers = learnable.make_pipeline(learnable.SimpleImputer(), learnable.StandardScaler())
    categories = learnable.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = [("numbers", numbers, ["age", "income"]), ("categories", categories, ["city"])]
    return learnable.make_pipeline(learnable.ColumnTransformer(columns), last)


def classifier(last: Any = None, **more: Any) -> learnable.DeployedModel:
    """A deployed model of whether a customer buys."""
    table = customers()
    steps = prepared(learnable.LogisticRegression() if last is None else last)
    model = steps.fit(features(table), table.column("buys").to_numpy())
    scores = np.linspace(0, 0.8, 200)
    card = {"use": "to try <things> out", "rows": 300}
    return learnable.DeployedModel(model, "binary", "buys", expected(table), scores, "yes", card=card, **more)


def regressor(last: Any = None) -> learnable.DeployedModel:
    """A deployed model of what a customer spends."""
    table = customers()
    steps = prepared(learnable.Ridge() if last is None else last)
    model = steps.fit(features(table), table.column("spends").to_numpy())
    return learnable.DeployedModel(model, "regression", "spends", expected(table), np.linspace(0, 3, 200))


def saved(model: Any, path: Path) -> Path:
    """The path, with a file of the model at it."""
    learnable.save(model, path)
    return path
