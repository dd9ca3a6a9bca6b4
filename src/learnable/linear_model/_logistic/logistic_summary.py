"""The coefficient table of a logistic model."""

from __future__ import annotations

from math import log
from typing import Any, NotRequired, TypedDict

import numpy as np

from ...core import Array
from ...core.errors import not_fitted
from ...engines import matrix_products
from ...parts.losses.logistic import Logistic
from .._glm.glm_summary import PENALISED, identified, standard_roots, z_tests
from .._linear_summary import NOT_UNIQUE, Summary, check_level, coefficients, root_of, rows, unvaried
from .logistic_objective import LogisticProblem
from .multinomial_summary import coefficients_of_classes, flat_roots, likelihoods, roots_of_classes, roots_of_each


class LogisticStatistics(TypedDict):
    """Statistics of the table; the last entries only without a penalty, `class_roots` for several classes."""

    weight: float
    log_likelihood: NotRequired[float]
    null_log_likelihood: NotRequired[float]
    root_inverse: NotRequired[Array | None]
    intercept_root: NotRequired[float]
    class_roots: NotRequired[Array | None]
    identified: NotRequired[int]


def logistic_statistics(problem: LogisticProblem, found: Array, one_by_one: bool = False) -> LogisticStatistics:
    """Standard errors are the roots of the diagonal of (X'WX)^-1, W = diag(weight p (1 - p)); only without penalty."""
    facts: LogisticStatistics = {"weight": problem.total()}
    if problem.alpha > 0:
        return facts
    if len(found) > 1:
        return facts | _of_classes(problem, found, one_by_one)
    count = np.ones(len(problem.code)) if problem.weight is None else problem.weight
    y, loss = (problem.code == 1).astype(np.float64), Logistic()
    z = matrix_products.precise_scores(problem.X, found[0, :-1], float(found[0, -1]))
    constant = loss.best_constant(y, count) if problem.fit_intercept else 0.0
    facts["log_likelihood"] = -float(count @ loss.value(y, z))
    facts["null_log_likelihood"] = -float(count @ loss.value(y, np.full(len(y), constant)))
    facts["root_inverse"], facts["intercept_root"] = standard_roots(
        problem.X, count * loss.curvature(y, z), problem.fit_intercept
    )
    if facts["root_inverse"] is None:
        facts["identified"] = identified(problem.X, count, problem.fit_intercept)
    return facts


def _of_classes(problem: LogisticProblem, found: Array, one_by_one: bool) -> LogisticStatistics:
    """What the table of several classes is made of; likelihoods only where all classes were fitted together."""
    facts: LogisticStatistics = {"weight": problem.total()}
    if one_by_one:
        facts["class_roots"] = roots_of_each(problem, found)
        return facts
    scores = matrix_products.scores(problem.X, found[:, :-1], found[:, -1])
    facts["log_likelihood"], facts["null_log_likelihood"] = likelihoods(problem, scores)
    facts["class_roots"] = roots_of_classes(problem, scores)
    if facts["class_roots"] is None:
        count = np.ones(len(problem.code)) if problem.weight is None else problem.weight
        facts["identified"] = (problem.classes - 1) * identified(problem.X, count, problem.fit_intercept)
    return facts


def logistic_summary(model: Any, level: float) -> Summary:
    """Coefficients with standard errors, z, p, intervals and odds ratios, and the likelihoods."""
    check_level(level)
    if "statistics_" not in model.__dict__:
        raise not_fitted(model)
    facts: LogisticStatistics = model.statistics_
    several = model.coef_.shape[0] > 1
    names, coef, title = _named(model)
    roots = _roots(model, facts, several)
    table: dict[str, Any] = {"name": names, "coef": coef}
    notes = [PENALISED] if facts.keys() == {"weight"} else [NOT_UNIQUE] if roots is None else []
    if roots is not None:
        table |= z_tests(coef, roots, level)
        notes += unvaried(table)
    with np.errstate(over="ignore"):
        table["odds_ratio"] = np.exp(coef)
        if "low" in table:
            table["odds_low"], table["odds_high"] = np.exp(table["low"]), np.exp(table["high"])
    known = facts.get("identified", len(coef)) if roots is None else int(np.isfinite(roots).sum())
    quality = _quality(facts, known) if "log_likelihood" in facts else {}
    return Summary(f"{model!r}, {rows(facts)}, {title}", table, quality, level, notes)


def _named(model: Any) -> tuple[list[str], Array, str]:
    """Names and values of the coefficients, and what they are about."""
    if model.coef_.shape[0] == 1:
        return *coefficients(model), f"log-odds of {model.classes_[1]}"
    names, coef, against = coefficients_of_classes(model)
    return names, coef, f"log-odds of each class against {against}"


def _roots(model: Any, facts: LogisticStatistics, several: bool) -> Array | None:
    """Standard errors in the order of the coefficients, if there are any."""
    if several:
        roots = facts.get("class_roots")
        return None if roots is None else flat_roots(roots, model)
    coef_roots = facts.get("root_inverse")
    return None if coef_roots is None else root_of(coef_roots, facts["intercept_root"], model)


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
