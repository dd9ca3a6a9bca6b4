"""Trials that differ in one parameter only, done together by an estimator that knows how."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare import params
from ..core.roles.estimator import cloned
from ..core.sklearn_api.routing import declines
from ..core.validate.rows import take_rows
from ..engines.cv_path import has_path, last_step, with_fixed_outputs
from ..engines.folds import Fold
from ..engines.parallel import each
from ..engines.time_budget import within_budget
from ._cached_prefix import TrialRows, one_below_the_other, warmed
from ._evaluation import FitArguments, Outcome, scores_of


@dataclass(frozen=True, slots=True)
class Family:
    """Models that differ in the values of one parameter, their scorer, and the score of a failed fit."""

    estimator: Any
    parameter: str
    values: list[Any]
    scorer: Any
    error_score: Any

    def of_last_step(self) -> Family:
        """The same models without the steps before the last one."""
        inner = self.parameter.partition("__")[2]
        return replace(self, estimator=last_step(self.estimator)[1], parameter=inner)


def together(
    sample: FitArguments, family: Family, parts: list[Fold], with_train: bool, n_jobs: int | None = None
) -> list[list[Outcome]] | None:
    """The outcome of every value on every fold, `found[value][fold]`, as the plain loop gives it but for rounding.

    None means that the plain loop has to do it: the estimator has no shortcut for this parameter, the scorer asks for
    more than the predictions of a model, or its fit takes more than weights.
    """
    known = has_path(family.estimator, family.parameter) and getattr(family.scorer, "predictions_only", False)
    if not known or set(sample.options) - {"sample_weight"}:
        return None
    rows = [TrialRows.of(fold, with_train) for fold in parts]
    return _outcomes(sample, family, rows, n_jobs)


def _outcomes(
    sample: FitArguments, family: Family, parts: list[TrialRows], n_jobs: int | None
) -> list[list[Outcome]] | None:
    if "__" not in family.parameter:
        return _all_folds(sample, family, parts)
    found: list[Any] = [None] * len(parts)
    for place, outcomes in each(_behind_other_steps, (sample, family), parts, n_jobs):
        found[place] = outcomes
    return None if any(outcomes is None for outcomes in found) else [list(row) for row in zip(*found, strict=True)]


def _behind_other_steps(sample: FitArguments, family: Family, part: TrialRows) -> list[Outcome] | None:
    """The outcome of each value on one fold, where other steps come first: they are fitted once."""
    began = time.perf_counter()
    split = warmed(sample, family.estimator, part)
    joined = None if split is None else one_below_the_other(split)
    if joined is None:
        return None
    seconds = (time.perf_counter() - began) / len(family.values)
    stacked, indices = joined
    found = _outcomes(stacked, family.of_last_step(), [indices], None)
    if found is None:
        return None
    for (outcome,) in found:
        outcome.fit_seconds += seconds
    return [outcome for (outcome,) in found]


def _all_folds(sample: FitArguments, family: Family, parts: list[TrialRows]) -> list[list[Outcome]] | None:
    """The outcomes where the estimator itself has the shortcut: one call for all folds."""
    model, values = cloned(family.estimator), family.values
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        return None  # such as a strength for each target
    if sample.weight is not None and declines(model, "fit", "sample_weight"):
        return None  # weights that count in scores alone
    try:
        for value in values:
            params.check(model.set_params(**{family.parameter: value}))
        data, _ = model._training_data(sample.X, sample.y, sample.weight)
    except (ParameterError, DataError, TypeError):
        return None  # the plain loop says what is wrong
    began = time.perf_counter()
    with within_budget():
        paths = model._validation_path(family.parameter, values, data, [(part.train, part.test) for part in parts])
        if paths is None:
            return None
        seconds = (time.perf_counter() - began) / (len(values) * len(parts))
        outcomes: list[list[Outcome]] = [[] for _ in values]
        for part, path in zip(parts, paths, strict=True):
            found = _scored(sample, model, family, part.test, path)
            trained = [(None, 0.0)] * len(values)
            if part.trained is not None:
                trained = _scored(sample, model, family, part.trained, path)
            for place, ((scores, taken), (training, _)) in enumerate(zip(found, trained, strict=True)):
                outcomes[place].append(Outcome(scores, training, seconds, taken))
    return outcomes


def _scored(sample: FitArguments, model: Any, family: Family, rows: Array, path: Any) -> list[tuple[Any, float]]:
    """Scores on some rows with each value, and the seconds they took; these scorers do not use X."""
    n = sample.n
    began = time.perf_counter()
    predictions = path(rows)
    per_value = (time.perf_counter() - began) / len(predictions)
    weight = {} if sample.weight is None else {"sample_weight": _rows_of(sample.weight, rows, n)}
    part = FitArguments(rows, take_rows(sample.y, rows), weight)
    found = []
    for prediction in predictions:
        began = time.perf_counter()
        scores = scores_of(family.scorer, with_fixed_outputs(model, prediction), part, family.error_score)
        found.append((scores, per_value + time.perf_counter() - began))
    return found


def _rows_of(weight: Any, rows: Array, n: int) -> Any:
    return take_rows(weight, rows) if np.ndim(weight) == 1 and len(weight) == n else weight
