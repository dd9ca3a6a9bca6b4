"""The coefficient table of a logistic model of several classes: each of them against the first, or against the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import ModelFileError
from ...core.validate.columns import numbered_names
from ...engines import matrix_products
from ...engines.minimise.orthogonalise import nearly_dependent, varies
from ...engines.minimise.spd_solve import PositiveSystem
from ...engines.sparse_coefficients import dense
from ...engines.sufficient_statistics import Moments
from ...parts.losses.logistic import Logistic
from .._glm.glm_summary import standard_roots
from .logistic_objective import LogisticProblem

MAX_COEFFICIENTS = 1000
MAX_WORK = 4e9  # products of columns, over all pairs of classes


def likelihoods(problem: LogisticProblem, scores: Array) -> tuple[float, float]:
    """The log-likelihood of the scores, and that of the best intercepts (or of none)."""
    count = np.ones(len(problem.code)) if problem.weight is None else problem.weight
    top = scores.max(axis=1)
    chosen = scores[np.arange(len(scores)), problem.code]
    reached = float(count @ (chosen - top - np.log(np.exp(scores - top[:, None]).sum(axis=1))))
    totals = np.bincount(problem.code, weights=count, minlength=problem.classes)
    frequencies = totals[totals > 0] / totals.sum()
    best = (
        float(totals[totals > 0] @ np.log(frequencies))
        if problem.fit_intercept
        else -float(totals.sum()) * np.log(problem.classes)
    )
    return reached, best


def roots_of_classes(problem: LogisticProblem, scores: Array) -> Array | None:
    """Standard errors of w_k - w_1 for every class k but the first, the intercept's first: (classes - 1, features + 1).

    They are the roots of the diagonal of the inverse information, whose block of the classes k and l is
    sum_i weight_i p_ik ([k = l] - p_il) x_i x_i'. None if the columns are not independent, or if there are too many.
    """
    rows, columns = problem.X.shape
    others = problem.classes - 1
    work = rows * float(columns + 1) ** 2 * others * (others + 1) / 2
    if others * (columns + 1) > MAX_COEFFICIENTS or work > MAX_WORK:
        return None
    count = np.ones(rows) if problem.weight is None else problem.weight
    moments = Moments.of(problem.X, np.zeros((rows, 1)), count, problem.fit_intercept)
    if rows <= columns or nearly_dependent(problem.X, moments):
        return None
    varied = np.append(problem.fit_intercept, varies(moments))
    probability = np.exp(scores - scores.max(axis=1, keepdims=True))
    probability /= probability.sum(axis=1, keepdims=True)
    every = np.tile(varied, others)
    inverse = np.zeros((len(every), len(every)))
    inverse[np.ix_(every, every)] = PositiveSystem(
        _information(problem, count, probability, moments)[np.ix_(every, every)]
    ).inverse()
    roots = _roots(inverse.reshape(others, columns + 1, others, columns + 1), moments.mean_x * problem.fit_intercept)
    return np.asarray(np.where(varied, roots, np.nan))


def _information(problem: LogisticProblem, count: Array, probability: Array, moments: Moments) -> Array:
    """The information about the coefficients of all classes but the first, columns being centred at their means."""
    others, size = problem.classes - 1, problem.X.shape[1] + 1
    found = np.zeros((others, size, others, size))
    for k in range(others):
        for other in range(k + 1):
            of_both = probability[:, k + 1] * (float(k == other) - probability[:, other + 1])
            sign = 1.0 if k == other else -1.0
            block = sign * _products(problem, sign * count * of_both, moments.mean_x)
            found[k, :, other, :], found[other, :, k, :] = block, block.T
    return found.reshape(others * size, others * size)


def _products(problem: LogisticProblem, weight: Array, centre: Array) -> Array:
    """sum_i weight_i (1, x_i - centre) (1, x_i - centre)'; about zero without an intercept."""
    part = Moments.of(problem.X, np.zeros((len(weight), 1)), weight, problem.fit_intercept)
    apart = part.mean_x - centre if problem.fit_intercept else np.zeros_like(centre)
    found = np.empty((len(centre) + 1, len(centre) + 1))
    found[0, 0], found[0, 1:] = part.weight, part.weight * apart
    found[1:, 0], found[1:, 1:] = found[0, 1:], part.gram + part.weight * np.outer(apart, apart)
    return found


def _roots(inverse: Array, centre: Array) -> Array:
    """Standard errors from covariances about a centre; the intercept is that of the centre less centre . w."""
    back = np.append(1.0, -centre)
    variance = np.stack([of_class[:, k].diagonal() for k, of_class in enumerate(inverse)])
    variance[:, 0] = [back @ of_class[:, k] @ back for k, of_class in enumerate(inverse)]
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def roots_of_each(problem: LogisticProblem, found: Array) -> Array | None:
    """Standard errors of the fit of each class against the rest, the intercept's first: (classes, features + 1)."""
    count, roots = np.ones(len(problem.code)) if problem.weight is None else problem.weight, []
    for k, coef in enumerate(found):
        one = replace(problem, code=(problem.code == k).astype(np.int64), classes=2)
        z = matrix_products.precise_scores(one.X, coef[:-1], float(coef[-1]))
        curvature = count * Logistic().curvature(one.code.astype(np.float64), z)
        coef_roots, intercept = standard_roots(one.X, curvature, one.fit_intercept)
        if coef_roots is None:
            return None
        roots.append(np.append(intercept, coef_roots))
    return np.array(roots)


def coefficients_of_classes(model: Any) -> tuple[list[str], Array, str]:
    """Names and values, those of a class together with its intercept first; and the reference class."""
    given = model.__dict__.get("feature_names_in_")
    columns = (
        numbered_names(type(model).__name__, model.n_features_in_) if given is None else [str(name) for name in given]
    )
    values = np.column_stack([model.intercept_, dense(model.coef_)]).astype(np.float64)
    labels, against = [str(label) for label in model.classes_], "the rest"
    if model.strategy != "ovr":
        values, against, labels = values[1:] - values[0], labels[0], labels[1:]
    if not model.fit_intercept:
        values = values[:, 1:]
    shown = ["const", *columns] if model.fit_intercept else columns
    return [f"{label}: {column}" for label in labels for column in shown], values.ravel(), against


def flat_roots(roots: Array, model: Any) -> Array:
    """Standard errors in the order of the coefficients."""
    against = len(model.classes_) - (model.strategy != "ovr")
    if np.shape(roots) != (against, model.n_features_in_ + 1):
        raise ModelFileError(
            f"{type(model).__name__}.summary: statistics_ are those of other columns or classes; fit it again"
        )
    return (roots if model.fit_intercept else roots[:, 1:]).ravel()
