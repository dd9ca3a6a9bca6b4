"""What generalised linear models share: the fit, the explained deviance, and the coefficient table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Trace
from ..core.errors import DataError
from ..engines import design
from ..engines.minimise.rows import LossRows, counted, shares
from ..engines.minimise.smooth import Smooth
from ..parts.losses.loss import Loss


def fit_glm(model: Any, loss: Loss, data: Data, trace: Trace) -> None:
    """Minimise the mean half deviance plus alpha |w|^2 / 2, and set what the model learns."""
    loss.check(data.y)
    X, y, weight = counted(data)
    rows = LossRows(loss, y, shares(weight, len(y)))
    coef, constant = _beginning(model, loss, y, weight)
    if loss.link == "log" and model.fit_intercept and not y.any():
        coef, constant = _vanishing(rows, coef, trace)
    else:
        _refuse_impossible_start(model, rows, X, coef, constant)
        task = Smooth(X, rows, model.alpha, model.fit_intercept, model.solver, model.max_iter, model.tol)
        coef, constant = task.solve(coef, constant, trace)
    model.n_iter_ = trace.iterations
    model.coef_ = coef.astype(data.X.dtype)
    model.intercept_ = constant if model.fit_intercept else 0.0


def _beginning(model: Any, loss: Loss, y: Array, weight: Array | None) -> tuple[Array, float]:
    """Where to start: at the best constant, or at what the model learned before if it starts warm."""
    if model.warm_start and "coef_" in model.__dict__:
        return model.coef_.astype(np.float64), float(model.intercept_)
    return np.zeros(model.n_features_in_), loss.best_constant(y, weight) if model.fit_intercept else 0.0


def _vanishing(rows: LossRows, coef: Array, trace: Trace) -> tuple[Array, float]:
    """Every target is zero: the mean is as small as can be, and no column has anything to explain."""
    constant = rows.loss.best_constant(rows.y)
    objective = rows.terms(np.full(len(rows.y), constant)).value
    trace.record(objective)
    trace.stopped = "exact"
    trace.certify("objective", objective, 1e-6, "every target is zero, and so is the least objective to this amount")
    return np.zeros_like(coef), constant


def _refuse_impossible_start(model: Any, rows: LossRows, X: Any, coef: Array, constant: float) -> None:
    if not np.isfinite(rows.terms(design.scores(X, coef, constant)).value):
        raise DataError(
            f"{type(model).__name__}: with the identity link every mean must be positive, but the search cannot start "
            "there; use fit_intercept=True or link='log'"
        )


def explained_deviance(model: Any, loss: Loss, X: Any, y: Any, sample_weight: Any) -> float:
    """D², the share of the deviance of the best constant that the model removes: 1 at best, 0 if none was there."""
    matrix = model._read(X)
    target = model._door.target(y, matrix.shape[0], np.float64, False)
    loss.check(target)
    share = shares(model._door.weights(sample_weight, len(target)), len(target))
    left = share @ loss.value(target, design.scores(matrix, model.coef_, model.intercept_).astype(np.float64))
    constant = np.full(len(target), loss.best_constant(target, share))
    whole = share @ loss.value(target, constant)
    if not whole > 0:
        return 1.0 if not left > 0 else 0.0
    return float(1 - left / whole)
