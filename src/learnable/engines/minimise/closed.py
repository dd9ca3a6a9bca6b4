"""Least squares with an optional squared penalty, solved without iterating.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

Tall data go through the normal equations, whose Gram matrix is one pass over the data; wide data through the dual. Both
are checked by their condition number, and what they cannot solve accurately goes through an orthogonal factorisation.
The answer is then tried on the data: its residuals and gradient are computed, and it is corrected if they ask for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Marginals, Moments
from . import krylov, nonnegative, orthogonal, wide
from .normal import WORST_CONDITION, Candidate, NormalEquations

HOPELESS_CONDITION = 1e12  # beyond it the normal equations cannot even be refined
MOST_CELLS_COPIED = 5e7  # an orthogonal factorisation copies the data
LARGEST_GRAM = 6000  # columns (or rows) of the largest dense Gram matrix made from sparse data
MOST_CORRECTIONS = 3

Proof = Literal["backward error", "duality gap", "optimality violation"]


@dataclass(frozen=True, slots=True)
class LinearFit:
    """A solved linear model, targets first, and what is known of it.

    `root_inverse` and `intercept_root` times the residual standard deviation are standard errors. `deviation` is the
    root of the residual sum of squares and `total_deviation` that of the centred targets, one per target. `proof` names
    the quantity whose value `error` says how good the answer is; `gram` is None where it was not needed.
    """

    coef: Array
    intercept: Array
    weight: float
    rank: int
    freedom: float
    condition: float
    method: str
    root_inverse: Array | None
    intercept_root: float
    deviation: Array
    total_deviation: Array
    objective: float
    proof: Proof
    error: float
    gram: Array | None = None


def least_squares(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0) -> LinearFit:
    """Solve for `y` of shape (samples, targets); the smallest coefficients where the answer is not unique."""
    X, y, weight = design.counting_rows(X, y, weight)
    try:
        return _solve(X, y, weight, centre, alpha)
    except design.OutOfRange:
        scale_x, scale_y = design.power_of_two_scales(X, together=alpha > 0), design.power_of_two_scales(y)
        alpha = np.ldexp(alpha, 2 * int(np.log2(scale_x[0])))
        fit = _solve(design.scaled_columns(X, scale_x), y * scale_y, weight, centre, alpha)
        return _unscaled(fit, scale_x, scale_y)


def _solve(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float) -> LinearFit:
    rows, columns = X.shape
    if design.is_sparse(X) and min(rows, columns) > LARGEST_GRAM:
        middle = Marginals.of(X, y, weight, centre)
        return tried(krylov.solve(X, y, weight, middle, alpha), middle, X, y, weight, alpha)
    if columns >= rows + (0 if centre else 1):
        middle = Marginals.of(X, y, weight, centre)
        return tried(wide.solve(X, y, weight, middle, alpha), middle, X, y, weight, alpha)
    return from_moments(Moments.of(X, y, weight, centre), X, y, weight, alpha)


def from_moments(moments: Moments, X: Matrix, y: Array, weight: Array | None, alpha: float) -> LinearFit:
    """The fit of tall data whose moments are there already."""
    fit = tried(_tall(X, y, weight, moments, alpha), moments.marginals(), X, y, weight, alpha)
    return replace(fit, gram=moments.gram)


def _tall(X: Matrix, y: Array, weight: Array | None, moments: Moments, alpha: float) -> Candidate:
    """Solve the normal equations (X'SX + alpha) w = X'S y, or turn to a sounder method if they are ill conditioned."""
    design.check_range(moments.gram.diagonal(), X)
    system = NormalEquations(moments.gram, alpha)
    if system.condition > WORST_CONDITION and X.shape[0] * X.shape[1] <= MOST_CELLS_COPIED:
        return orthogonal.solve(X, y, weight, moments.centred, alpha)
    if system.condition > HOPELESS_CONDITION:
        return krylov.solve(X, y, weight, moments.marginals(), alpha)
    covariance = system.inverse - alpha * (system.inverse @ system.inverse) if alpha > 0 else system.inverse
    root = np.sqrt(np.maximum(covariance.diagonal(), 0))
    intercept_root = float(np.sqrt(1 / moments.weight + moments.mean_x @ covariance @ moments.mean_x))
    freedom = X.shape[1] - alpha * float(np.trace(system.inverse))
    return Candidate(
        system.solve(moments.cross),
        system.solve,
        X.shape[1],
        system.condition,
        freedom,
        "cholesky",
        root,
        intercept_root,
    )


def tried(
    candidate: Candidate, middle: Marginals, X: Matrix, y: Array, weight: Array | None, alpha: float
) -> LinearFit:
    """Put an answer to the data: correct it while its own gradient says that helps, then state how good it is."""
    coef = candidate.coef
    for correction in range(MOST_CORRECTIONS + 1):
        intercept = middle.mean_y - middle.mean_x @ coef
        rss, gradient, off = design.residual_products(X, y, coef, intercept, weight, middle.mean_x)
        gradient = gradient - alpha * coef
        change = None if candidate.invert is None else candidate.invert(gradient)
        if candidate.final or change is None or correction == MOST_CORRECTIONS:
            break
        if np.vdot(change, change) <= 1e-26 * np.vdot(coef, coef):
            break
        coef = coef + change
    if middle.centred:
        intercept = intercept + off / middle.weight if candidate.intercept is None else candidate.intercept
    proof, error = _proven(coef, rss, gradient, change, middle, alpha)
    return LinearFit(
        np.ascontiguousarray(coef.T),
        intercept,
        middle.weight,
        candidate.rank,
        candidate.freedom,
        candidate.condition,
        candidate.method,
        candidate.root_inverse,
        candidate.intercept_root,
        np.sqrt(rss),
        np.sqrt(middle.spread),
        float(rss.sum() + alpha * np.vdot(coef, coef)),
        proof,
        error,
    )


def _proven(
    coef: Array, rss: Array, gradient: Array, change: Array | None, middle: Marginals, alpha: float
) -> tuple[Proof, float]:
    """How good an answer is; `change` is the step that would remove `gradient`, None if unknown.

    With a penalty: the share of the objective that a better answer could save, which is the gradient times that step,
    and never more than |gradient|^2 / alpha. Without one: the relative change of the data that would make the answer
    exact, at most, for the worst target. Three changes do it: of the columns, so that the residual is orthogonal to
    them, or so that it vanishes; and of the target, by the part of the residual that the columns explain.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        explained = np.full(len(rss), np.inf) if change is None else np.abs((gradient * change).sum(axis=0))
        slope, length = (gradient**2).sum(axis=0), (coef**2).sum(axis=0)
        if not np.isfinite(slope + length + rss).all():
            raise design.OutOfRange
        if alpha > 0:
            shares = np.fmin(explained, slope / alpha) / (rss + alpha * length)
            return "duality gap", float(np.where(slope == 0, 0.0, shares).max())
        size_x = middle.size + middle.weight * (middle.mean_x @ middle.mean_x)
        size_y = middle.spread + middle.weight * middle.mean_y**2
        bounds = np.array([slope / (size_x * rss), rss / (size_x * length), explained / size_y])
    best = np.sqrt(np.fmin.reduce(bounds))
    return "backward error", float(np.where((slope == 0) | np.isnan(best), 0.0, best).max())


def _unscaled(fit: LinearFit, scale_x: Array, scale_y: Array) -> LinearFit:
    """The fit of X, y from that of X * scale_x, y * scale_y; certificates do not depend on the scale."""
    return replace(
        fit,
        coef=fit.coef * (scale_x / scale_y[:, None]),
        intercept=fit.intercept / scale_y,
        root_inverse=None if fit.root_inverse is None else fit.root_inverse * scale_x,
        deviation=fit.deviation / scale_y,
        total_deviation=fit.total_deviation / scale_y,
        objective=_times(fit.objective, 1 / scale_y.min(), 1 / scale_y.min()),
        gram=None,
    )


def _times(value: float, *factors: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.prod([value, *factors]))


def nonnegative_least_squares(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0) -> LinearFit:
    """As `least_squares`, with no coefficient below zero."""
    scale_x, scale_y = design.power_of_two_scales(X, together=True), design.power_of_two_scales(y)
    X, y, alpha = design.scaled_columns(X, scale_x), y * scale_y, alpha * float(scale_x[0]) ** 2
    moments = Moments.of(X, y, weight, centre)
    gram = moments.gram + alpha * np.eye(X.shape[1])
    answers = [nonnegative.solve(gram, moments.cross[:, t]) for t in range(y.shape[1])]
    coef = np.column_stack([answer[0] for answer in answers])
    candidate = Candidate(coef, None, X.shape[1], np.nan, float((coef > 0).sum()), "active set")
    fit = tried(candidate, moments.marginals(), X, y, weight, alpha)
    violation = max(answer[1] for answer in answers)
    return _unscaled(replace(fit, proof="optimality violation", error=violation), scale_x, scale_y)


def stacked(fits: list[LinearFit]) -> LinearFit:
    """The fits of single targets as the fit of all of them; what differs between them is that of the first."""
    return replace(
        fits[0],
        coef=np.vstack([fit.coef for fit in fits]),
        intercept=np.concatenate([fit.intercept for fit in fits]),
        deviation=np.concatenate([fit.deviation for fit in fits]),
        total_deviation=np.concatenate([fit.total_deviation for fit in fits]),
        objective=sum(fit.objective for fit in fits),
        error=max(fit.error for fit in fits),
    )
