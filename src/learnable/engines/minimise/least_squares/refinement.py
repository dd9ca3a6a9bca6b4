"""Iterative refinement of a least-squares solution on the data, and its certificate."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Marginals
from ..linear_fit import TOLERANCES, LinearFit, Proof
from .normal_equations import UncheckedSolution

MAX_CORRECTIONS = 3
WORTH_CORRECTING = 1e-13  # change of the fitted values, relative to them
MIN_NORMAL = float(np.finfo(np.float64).tiny)

Penalty = float | Array  # the same for all columns, or one for each, of shape (features, 1)
Measure = Callable[[Array], tuple[Array, Array, Array]]


class RefinementPoint(NamedTuple):
    """Coefficients evaluated on the data: squared residuals, penalty, gradient, sum of residuals, for each target.

    `change` is the Newton step that removes the gradient, and `explained` the decrease of the objective that it gives;
    None and infinite if unknown.
    """

    coef: Array
    rss: Array
    penalty: Array
    gradient: Array
    off: Array
    change: Array | None
    explained: Array


def refine_and_certify(
    candidate: UncheckedSolution, middle: Marginals, X: Matrix, y: Array, weight: Array | None, alpha: Penalty
) -> LinearFit:
    """The fit of a solution after refinement, with its certificate."""
    measure = candidate.products or partial(
        matrix_products.residual_products, X, y, weight, middle.mean_x, middle.mean_y
    )
    trial = _refine(measure, candidate, middle.spread, alpha)
    intercept = candidate.intercept
    if intercept is None:
        intercept = middle.mean_y - middle.mean_x @ trial.coef + trial.off * (middle.centred / middle.weight)
    if candidate.gap is not None:
        trial = trial._replace(explained=candidate.gap(trial.rss, trial.penalty))
    if candidate.rounding_error is not None:
        worst = np.abs(trial.gradient) + candidate.rounding_error
        trial = trial._replace(gradient=worst, explained=np.full_like(trial.explained, np.inf))
    return _pack(candidate, trial, intercept, middle, *_certify(trial, intercept, middle, alpha))


def _refine(measure: Measure, candidate: UncheckedSolution, spread: Array, alpha: Penalty) -> RefinementPoint:
    """A solution corrected as long as the predicted decrease falls by a factor of four."""
    trial = _evaluate(measure, candidate, candidate.coef, alpha)
    for _ in range(0 if candidate.final or trial.change is None else MAX_CORRECTIONS):
        fitted = spread - trial.rss - trial.penalty
        if (trial.explained <= WORTH_CORRECTING**2 * fitted).all():
            break
        other = _evaluate(measure, candidate, trial.coef + trial.change, alpha)
        if not other.explained.sum() < trial.explained.sum() / 4:
            break
        trial = other
    return trial


def _pack(
    candidate: UncheckedSolution,
    trial: RefinementPoint,
    intercept: Array,
    middle: Marginals,
    proof: Proof,
    error: float,
) -> LinearFit:
    return LinearFit(
        coef=np.ascontiguousarray(trial.coef.T),
        intercept=intercept,
        weight=middle.weight,
        rank=candidate.rank,
        freedom=candidate.freedom,
        condition=candidate.condition,
        method=candidate.method,
        root_inverse=candidate.root_inverse,
        intercept_root=candidate.intercept_root,
        deviation=np.sqrt(trial.rss),
        total_deviation=np.sqrt(middle.spread),
        penalty=trial.penalty,
        objective=sum(trial.rss.tolist()) + sum(trial.penalty.tolist()),
        proof=proof,
        error=error,
        iterations=candidate.iterations,
    )


def _evaluate(measure: Measure, by: UncheckedSolution, coef: Array, alpha: Penalty) -> RefinementPoint:
    rss, gradient, off = measure(coef)
    penalty_gradient = alpha * coef
    gradient, penalty = gradient - penalty_gradient, _dots(coef, penalty_gradient)
    if by.invert is None:
        return RefinementPoint(coef, rss, penalty, gradient, off, None, np.full(len(rss), np.inf))
    change = by.invert(gradient)
    return RefinementPoint(coef, rss, penalty, gradient, off, change, np.abs(_dots(gradient, change)))


def _certify(trial: RefinementPoint, intercept: Array, middle: Marginals, alpha: Penalty) -> tuple[Proof, float]:
    """The certificate of the worst target: which quantity, and its value.

    A column is measured by its own length, so that small ones are not overlooked beside large ones. NaN from 0 / 0 is
    skipped.
    """
    coef, gradient, rss = trial.coef, trial.gradient, trial.rss
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        lengths = np.sqrt(middle.squares)[:, None]
        if not math.isfinite(np.vdot(gradient, gradient) + np.vdot(coef, coef) + rss.sum() + lengths.sum()):
            raise matrix_products.OutOfRange
        size_y = middle.target_squares
        if isinstance(alpha, float) and alpha == 0:
            return "backward error", _backward_error(trial.explained, gradient, coef, lengths, rss, size_y)
        saved = np.minimum(_dots(gradient, gradient / alpha), trial.explained) + _intercept_rounding(
            intercept, middle.weight
        )
        felt = alpha * np.maximum(np.abs(coef), MIN_NORMAL)  # what is less than that is nothing
        worst = np.fmax.reduce(np.abs(gradient) / (lengths * np.sqrt(size_y) + felt), axis=None, initial=0.0)
        gap = np.fmax.reduce(saved / (rss + trial.penalty), initial=0.0)
        return _better_proof(float(max(gap, worst**2)), float(max(np.fmax.reduce(np.sqrt(saved / size_y)), worst)))


def _better_proof(gap: float, relative_error: float) -> tuple[Proof, float]:
    """The gap relative to the objective, unless the objective is little more than rounding of the target."""
    if gap > TOLERANCES["duality gap"] and relative_error <= TOLERANCES["share of the target"]:
        return "share of the target", relative_error
    return "duality gap", gap


def _intercept_rounding(intercept: Array, weight: float) -> Array:
    """The amount that rounding of the intercept can add to the objective of each target."""
    return np.asarray(weight * (EPSILON / 2 * intercept) ** 2)


def _backward_error(explained: Array, gradient: Array, coef: Array, lengths: Array, rss: Array, size_y: Array) -> float:
    """An upper bound of the relative change of each column, or of the target, that would make the solution exact.

    Three changes do so: of the columns, so that the residual is orthogonal to them, or so that it vanishes; and of the
    target, by the part of the residual that the columns explain.
    """
    projections, parts = np.fmax.reduce(np.abs(gradient) / lengths, axis=0, initial=0.0), coef * lengths
    explained = np.maximum(np.minimum(explained, rss), projections**2)  # also by columns of which nothing was made
    least = np.fmin.reduce([projections**2 / rss, rss / _dots(parts, parts), explained / size_y])
    return math.sqrt(np.where(projections == 0, 0.0, least).max())


def _dots(first: Array, second: Array) -> Array:
    """The sums of products of the columns of two matrices, infinite where they overflow."""
    if first.shape[1] == 1:
        return np.array([np.vdot(first, second)])
    return np.asarray(np.vecdot(first.T, second.T))
