"""Generalised linear regression on rows in blocks: Newton's method, a pass for each step."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...core import Array, Data, DataError, Trace
from ...engines.minimise.newton_on_blocks import minimise_on_blocks
from ...engines.passes import TrainingRows
from ...parts.losses.loss import Loss
from .glm_summary import GlmStatistics


def fit_glm_on_blocks(model: Any, loss: Loss, power: float, rows: TrainingRows, trace: Trace) -> None:
    """Minimise the mean half deviance plus alpha |w|^2 / 2, and set what the model learns; variance is mean^power."""
    if loss.link == "identity" and power != 0:
        raise DataError(f"{type(model).__name__}: the identity link needs all rows at once; set link='log'")
    totals: Array = rows.total(partial(checked_totals, loss=loss))
    if not totals[1] > 0 and loss.link == "log":
        raise DataError(f"{type(model).__name__}: all targets are zero; there is nothing to learn")
    mean = np.array([totals[1] / totals[0]])
    best = loss.best_constant(mean)

    def start() -> tuple[Array, float]:
        return np.zeros(rows.first.p), best if model.fit_intercept else 0.0

    found = minimise_on_blocks(
        rows, loss, targets_of, model.alpha, model.fit_intercept, model.max_iter, float(model.tol), trace, start
    )
    model.n_iter_ = trace.iterations
    model.coef_ = found.coef.astype(rows.first.X.dtype)
    model.intercept_ = found.intercept
    null: Array = rows.total(partial(null_loss, loss=loss, constant=best))
    statistics: GlmStatistics = {
        "weight": float(totals[0]),
        "deviance": 2 * float(totals[0]) * found.state["value"],
        "null_deviance": 2 * float(null),
        "power": power,
    }
    model.statistics_ = statistics


def targets_of(block: Data) -> tuple[Array, Array]:
    """Targets and weights of a block."""
    return block.y.astype(np.float64), np.ones(block.n) if block.weight is None else block.weight


def checked_totals(block: Data, loss: Loss) -> Array:
    """The weight of the rows of a block, and the weighted sum of their targets."""
    loss.check(block.y)
    y, weight = targets_of(block)
    return np.array([weight.sum(), weight @ y])


def null_loss(block: Data, loss: Loss, constant: float) -> Array:
    """The loss of a constant score."""
    y, weight = targets_of(block)
    return np.asarray(weight @ loss.value(y, np.full(len(y), constant)))
