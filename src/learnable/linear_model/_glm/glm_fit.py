"""What generalised linear models share: the fit, the explained deviance, and the coefficient table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array, Data, Trace
from ...core.errors import DataError
from ...engines import matrix_products
from ...engines.minimise.row_losses import DevianceRows, LossRows, RowLoss, counted_rows, normalised_weights
from ...engines.minimise.smooth_solver import Smooth
from ...parts.losses.loss import Loss
from .glm_separation import means_vanish, state_glm_separation
from .glm_summary import glm_statistics

ENOUGH, WORTHWHILE = (
    30_000,
    8,
)  # rows of the sample for the initial values, used if there are this many times as many rows
SAMPLE_TOLERANCE = 1e-3  # tolerance of the fit to the sample


def fit_glm(model: Any, loss: Loss, power: float, data: Data, trace: Trace) -> None:
    """Minimise the mean half deviance plus alpha |w|^2 / 2, and set what the model learns; variance is mean^power."""
    loss.check(data.y)
    X, y, weight = counted_rows(data)
    row_weight = normalised_weights(weight, len(y))
    rows: RowLoss = (
        DevianceRows(y, row_weight, power) if loss.link == "log" and power > 0 else LossRows(loss, y, row_weight)
    )
    best = loss.best_constant(y, weight)
    coef, intercept = _initial_values(model, best)
    if loss.link == "log" and model.fit_intercept and not y.any():
        coef, intercept = np.zeros(X.shape[1]), best
        _certify_vanishing(rows.terms(np.full(len(y), best)).value, trace)
    else:
        if loss.link == "identity" and power != 0:
            _refuse_impossible_start(model, rows, X, coef, intercept)
        task = Smooth(X, rows, model.alpha, model.fit_intercept, model.solver, model.max_iter, model.tol)
        coef, intercept = task.solve(*_ahead(task, coef, intercept), trace)
        if model.alpha == 0 and loss.link == "log" and means_vanish(X, y, rows, coef, intercept, model.fit_intercept):
            state_glm_separation(trace)
    model.n_iter_ = trace.iterations
    model.coef_ = coef.astype(data.X.dtype)
    model.intercept_ = intercept if model.fit_intercept else 0.0
    half_deviances = (
        trace.rows[-1]["objective"] - model.alpha / 2 * float(coef @ coef),
        rows.terms(np.full(len(y), best)).value,
    )
    model.statistics_ = glm_statistics(model, loss, power, Data(X, y, weight, None), half_deviances)


def _initial_values(model: Any, best: float) -> tuple[Array, float]:
    """Initial values: the best intercept, or the previous solution with a warm start."""
    if model.warm_start and "coef_" in model.__dict__:
        return model.coef_.astype(np.float64), float(model.intercept_)
    return np.zeros(model.n_features_in_), best if model.fit_intercept else 0.0


def _ahead(task: Smooth, coef: Array, intercept: float) -> tuple[Array, float]:
    """Initial values for many rows from the fit to a sample of them.

    Not for a sample with zero targets only, nor for a warm start.
    """
    rows, step = task.rows, len(task.rows.row_weight) // ENOUGH
    if step < WORTHWHILE or not isinstance(rows, DevianceRows) or coef.any() or not rows.y[::step].any():
        return coef, intercept
    row_weight = np.ascontiguousarray(rows.row_weight[::step])
    few = DevianceRows(np.ascontiguousarray(rows.y[::step]), row_weight / row_weight.sum(), rows.power)
    return replace(task, X=task.X[::step].copy(), rows=few, tol=SAMPLE_TOLERANCE).solve(coef, intercept, Trace())


def _certify_vanishing(objective: float, trace: Trace) -> None:
    """Every target is zero: the smallest mean is optimal, and the columns explain nothing."""
    trace.record(objective)
    trace.stopped = "exact"
    trace.certify(
        "objective", objective, 1e-6, "every target is zero, and so is the minimum of the objective up to this amount"
    )


def _refuse_impossible_start(model: Any, rows: RowLoss, X: Any, coef: Array, intercept: float) -> None:
    if not np.isfinite(rows.terms(matrix_products.scores(X, coef, intercept)).value):
        raise DataError(
            f"{type(model).__name__}: with the identity link every mean must be positive, but the search cannot start "
            "there; use fit_intercept=True or link='log'"
        )


def explained_deviance(model: Any, loss: Loss, X: Any, y: Any, sample_weight: Any) -> float:
    """D², the fraction of the null deviance explained by the model: 1 at best."""
    matrix = model._read(X)
    target = model._validator.target(y, matrix.shape[0], np.float64, False)
    loss.check(target)
    row_weight = normalised_weights(model._validator.weights(sample_weight, len(target)), len(target))
    left = row_weight @ loss.value(
        target, matrix_products.scores(matrix, model.coef_, model.intercept_).astype(np.float64)
    )
    constant = np.full(len(target), loss.best_constant(target, row_weight))
    whole = row_weight @ loss.value(target, constant)
    if not whole > 0:
        return 1.0 if not left > 0 else 0.0
    return float(1 - left / whole)
