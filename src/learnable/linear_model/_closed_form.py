"""Results of a fit in closed form: coefficients, statistics, a trace of one row, a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, ConvergenceWarning, Data, Trace
from ..core.errors import warn
from ..engines import matrix_products
from ..engines.minimise.linear_fit import PENALISED, TOLERANCES, LinearFit, Proof

SENTENCES: dict[Proof, str] = {
    "backward error": "the coefficients solve the problem for data changed by at most this fraction of each column.",
    "duality gap": "no other coefficients can lower the objective by more than this fraction of it.",
    "share of the target": "no other coefficients can lower the objective by more than the square of this fraction of "
    "the length of the target.",
    "optimality violation": "no component of the gradient exceeds this, relative to its terms.",
}


def keep(model: Any, fit: LinearFit, data: Data, trace: Trace) -> None:
    """Set the coefficients of `model` in the shape of the target, its summary statistics, and its certificate."""
    several = data.y.ndim == 2
    coef, intercept = stored(model, fit, data, trace)
    model.coef_ = coef if several else coef[0]
    model.intercept_ = (intercept if several else float(intercept[0])) if model.fit_intercept else 0.0
    model.statistics_ = {
        "weight": fit.weight,
        "rank": fit.rank,
        "freedom": fit.freedom,
        "condition": fit.condition,
        "deviation": fit.deviation,
        "total_deviation": fit.total_deviation,
        "root_inverse": fit.root_inverse,
        "intercept_root": fit.intercept_root,
        "intercept": model.fit_intercept,
        "positive": fit.proof == "optimality violation",
        "penalised": fit.proof in PENALISED,
        "log_precision": 0.0,
    }


def stored(model: Any, fit: LinearFit, data: Data, trace: Trace, shift: float = 0.0) -> tuple[Array, Array]:
    """Coefficients and intercepts, shifted by `shift`, in the type of the data; `trace` records the certificate.

    In single precision an intercept follows from the rounded coefficients: that of the precise ones would leave an
    error which grows with the distance of the columns from zero.
    """
    dtype = data.X.dtype
    coef, intercept = fit.coef.astype(dtype, copy=False), fit.intercept + shift
    rounding = float(np.finfo(dtype).eps)
    added, allowed = (rounding**2, rounding) if fit.proof == "duality gap" else (rounding, 64 * rounding)
    tolerance, error = max(TOLERANCES[fit.proof], allowed), fit.error + added
    if dtype != np.float64:
        change = coef - fit.coef
        if model.fit_intercept:
            intercept = intercept - change @ matrix_products.column_means(data.X, data.weight)
        if fit.proof in PENALISED:
            error = _error_after(change, intercept.astype(dtype) - shift - fit.intercept, fit, data)
    trace.record(fit.objective)
    trace.stopped = "exact"
    trace.certify(fit.proof, error, tolerance, SENTENCES[fit.proof])
    if not error <= tolerance:
        _warn_of_rounding(model, trace)
    return coef, intercept.astype(dtype, copy=False)


def _warn_of_rounding(model: Any, trace: Trace) -> None:
    """Warn that rounding limits the accuracy of the solution, with remedies."""
    other = ', or set solver="auto"' if getattr(model, "solver", "auto") != "auto" else ""
    warn(
        f"{type(model).__name__}: rounding limits the accuracy ({str(trace.certificate).rstrip('.')}); scale "
        f"the columns or leave out those that others nearly repeat{other}",
        ConvergenceWarning,
    )


def _error_after(change: Array, shift: Array, fit: LinearFit, data: Data) -> float:
    """The duality gap of the worst target, or the relative error, after a change of coefficients and intercepts.

    The roots of duality gaps of a quadratic function are distances from its minimum, which add up at most. Each
    coefficient moves by half a unit of its last digit at most, and with it the root of its penalty.
    """
    moved = matrix_products.precise_products(data.X, change.T, shift)
    weight = np.ones(data.n) if data.weight is None else data.weight
    gap = fit.proof == "duality gap"
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        beside = fit.deviation**2 + fit.penalty if gap else fit.total_deviation**2
        squares = weight @ moved**2 + (float(np.finfo(data.X.dtype).eps) / 2) ** 2 * fit.penalty
        relative = float(np.sqrt(np.where(squares == 0, 0.0, squares / beside).max()))
    return (np.sqrt(fit.error) + relative) ** 2 if gap else fit.error + relative
