"""Validation sets of boosting: held-out rows, and scores for early stopping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.numeric import is_fraction
from ...core.runtime.random import generator
from ...core.sklearn_api.routing import weight_for
from ...engines.trees.boosting import EarlyStopping, TrainingSet, mean_loss
from .heads import Head

HELD_OUT = 4  # key of the draw
MAX_ROWS_SCORED = (
    10_000  # rows beyond which early stopping is automatic, and the maximum that a scorer reads in training
)


@dataclass(frozen=True)
class StoppingOptions:
    """Parameters of early stopping: `enabled` of None depends on the number of rows, `parameter` is its name."""

    enabled: bool | None
    validation_fraction: int | float | None
    n_iter_no_change: int
    tol: float
    scoring: Any = "loss"
    keep_best: bool = False
    parameter: str = "early_stopping"


def held_out_rows(
    model: Any, fraction: int | float, rows: Array, seed: int, strata: Array | None
) -> tuple[Array, Array]:
    """Rows for training and rows for validation, a number or a fraction, stratified."""
    count = int(np.ceil(fraction * len(rows))) if is_fraction(fraction) else int(fraction)
    if not 0 < count < len(rows):
        raise DataError(
            f"{type(model).__name__}: validation_fraction={fraction} of {len(rows)} rows leaves an empty set "
            f"({len(rows) - count} and {count}); change it, pass more rows, or disable early stopping"
        )
    drawn = generator(seed, HELD_OUT).permutation(rows)
    if strata is not None:  # row n of a stratum of m rows is put at n / m: neighbours then come from all strata
        labels, position = strata[drawn], np.empty(len(drawn))
        for label in np.unique(labels):
            here = np.flatnonzero(labels == label)
            position[here] = (np.arange(len(here)) + 0.5) / len(here)
        drawn = drawn[np.argsort(position, kind="stable")]
    return np.sort(drawn[count:]), np.sort(drawn[:count])


def early_stopping(model: Any, loss: Any, head: Head, training: TrainingSet, options: StoppingOptions) -> EarlyStopping:
    """The stopping rule: minus the mean loss, or a scorer, on the validation rows."""
    by_loss = isinstance(options.scoring, str) and options.scoring == "loss"
    score = _loss_score(loss, head, training) if by_loss else _scorer_score(model, head, training, options.scoring)
    return EarlyStopping(score, options.n_iter_no_change, options.tol, by_loss, options.keep_best)


def _loss_score(loss: Any, head: Head, training: TrainingSet) -> Callable[[Array, Array | None], float]:
    return lambda scores, rows: -head.loss_unit * mean_loss(loss, *training.subset(rows, scores))


def _scorer_score(
    model: Any, head: Head, training: TrainingSet, scoring: Any
) -> Callable[[Array, Array | None], float]:
    from ...metrics import check_scoring

    scorer = check_scoring(model, scoring)
    known = np.arange(len(training.y)) if training.rows is None else training.rows
    few = (
        known
        if len(known) <= MAX_ROWS_SCORED
        else generator(model.seed_, MAX_ROWS_SCORED).choice(known, MAX_ROWS_SCORED, replace=False)
    )

    def score(scores: Array, rows: Array | None) -> float:
        rows = rows if rows is not None and rows is training.held_out else few
        y, chosen, weight = training.subset(rows, scores)
        snapshot = head.snapshot(chosen.T)
        return float(scorer(snapshot, rows[:, None], snapshot.original_target(y), **weight_for(scorer, weight)))

    return score
