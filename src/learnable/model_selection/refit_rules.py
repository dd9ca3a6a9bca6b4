"""Which of several candidates to take, by their scores on every fold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked


@checked()
def minimal_error_rule(scores: Rows) -> int:
    """Index of the candidate with the best mean score, argmax_theta CV(theta); the first among equals.

    `scores` has a row per candidate and a column per fold; larger is better, and candidates without a score lose.

    >>> minimal_error_rule([[0.1, 0.3], [0.5, 0.7]])
    1
    """
    mean = _table("minimal_error_rule", scores).mean(axis=1)
    return int(np.where(np.isnan(mean), -np.inf, mean).argmax())


@checked()
def one_standard_error_rule(scores: Rows, complexity: Rows) -> int:
    """Index of the simplest candidate whose mean score is within one standard error of the best.

    CV(theta) >= CV(best) - SE(best), SE = sd over folds / sqrt(K). `complexity` has a number per candidate that grows
    with complexity; among equally simple ones the best score wins. [Breiman et al., 1984]

    >>> one_standard_error_rule([[0.4, 0.6], [0.1, 0.9], [0.5, 0.7]], complexity=[1, 2, 3])
    0
    """
    table, order = _table("one_standard_error_rule", scores), np.asarray(complexity, dtype=np.float64)
    if order.shape != (len(table),):
        raise ParameterError(
            f"one_standard_error_rule: complexity must have a number per candidate; got shape {order.shape} for "
            f"{len(table)} candidates"
        )
    mean, best = table.mean(axis=1), minimal_error_rule(table)
    if np.isnan(mean[best]):  # no candidate has a score
        return best
    allowed = mean >= mean[best] - standard_error(table[best])
    simplest = order[allowed].min()
    tied = allowed & (order == simplest)
    return int(np.where(tied, mean, -np.inf).argmax())


def standard_error(scores: Array) -> float:
    """sd / sqrt(K) of the scores of K folds."""
    return float(np.std(scores, ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0


def _table(owner: str, scores: Any) -> Array:
    """Scores with a row per candidate and a column per fold; some may be missing."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise DataError(f"{owner}: scores must have a row per candidate and a column per fold; got shape {table.shape}")
    return table
