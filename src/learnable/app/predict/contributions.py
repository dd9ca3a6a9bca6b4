"""Contributions of the columns to the prediction for one row of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, generator
from ...deployment import ForecastModel
from ...inspection import Contributions
from ...inspection import contributions as contributions_of
from .predictor import Predictor

BACKGROUND = 100  # rows of the table that stand for all others


@dataclass(frozen=True, slots=True)
class RowContributions:
    """The contributions to the prediction for a row: `value` is `mean` plus their sum."""

    mean: float
    value: float
    names: list[str]
    entries: list[Any]
    parts: Array
    low: Array
    high: Array
    unit: str
    method: str


def contributions(predictor: Predictor, frame: Any, row: int, seed: int = 0) -> RowContributions:
    """Shapley values of the columns for a row of a frame, against other rows of it.

    They add up to the difference between the prediction, or the log-odds of the explained class, and the mean over the
    background rows. A forecast is explained by its lags and the calendar.
    """
    model = predictor.model.model
    table = model.features(frame) if isinstance(model, ForecastModel) else predictor._rows(frame)
    inner = model.model if isinstance(model, ForecastModel) else model
    others = np.sort(generator(seed).permutation(frame.num_rows)[:BACKGROUND])
    output = predictor.model.classes_[index_of_class(predictor, frame.slice(row, 1))] if predictor.classes else None
    found: Contributions = contributions_of(
        inner, _taken(table, np.array([row])), _taken(table, others), output=output, random_state=seed
    )
    own = _taken(table, np.array([row]))
    named = hasattr(own, "to_pylist")
    names = list(own.column_names) if named else predictor.names
    entries = list(own.to_pylist()[0].values()) if named else own[0].tolist()
    base, values = float(found.base[0]), found.values[0]
    value = base + float(values.sum())
    return RowContributions(base, value, names, entries, values, found.low[0], found.high[0], found.unit, found.method)


def _taken(table: Any, rows: Array) -> Any:
    return table.take(rows) if hasattr(table, "take") and hasattr(table, "schema") else table[rows]


def index_of_class(predictor: Predictor, one: Any) -> int:
    """Index of the class whose probability is explained: the positive one, otherwise the most probable one."""
    model = predictor.model
    if model.positive is not None:
        return int(np.argmax(model.classes_ == model.positive))
    probabilities = predictor.predict(one).probabilities
    return 0 if probabilities is None else int(probabilities[0].argmax())
