"""Costs of models beside their scores: fit time, prediction time, size, and interpretability."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.declare.checked_functions import Model, Rows, checked
from ..core.roles.estimator import cloned
from ..core.validate.rows import row_count
from ._cv_estimate import Estimate
from .validation import cross_validate

READINGS = {
    "coef_": "coefficients",
    "feature_importances_": "importances of columns",
    "tree_": "a tree",
    "theta_": "means of classes",
    "cluster_centers_": "centres",
    "support_vectors_": "support vectors",
}


@dataclass(frozen=True, slots=True)
class ModelQuality:
    """Quality of a model: cross-validated score, fit time, prediction time of one row, bytes, and interpretability."""

    name: str
    score: Estimate
    fit_seconds: float
    query_seconds: float
    bytes: int
    reading: str


@dataclass(frozen=True, slots=True)
class QualityReport:
    """Comparison of the quality of models; prints as a table, the best score on top."""

    rows: list[ModelQuality]

    def __str__(self) -> str:
        cells = [("model", "score", "95 % interval", "fit", "query of a row", "size", "to read")]
        for row in self.rows:
            interval = f"{row.score.low:.4g} to {row.score.high:.4g}"
            times = f"{row.fit_seconds:.2g} s", f"{1e6 * row.query_seconds:.2g} µs"
            cells.append((row.name, f"{row.score.mean:.4g}", interval, *times, f"{row.bytes} B", row.reading))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells)
        return "\n".join(line.rstrip() for line in lines)

    def to_frame(self) -> Any:
        """The report as a pandas data frame."""
        import pandas

        return pandas.DataFrame(
            [(r.name, r.score.mean, r.score.low, r.score.high, r.fit_seconds, r.query_seconds, r.bytes, r.reading)
             for r in self.rows],
            columns=["name", "score", "low", "high", "fit_seconds", "query_seconds", "bytes", "reading"],
        )  # fmt: skip


@checked()
def quality_report(
    models: Mapping[str, Model], X: Rows, y: Rows | None = None, *, cv: Any = None, scoring: Any = None
) -> QualityReport:
    """Quality report of models: cross-validated scores, and the costs of a fit to all rows.

    The size counts the bytes of what was learned (attributes that end in an underscore); the time of a query is that of
    predicting all rows at once, divided by their number.

    >>> from learnable import LinearRegression
    >>> report = quality_report({"line": LinearRegression()}, [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.1, 1.9, 3.0], cv=2)
    >>> report.rows[0].reading, report.rows[0].bytes >= 8
    ('coefficients', True)
    """
    rows = [_measured(name, model, X, y, cv, scoring) for name, model in models.items()]
    return QualityReport(sorted(rows, key=lambda row: -row.score.mean))


def _measured(name: str, model: Any, X: Any, y: Any, cv: Any, scoring: Any) -> ModelQuality:
    score = next(iter(cross_validate(model, X, y, cv=cv, scoring=scoring).summary().values()))
    fresh, began = cloned(model), time.perf_counter()
    fitted = fresh.fit(X) if y is None else fresh.fit(X, y)
    fit_seconds, began = time.perf_counter() - began, time.perf_counter()
    fitted.predict(X)
    query_seconds = (time.perf_counter() - began) / row_count(X)
    return ModelQuality(name, score, fit_seconds, query_seconds, learned_bytes(fitted), reading(fitted))


def reading(model: Any) -> str:
    """What a person can read from a fitted model; of a search, from its best, of a pipeline, from its last step."""
    model = getattr(model, "best_estimator_", model)
    last = model[-1] if hasattr(model, "steps") else model
    return next((words for name, words in READINGS.items() if hasattr(last, name)), "nothing")


def learned_bytes(value: Any) -> int:
    """The bytes of what a fitted model has learned, its parts included."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes) if value.dtype.kind != "O" else sum(map(learned_bytes, value.ravel().tolist()))
    if isinstance(value, list | tuple | set | frozenset):
        return sum(map(learned_bytes, value))
    if isinstance(value, Mapping):
        return sum(learned_bytes(part) for pair in value.items() for part in pair)
    if isinstance(value, str | bytes):
        return len(value)
    if value is None or isinstance(value, bool | int | float | complex | np.generic):
        return 8 if value is not None else 0
    return sum(learned_bytes(part) for name, part in _state(value).items() if name.endswith("_") or name in _STORES)


_STORES = ("data", "indices", "indptr", "nodes", "values", "steps")


def _state(value: Any) -> dict[str, Any]:
    """The attributes of an object; compiled ones, such as trees of scikit-learn, give theirs as if to be copied."""
    state = getattr(value, "__dict__", None)
    if not state:
        state = value.__getstate__()
    return state if isinstance(state, dict) else {}
