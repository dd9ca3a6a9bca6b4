"""Cross-validation on rows in blocks: contiguous folds by row number, fitted and scored in passes."""

from __future__ import annotations

import time
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.roles.estimator import cloned
from ..core.validate.row_source import RowSource
from ..engines.folds import check_count
from ._cv_estimate import Basis


def cross_validate_source(
    estimator: Any, rows: RowSource, y: Any, cv: Any, scoring: Any, with_train: bool, keep: bool
) -> tuple[dict[str, Any], dict[str, Basis]]:
    """Scores and times of every fold, and what the scores were measured on."""
    if not (cv is None or isinstance(cv, Integral)):
        raise ParameterError(f"cross_validate: cv must be a number of folds for a scan; got {cv!r:.60}")
    if scoring is not None:
        raise ParameterError("cross_validate: a scan is scored by the model's own score; leave scoring out")
    folds = 5 if cv is None else int(cv)
    check_count(folds, "cross_validate")
    source: Any = rows.with_target(y) if y is not None else rows  # type: ignore[attr-defined]  # of scans
    count = source.count()
    ends = np.cumsum([0, *(len(part) for part in np.array_split(np.empty(count, dtype=bool), folds))]).tolist()
    columns: dict[str, list[Any]] = {"fit_time": [], "score_time": [], "test_score": [], "train_score": []}
    models = []
    for begin, end in pairwise(ends):
        train, test = source.rows(begin, end, inside=False), source.rows(begin, end)
        clock = time.perf_counter()
        model = cloned(estimator)
        train.fit_estimator(model, None, None)
        fitted = time.perf_counter()
        columns["test_score"].append(test.score_model(model, None, None))
        columns["fit_time"].append(fitted - clock)
        columns["score_time"].append(time.perf_counter() - fitted)
        if with_train:
            columns["train_score"].append(train.score_model(model, None, None))
        models.append(model)
    found: dict[str, Any] = {name: _array(values) for name, values in columns.items() if values}
    if keep:
        found["estimator"] = models
    return found, {"score": Basis(1 / folds, float(count))}


def _array(values: list[Any]) -> Array:
    return np.array(values, dtype=np.float64)
