"""The coefficient table of a logistic model of two classes."""

from __future__ import annotations

from math import log
from typing import Any, NotRequired, TypedDict

import numpy as np

from ..core import Array
from ..core.errors import DataError, not_fitted
from ..engines import design
from ..parts.losses.logistic import Logistic
from .glm_summary import PENALISED, standard_roots, z_tests
from .logistic import Task
from .summary import NOT_UNIQUE, Summary, check_level, coefficients, root_of, rows, unknown, unvaried


class LogisticStatistics(TypedDict):
    """What the table is made of; the last entries only where nothing is shrunk and there are two classes."""

    weight: float
    log_likelihood: NotRequired[float]
    null_log_likelihood: NotRequired[float]
    root_inverse: NotRequired[Array | None]
    intercept_root: NotRequired[float]


def logistic_statistics(task: Task, found: Array) -> LogisticStatistics:
    """Standard errors are the roots of the diagonal of (X'WX)^-1, W = diag(weight p (1 - p)); only without penalty."""
    facts: LogisticStatistics = {"weight": task.total()}
    if task.strength > 0 or len(found) > 1:
        return facts
    count = np.ones(len(task.code)) if task.weight is None else task.weight
    y, loss = (task.code == 1).astype(np.float64), Logistic()
    z = design.precise_scores(task.X, found[0, :-1], float(found[0, -1]))
    constant = loss.best_constant(y, count) if task.intercept else 0.0
    facts["log_likelihood"] = -float(count @ loss.value(y, z))
    facts["null_log_likelihood"] = -float(count @ loss.value(y, np.full(len(y), constant)))
    facts["root_inverse"], facts["intercept_root"] = standard_roots(
        task.X, count * loss.curvature(y, z), task.intercept
    )
    return facts


def logistic_summary(model: Any, level: float) -> Summary:
    """Coefficients with standard errors, z, p, intervals and odds ratios, and the likelihoods."""
    check_level(level)
    if "statistics_" not in model.__dict__:
        raise not_fitted(model)
    if len(model.coef_) > 1:
        raise DataError(
            f"{type(model).__name__}: a coefficient table is of two classes; this model has {len(model.classes_)}; "
            "fit one class against the rest, or each of them by OneVsRestClassifier"
        )
    facts: LogisticStatistics = model.statistics_
    names, coef = coefficients(model)
    table: dict[str, Any] = {"name": names, "coef": coef}
    quality: dict[str, float] = {}
    notes: list[str] = []
    if "log_likelihood" not in facts:
        notes.append(PENALISED)
    else:
        quality = _quality(facts, len(coef) - unknown(facts))
        slopes = facts["root_inverse"]
        if slopes is None:
            notes.append(NOT_UNIQUE)
        else:
            table |= z_tests(coef, root_of(slopes, facts["intercept_root"], model), level)
            notes += unvaried(table)
    with np.errstate(over="ignore"):
        table["odds_ratio"] = np.exp(coef)
        if "low" in table:
            table["odds_low"], table["odds_high"] = np.exp(table["low"]), np.exp(table["high"])
    title = f"{model!r}, {rows(facts)}, log-odds of {model.classes_[1]}"
    return Summary(title, table, quality, level, notes)


def _quality(facts: LogisticStatistics, parameters: int) -> dict[str, float]:
    """Likelihoods, McFadden's R² and the information criteria."""
    reached, null = facts["log_likelihood"], facts["null_log_likelihood"]
    return {
        "log_likelihood": reached,
        "null_log_likelihood": null,
        "pseudo_r_squared": 1 - reached / null if null < 0 else np.nan,
        "deviance": -2 * reached,
        "aic": 2 * parameters - 2 * reached,
        "bic": log(facts["weight"]) * parameters - 2 * reached,
    }
