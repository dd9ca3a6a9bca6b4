"""Trials that differ in one parameter only, done together by an estimator that knows how."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare import params
from ..core.roles.estimator import cloned
from ..core.sklearn_api.routing import declines
from ..core.validate.rows import take_rows
from ..engines.cv_path import MethodOutputs
from ..engines.folds import Fold
from ..engines.parallel import each
from ..engines.time_budget import within_budget
from ._cached_prefix import one_below_the_other, warmed
from ._evaluation import FitArguments, Outcome, TrialRows, scores_of


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


def has_path(estimator: Any, parameter: str) -> bool:
    """Whether the estimator, or the last of its steps, has a path for this parameter."""
    name, mark, inner = parameter.partition("__")
    if not mark:
        return _is_ours(estimator) and parameter in getattr(estimator, "validation_paths", ())
    last, step = last_step(estimator)
    return name == last and has_path(step, inner)


def last_step(estimator: Any) -> tuple[str, Any]:
    """Name and estimator at the end of a sequence of steps; an empty name for everything else."""
    found: tuple[str, Any] = getattr(estimator, "_last_step", ("", None)) if _is_ours(estimator) else ("", None)
    return found


def _is_ours(estimator: Any) -> bool:
    """Whether its class is one of this package: a subclass outside may fit and predict differently."""
    return type(estimator).__module__.partition(".")[0] == "learnable"


def of_last_step(estimator: Any, candidate: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the last step, by their names in it, and all others.

    >>> from learnable import Ridge, StandardScaler, make_pipeline
    >>> of_last_step(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": 1.0, "standardscaler__with_std": False})
    ({'alpha': 1.0}, {'standardscaler__with_std': False})
    """
    name, _ = last_step(estimator)
    mark = f"{name}__"
    own = {key.removeprefix(mark): value for key, value in candidate.items() if name and key.startswith(mark)}
    return own, {key: value for key, value in candidate.items() if not name or not key.startswith(mark)}


def is_applicable(sample: FitArguments, family: Family) -> bool:
    """Whether there is a path for the parameter, and scorer and fit need no more than predictions and weights."""
    known = has_path(family.estimator, family.parameter) and getattr(family.scorer, "predictions_only", False)
    return bool(known) and not set(sample.options) - {"sample_weight"} and not sample.scored


def together(
    sample: FitArguments, family: Family, parts: list[Fold], with_train: bool, n_jobs: int | None = None
) -> list[list[Outcome]] | None:
    """The outcome of every value on every fold, `found[value][fold]`, as the plain loop gives it but for rounding.

    None means that the plain loop has to do it. The caller limits the kernels to its budget, as a fit does, or
    `within_budget`.
    """
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
    with within_budget():  # which a worker does not inherit from the fit around it
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
    paths = model._validation_path(family.parameter, values, data, [(part.train, part.test) for part in parts])
    if paths is None:
        return None
    seconds = (time.perf_counter() - began) / (len(values) * len(parts))
    outcomes: list[list[Outcome]] = [[] for _ in values]
    flat = data.y.ndim == 1
    for part, path in zip(parts, paths, strict=True):
        found = _scored(sample, model, family, part.test, path, flat)
        trained = [(None, 0.0)] * len(values)
        if part.trained is not None:
            trained = _scored(sample, model, family, part.trained, path, flat)
        for place, ((scores, taken), (training, _)) in enumerate(zip(found, trained, strict=True)):
            outcomes[place].append(Outcome(scores, training, seconds, taken))
    return outcomes


def _scored(
    sample: FitArguments, model: Any, family: Family, rows: Array, path: Any, flat: bool
) -> list[tuple[Any, float]]:
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
        scores = scores_of(family.scorer, _with_fixed_outputs(model, prediction, flat), part, family.error_score)
        found.append((scores, per_value + time.perf_counter() - began))
    return found


def _rows_of(weight: Any, rows: Array, n: int) -> Any:
    return take_rows(weight, rows) if np.ndim(weight) == 1 and len(weight) == n else weight


def _with_fixed_outputs(estimator: Any, outputs: MethodOutputs, flat: bool) -> Any:
    """A copy of `estimator` whose methods return these outputs for any input; flat predictions for flat targets."""
    model = cloned(estimator)
    for name, value in outputs.items():
        flattened = value[:, 0] if flat and name == "predict" and value.ndim == 2 else value
        model.__dict__[name] = value if name.endswith("_") else _constant(name, flattened)
    return model


def _constant(name: str, value: Array) -> Callable[[Any], Array]:
    def fixed(X: Any) -> Array:
        return value

    fixed.__name__ = name
    return fixed
