"""Coefficients of scaled columns mapped back to the given columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Model, checked
from ..engines.sparse_coefficients import dense


@checked()
def unscaled_coefficients(model: Model) -> tuple[Array, Any]:
    """Coefficients and intercept for the given columns, of a fitted pipeline that scales them before a linear model.

    X w + b  with  w_j = v_j / scale_j  and  b = c - sum_j w_j centre_j   for the coefficients v, c of scaled columns

    The steps before the model may be `StandardScaler`, `MinMaxScaler`, `MaxAbsScaler` and `RobustScaler`, one or
    several. A target scaled by `TransformedTargetRegressor` is mapped back too, if the pipeline is its regressor.
    [Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 2009, section 3.4]

    >>> from learnable import Ridge, StandardScaler, make_pipeline
    >>> X, y = [[0.0], [10.0], [20.0], [30.0]], [1.0, 2.0, 3.0, 4.0]
    >>> coef, intercept = unscaled_coefficients(make_pipeline(StandardScaler(), Ridge(1e-9)).fit(X, y))
    >>> coef.round(3), round(intercept, 3)
    (array([0.1]), 1.0)
    """
    if hasattr(model, "regressor_") and hasattr(model, "transformer_"):
        inner, offset = unscaled_coefficients(model.regressor_)
        factor, shift = (np.ravel(part) for part in _map_of(model.transformer_))
        if len(factor) != 1 or inner.ndim != 1:
            raise DataError("unscaled_coefficients: the target must be a single column")
        return inner / factor[0], float((offset - shift[0]) / factor[0])
    steps = [model[k] for k in range(len(model.steps))] if hasattr(model, "steps") else [model]
    last = steps[-1]
    if not (hasattr(last, "coef_") and hasattr(last, "intercept_")):
        raise DataError(f"unscaled_coefficients: {type(last).__name__} has no coef_ and intercept_; fit a linear model")
    coef = np.array(dense(last.coef_), dtype=np.float64)
    intercept: Any = np.asarray(last.intercept_, dtype=np.float64)
    for step in reversed(steps[:-1]):
        if step is None or isinstance(step, str):
            continue
        factor, shift = _map_of(step)
        intercept = intercept + coef @ shift
        coef = coef * factor
    return coef, float(intercept) if intercept.ndim == 0 else intercept


def _map_of(scaler: Any) -> tuple[Array, Array]:
    """The factors and shifts of a scaler: z = factor x + shift."""
    if hasattr(scaler, "data_min_"):
        return np.asarray(scaler.scale_), np.asarray(scaler.min_)
    if not any(hasattr(scaler, name) for name in ("max_abs_", "mean_", "center_")) or hasattr(scaler, "components_"):
        raise DataError(
            f"unscaled_coefficients: {type(scaler).__name__} does not shift and scale single columns, so that its "
            "coefficients have no counterpart for the given columns"
        )
    scale, centre = scaler.scale_, getattr(scaler, "mean_", getattr(scaler, "center_", None))
    if getattr(scaler, "with_mean", True) is False:
        centre = None
    count = scaler.n_features_in_
    factor = np.ones(count) if scale is None else 1 / np.asarray(scale, dtype=np.float64)
    return factor, np.zeros(count) if centre is None else -np.asarray(centre, dtype=np.float64) * factor
