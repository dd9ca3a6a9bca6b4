"""The coefficient table of a generalised linear model."""

from __future__ import annotations

from math import lgamma, log, pi
from typing import Any, NotRequired, TypedDict

import numpy as np

from ...core import Array, Data, Matrix
from ...core.errors import not_fitted
from ...engines import matrix_products
from ...engines.minimise.orthogonalise import nearly_dependent, spanned, varies
from ...engines.minimise.spd_solve import PositiveSystem
from ...engines.sufficient_statistics import Moments
from ...parts.losses.loss import Loss
from .._linear_summary import (
    NOT_UNIQUE,
    NOTHING_LEFT,
    Summary,
    check_level,
    coefficients,
    root_of,
    rows,
    unknown,
    unvaried,
)


class GlmStatistics(TypedDict):
    """Statistics of the table; the last entries only without a penalty."""

    weight: float
    deviance: float
    null_deviance: float
    power: float
    pearson_chi2: NotRequired[float]
    likelihood: NotRequired[list[float]]
    root_inverse: NotRequired[Array | None]
    intercept_root: NotRequired[float]
    identified: NotRequired[int]


MAX_COLUMNS = 2000  # columns up to which the rank is computed; more are assumed to have full rank
PENALISED = "The coefficients are shrunk by a penalty: classical standard errors, z and p values do not apply."


def glm_statistics(
    model: Any, loss: Loss, power: float, data: Data, half_deviances: tuple[float, float]
) -> GlmStatistics:
    """The statistics of a fitted model; standard errors only without a penalty.

    `half_deviances` are those of the model and of the best constant, row means; `data` have no row of weight zero.
    The curvature is the expected one, mean^(2 - power) per row for the log link, as in Fisher scoring.
    """
    X, y, count = data.X, data.y, np.ones(data.n) if data.weight is None else data.weight
    weight = float(count.sum())
    deviance, null_deviance = (2 * weight * half for half in half_deviances)
    facts: GlmStatistics = {
        "weight": weight, "deviance": deviance, "null_deviance": null_deviance, "power": power
    }  # fmt: skip
    if model.alpha > 0:
        return facts
    mean = loss.predict(matrix_products.precise_scores(X, model.coef_.astype(np.float64), model.intercept_))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        pearson = float(count @ ((y - mean) ** 2 / mean**power))
        curvature = count * (mean ** (2 - power) if loss.link == "log" else mean**-power)
    facts["pearson_chi2"], facts["likelihood"] = pearson, _likelihood_parts(y, mean, count, power)
    facts["root_inverse"], facts["intercept_root"] = standard_roots(X, curvature, model.fit_intercept)
    if facts["root_inverse"] is None:
        facts["identified"] = identified(X, count, model.fit_intercept)
    return facts


def standard_roots(X: Matrix, curvature: Array, fit_intercept: bool) -> tuple[Array | None, float]:
    """Standard errors of coefficients and intercept for a dispersion of one; none if the columns are not independent.

    Those of columns that do not vary are NaN.
    """
    usable = np.isfinite(curvature).all() and curvature.any()
    moments = Moments.of(X, np.zeros((len(curvature), 1)), curvature, fit_intercept) if usable else None
    if moments is None or X.shape[0] <= X.shape[1] or nearly_dependent(X, moments):
        return None, np.nan
    varied, root = varies(moments), np.full(X.shape[1], np.nan)
    if not varied.any():
        return root, float(np.sqrt(1 / moments.weight))
    inverse, mean = PositiveSystem(moments.gram[np.ix_(varied, varied)]).inverse(), moments.mean_x[varied]
    root[varied] = np.sqrt(inverse.diagonal())
    return root, float(np.sqrt(1 / moments.weight + float(mean @ inverse @ mean)))


def identified(X: Matrix, count: Array, fit_intercept: bool) -> int:
    """The number of identified coefficients: the rank of the columns, and one for the intercept."""
    rows, columns = X.shape
    if columns > MAX_COLUMNS:
        return int(min(rows, columns + fit_intercept))
    return spanned(Moments.of(X, np.zeros((rows, 1)), count, fit_intercept)) + fit_intercept


def _likelihood_parts(y: Array, mean: Array, count: Array, power: float) -> list[float]:
    """The sums over rows that the log-likelihood needs, for families that have a simple one."""
    if power == 1:
        from scipy.special import gammaln

        return [float(count @ (y * np.log(np.where(y > 0, mean, 1.0)) - mean - gammaln(y + 1)))]
    if power == 2:
        ratio = y / mean
        return [float(count @ (np.log(ratio) - ratio)), float(count @ np.log(y))]
    return [float(count @ (y - mean) ** 2)] if power == 0 else []


def _likelihood(facts: GlmStatistics, dispersion: float) -> float:
    """The log-likelihood at the estimated dispersion (for Gaussian noise at its maximum-likelihood value)."""
    parts, weight = facts["likelihood"], facts["weight"]
    if not parts or not dispersion > 0:
        return np.nan
    if facts["power"] == 1:
        return float(parts[0])
    if facts["power"] == 0:
        return float(-weight / 2 * (log(2 * pi * parts[0] / weight) + 1))
    shape = 1 / dispersion
    return float(shape * parts[0] - parts[1] + weight * (shape * log(shape) - lgamma(shape)))


def glm_summary(model: Any, level: float) -> Summary:
    """Coefficients with standard errors, z, p and intervals, the deviances and the information criteria."""
    check_level(level)
    if "statistics_" not in model.__dict__:
        raise not_fitted(model)
    facts: GlmStatistics = model.statistics_
    names, coef = coefficients(model)
    table: dict[str, Any] = {"name": names, "coef": coef}
    parameters = facts.get("identified", len(coef) - unknown(facts))
    free = facts["weight"] - parameters
    explained = 1 - facts["deviance"] / facts["null_deviance"] if facts["null_deviance"] > 0 else np.nan
    quality = {"d_squared": explained, "deviance": facts["deviance"], "null_deviance": facts["null_deviance"]}
    notes: list[str] = []
    if "pearson_chi2" not in facts:
        notes.append(PENALISED)
    else:
        known = facts["power"] == 1
        dispersion = 1.0 if known else facts["pearson_chi2"] / free if free > 0 else np.nan
        likelihood = _likelihood(facts, dispersion)
        quality |= {
            "pearson_chi2": facts["pearson_chi2"],
            "dispersion": dispersion,
            "log_likelihood": likelihood,
            "aic": 2 * parameters - 2 * likelihood,
            "bic": log(facts["weight"]) * parameters - 2 * likelihood,
            "degrees_of_freedom": free,
        }
        coef_roots = facts["root_inverse"]
        if coef_roots is None:
            notes.append(NOT_UNIQUE)
        elif np.isnan(dispersion):
            notes.append(NOTHING_LEFT.format(rows=facts["weight"], count=len(coef)))
        else:
            root = root_of(coef_roots, facts["intercept_root"], model)
            table |= z_tests(coef, np.sqrt(dispersion) * root, level)
            notes += unvaried(table)
    return Summary(f"{model!r}, {rows(facts)}", table, quality, level, notes)


def z_tests(coef: Array, std_err: Array, level: float) -> dict[str, Array]:
    """Normal z statistics, two-sided p values, and the interval at `level`."""
    from scipy.special import ndtr, ndtri

    with np.errstate(divide="ignore", invalid="ignore"):
        z = coef / std_err
    reach = ndtri((1 + level) / 2) * std_err
    return {"std_err": std_err, "z": z, "p": 2 * ndtr(-np.abs(z)), "low": coef - reach, "high": coef + reach}
