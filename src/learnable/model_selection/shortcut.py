"""Trials that differ in one parameter only, done together by an estimator that knows how."""

from __future__ import annotations

import time
from typing import Any

from ..core import Array, DataError, ParameterError, ambient, params
from ..core.estimator import cloned
from ..core.rows import take_rows
from ..core.threads import kernel_limits, single_threaded_blas
from ..engines.folds import Fold
from ..engines.shortcut import answering, offers
from .evaluation import Outcome, Sample, scores_of


def together(
    sample: Sample, estimator: Any, parameter: str, values: list[Any], parts: list[Fold], scorer: Any, with_train: bool
) -> list[list[Outcome]] | None:
    """The outcomes of each value (first index) on each fold, or None where the estimator has no shortcut for them.

    They are those of the plain loop up to rounding.
    """
    if (
        not offers(estimator, parameter)
        or not hasattr(scorer, "accepts_weight")
        or set(sample.options) - {"sample_weight"}
    ):
        return None
    model = cloned(estimator)
    try:
        for value in values:
            params.check(model.set_params(**{parameter: value}))
        data, _ = model._training_data(sample.X, sample.y, sample.weight)
    except (ParameterError, DataError, TypeError):
        return None  # the plain loop says what is wrong
    began = time.perf_counter()
    with single_threaded_blas(), kernel_limits(ambient.current().deadline):
        paths = model._validation_path(parameter, values, data, parts)
        if paths is None:
            return None
        seconds = (time.perf_counter() - began) / (len(values) * len(parts))
        outcomes: list[list[Outcome]] = [[] for _ in values]
        for (train, test), path in zip(parts, paths, strict=True):
            found = _scored(sample, model, scorer, test, path)
            trained = _scored(sample, model, scorer, train, path) if with_train else [(None, 0.0)] * len(values)
            for place, ((scores, taken), (training, _)) in enumerate(zip(found, trained, strict=True)):
                outcomes[place].append(Outcome(scores, training, seconds, taken))
    return outcomes


def _scored(sample: Sample, model: Any, scorer: Any, rows: Array, path: Any) -> list[tuple[Any, float]]:
    """Scores on some rows with each value, and the seconds they took; our scorers do not look at X."""
    n = sample.n
    began = time.perf_counter()
    answers = path(rows)
    per_value = (time.perf_counter() - began) / len(answers)
    weight = {} if sample.weight is None else {"sample_weight": _rows_of(sample.weight, rows, n)}
    part = Sample(rows, take_rows(sample.y, rows), weight)
    found = []
    for answer in answers:
        began = time.perf_counter()
        scores = scores_of(scorer, answering(model, answer), part)
        found.append((scores, per_value + time.perf_counter() - began))
    return found


def _rows_of(weight: Any, rows: Array, n: int) -> Any:
    return take_rows(weight, rows) if hasattr(weight, "__len__") and len(weight) == n else weight
