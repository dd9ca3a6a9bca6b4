"""Least squares with an optional squared penalty, solved without iterating.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

Tall data go through the normal equations, whose Gram matrix is one pass over the data; wide data through the dual. Both
are checked by their condition number, and what they cannot solve accurately goes through an orthogonal factorisation of
tall data, or the singular values of wide data. The answer is then tried on the data: its residuals and gradient are
computed about the means, and it is corrected as long as that brings it nearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from ...core.data import Array, Matrix
from ...core.errors import DataError
from ...core.native import kernels
from ...core.numbers import EPSILON
from .. import design
from ..summarise import Marginals, Moments
from . import krylov, nonnegative, orthogonal, singular, wide
from .normal import WORST_CONDITION, Candidate, NormalEquations

HOPELESS_CONDITION = 1e12  # beyond it the normal equations cannot even be refined
MOST_CELLS_COPIED = 5e7  # an orthogonal factorisation copies the data
LARGEST_GRAM = 6000  # columns (or rows) of the largest dense Gram matrix made from sparse data
MOST_CORRECTIONS = 3
MOST_UNLIKE = 1e30  # the largest of columns that can have a unit in common, times the smallest
WORTH_CORRECTING = 1e-13  # change of the fitted values, relative to them

Method = Literal["by shape", "orthogonal", "iterative"]
Penalty = float | Array  # the same for all columns, or one for each, of shape (features, 1)
Proof = Literal["backward error", "duality gap", "optimality violation"]


class LinearFit(NamedTuple):
    """A solved linear model, targets first, and what is known of it.

    `root_inverse` and `intercept_root` times the residual standard deviation are standard errors. `deviation` is the
    root of the residual sum of squares and `total_deviation` that of the centred targets, one per target, as is the
    `penalty` that the objective adds. `proof` names the quantity whose value `error` says how good the answer is;
    `gram` is None where it was not needed, and `iterations` (one per target) where nothing iterated.
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
    penalty: Array
    objective: float
    proof: Proof
    error: float
    gram: Array | None = None
    iterations: Array | None = None


def least_squares(
    X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0, method: Method = "by shape"
) -> LinearFit:
    """Solve for `y` of shape (samples, targets); the smallest coefficients where the answer is not unique."""
    X, y, weight = design.counting_rows(X, y, weight)
    try:
        return _solve(X, y, weight, centre, alpha, method)
    except design.OutOfRange:
        return _rescaled(X, y, weight, centre, alpha, method)


def _rescaled(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method) -> LinearFit:
    """The same in other units: one for all columns if they are alike, or else a unit and a penalty for each."""
    scale_y = design.power_of_two_scales(y)
    scale_x = design.power_of_two_scales(X, floor=math.sqrt(alpha))
    used = scale_x[design.column_sizes(X) > 0]
    unit = used.min(initial=np.inf)
    alike = used.max(initial=0.0) / MOST_UNLIKE <= unit
    if alpha > 0 and not alike:
        fit = _in_own_units(X, y * scale_y, weight, centre, alpha, method)
    else:
        scale_x = np.full_like(scale_x, unit) if alike and len(used) else scale_x
        penalty = alpha * float(scale_x[0]) * float(scale_x[0])
        fit = _solve(design.scaled_columns(X, scale_x), y * scale_y, weight, centre, penalty, method)
    return _unscaled(fit, scale_x, scale_y)


def _in_own_units(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method) -> LinearFit:
    """The fit of columns that each have a unit of their own, and a penalty in this unit."""
    scale, penalty = _scales(X, alpha)
    scaled = design.scaled_columns(X, scale)
    middle = Marginals.of(scaled, y, weight, centre)
    if method == "iterative" or X.shape[0] * X.shape[1] > MOST_CELLS_COPIED:
        candidate = krylov.solve(scaled, y, weight, middle, penalty)
    elif X.shape[1] < X.shape[0]:
        candidate = orthogonal.solve(scaled, y, weight, centre, penalty)
    else:
        candidate = singular.solve(X, y, weight, centre, alpha).in_units(scale[:, None])
    return tried(candidate, middle, scaled, y, weight, penalty)


def _scales(X: Matrix, alpha: float) -> tuple[Array, Penalty]:
    """Powers of two that bring each column near one, or the root of a larger penalty on it; and these penalties."""
    scale = design.power_of_two_scales(X, floor=math.sqrt(alpha))
    return scale, (alpha * scale * scale)[:, None] if alpha > 0 else 0.0


def _solve(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method) -> LinearFit:
    rows, columns = X.shape
    large = design.is_sparse(X) and min(rows, columns) > LARGEST_GRAM
    if method == "by shape" and not large and columns < rows + (0 if centre else 1):
        return from_moments(Moments.of(X, y, weight, centre), X, y, weight, alpha)
    middle = Marginals.of(X, y, weight, centre)
    design.check_range(middle.squares, X, alpha)
    if method == "orthogonal":
        factorise = orthogonal.solve if columns < rows else singular.solve
        candidate = factorise(X, y, weight, centre, alpha)
    else:
        solve = krylov.solve if large or method == "iterative" else wide.solve
        candidate = solve(X, y, weight, middle, alpha)
    return tried(candidate, middle, X, y, weight, alpha)


def from_moments(moments: Moments, X: Matrix, y: Array, weight: Array | None, alpha: float) -> LinearFit:
    """The fit of tall data whose moments are there already."""
    fit = tried(_tall(X, y, weight, moments, alpha), moments.marginals(), X, y, weight, alpha)
    return fit._replace(gram=moments.gram)


def _tall(X: Matrix, y: Array, weight: Array | None, moments: Moments, alpha: float) -> Candidate:
    """Solve the normal equations (X'SX + alpha) w = X'S y, or turn to a sounder method if they are ill conditioned."""
    design.check_range(moments.gram.diagonal(), X, alpha)
    system = NormalEquations(moments.gram, alpha)
    if system.condition > WORST_CONDITION and X.shape[0] * X.shape[1] <= MOST_CELLS_COPIED:
        return orthogonal.solve(X, y, weight, moments.centred, alpha)
    if system.condition > HOPELESS_CONDITION:
        return krylov.solve(X, y, weight, moments.marginals(), alpha)
    root, trace, variance_at_mean = kernels.coefficient_spread(system.inverse, moments.mean_x, alpha)
    freedom = X.shape[1] - alpha * trace
    intercept_root = math.sqrt(1 / moments.weight + max(variance_at_mean, 0.0))
    coef = system.solve(moments.cross)
    return Candidate(
        coef, system.solve, X.shape[1], system.condition, freedom, "cholesky", root, intercept_root
    )  # fmt: skip


class Trial(NamedTuple):
    """What the data say of coefficients: squared residuals, penalty, gradient, sum of residuals, for each target.

    `change` would remove the gradient, and with it what it has `explained` of the objective; None and infinite if
    unknown.
    """

    coef: Array
    rss: Array
    penalty: Array
    gradient: Array
    off: Array
    change: Array | None
    explained: Array


def tried(
    candidate: Candidate, middle: Marginals, X: Matrix, y: Array, weight: Array | None, alpha: Penalty
) -> LinearFit:
    """Put an answer to the data: correct it while that brings it nearer, then state how good it is."""
    measure = candidate.products or partial(design.residual_products, X, y, weight, middle.mean_x, middle.mean_y)
    trial = _trial(measure, candidate, candidate.coef, alpha)
    for _ in range(0 if candidate.final or trial.change is None else MOST_CORRECTIONS):
        fitted = middle.spread - trial.rss - trial.penalty
        if (trial.explained <= WORTH_CORRECTING**2 * fitted).all():
            break
        other = _trial(measure, candidate, trial.coef + trial.change, alpha)
        if not other.explained.sum() < trial.explained.sum() / 4:
            break
        trial = other
    intercept = candidate.intercept
    if intercept is None:
        intercept = middle.mean_y - middle.mean_x @ trial.coef + trial.off * (middle.centred / middle.weight)
    if candidate.gap is not None:
        trial = trial._replace(explained=candidate.gap(trial.rss, trial.penalty))
    proof, error = _proven(trial, intercept, middle, alpha)
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


def _trial(measure: Callable[[Array], tuple[Array, Array, Array]], by: Candidate, coef: Array, alpha: Penalty) -> Trial:
    rss, gradient, off = measure(coef)
    pull = alpha * coef
    gradient, penalty = gradient - pull, _dots(coef, pull)
    if by.invert is None:
        return Trial(coef, rss, penalty, gradient, off, None, np.full(len(rss), np.inf))
    change = by.invert(gradient)
    return Trial(coef, rss, penalty, gradient, off, change, np.abs(_dots(gradient, change)))


def _proven(trial: Trial, intercept: Array, middle: Marginals, alpha: Penalty) -> tuple[Proof, float]:
    """How good an answer is, for the worst target.

    A column is measured by its own length, so that small ones are not overlooked beside large ones. Where nothing is
    divided by nothing, nothing is needed, and the NaN that comes of it is passed over.
    """
    coef, gradient, rss = trial.coef, trial.gradient, trial.rss
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        lengths = np.sqrt(middle.squares)[:, None]
        if not math.isfinite(np.vdot(gradient, gradient) + np.vdot(coef, coef) + rss.sum() + lengths.sum()):
            raise design.OutOfRange
        size_y = middle.spread + middle.weight * middle.mean_y**2
        if isinstance(alpha, float) and alpha == 0:
            return "backward error", _backward_error(trial.explained, gradient, coef, lengths, rss, size_y)
        objective, saved = rss + trial.penalty, np.minimum(_dots(gradient, gradient / alpha), trial.explained)
        gap = np.fmax.reduce(saved / objective, initial=0.0) + _rounded(intercept, objective, middle.weight)
        off = np.abs(gradient) / (lengths * np.sqrt(size_y) + alpha * np.abs(coef))
        worst = np.fmax.reduce(off, axis=None, initial=0.0)
        return "duality gap", float(max(gap, worst**2))


def _rounded(intercept: Array, objective: Array, weight: float) -> float:
    """The share of the objective that the rounding of the constant can cost, for the worst target."""
    pairs = zip(intercept.tolist(), objective.tolist(), strict=True)
    return weight * (EPSILON / 2) ** 2 * max((b * b / value for b, value in pairs if value > 0), default=0.0)


def _backward_error(explained: Array, gradient: Array, coef: Array, lengths: Array, rss: Array, size_y: Array) -> float:
    """The change of each column, or of the target, relative to itself that would make the answer exact, at most.

    Three changes do it: of the columns, so that the residual is orthogonal to them, or so that it vanishes; and of the
    target, by the part of the residual that the columns explain.
    """
    turned, parts = np.fmax.reduce(np.abs(gradient) / lengths, axis=0, initial=0.0), coef * lengths
    explained = np.maximum(np.minimum(explained, rss), turned**2)  # also by columns of which nothing was made
    least = np.fmin.reduce([turned**2 / rss, rss / _dots(parts, parts), explained / size_y])
    return math.sqrt(np.where(turned == 0, 0.0, least).max())


def _dots(first: Array, second: Array) -> Array:
    """The sums of products of the columns of two matrices, infinite where they overflow."""
    if first.shape[1] == 1:
        return np.array([np.vdot(first, second)])
    return np.asarray(np.vecdot(first.T, second.T))


def _unscaled(fit: LinearFit, scale_x: Array, scale_y: Array) -> LinearFit:
    """The fit of X, y from that of X * scale_x, y * scale_y; certificates do not depend on the scale."""
    with np.errstate(over="ignore"):
        coef = fit.coef * (scale_x / scale_y[:, None])
        if not np.isfinite(coef).all():
            raise DataError("the coefficients are beyond the range of floating-point numbers; enlarge the columns of X")
        return fit._replace(
            coef=coef,
            intercept=fit.intercept / scale_y,
            root_inverse=None if fit.root_inverse is None else fit.root_inverse * scale_x,
            deviation=fit.deviation / scale_y,
            total_deviation=fit.total_deviation / scale_y,
            penalty=fit.penalty / scale_y / scale_y,
            objective=_times(fit.objective, 1 / scale_y.min(), 1 / scale_y.min()),
            gram=None,
        )


def _times(value: float, *factors: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.prod([value, *factors]))


def nonnegative_least_squares(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0) -> LinearFit:
    """As `least_squares`, with no coefficient below zero."""
    (scale_x, penalty), scale_y = _scales(X, alpha), design.power_of_two_scales(y)
    X, y = design.scaled_columns(X, scale_x), y * scale_y
    moments = Moments.of(X, y, weight, centre)
    gram = moments.gram + penalty * np.eye(X.shape[1])
    answers = [nonnegative.solve(gram, moments.cross[:, t]) for t in range(y.shape[1])]
    coef = np.column_stack([answer[0] for answer in answers])
    candidate = Candidate(coef, None, X.shape[1], np.nan, float((coef > 0).sum()), "active set")
    fit = tried(candidate, moments.marginals(), X, y, weight, penalty)
    violation = max(answer[1] for answer in answers)
    return _unscaled(fit._replace(proof="optimality violation", error=violation), scale_x, scale_y)


def each(
    solve: Callable[..., LinearFit], X: Matrix, y: Array, weight: Array | None, centre: bool, alphas: Array
) -> LinearFit:
    """What `solve` gives for a strength per target, all targets together where they share one."""
    if len(set(alphas.tolist())) == 1:
        return solve(X, y, weight, centre, float(alphas[0]))
    pairs = zip(np.hsplit(y, y.shape[1]), alphas.tolist(), strict=True)
    return _stacked([solve(X, target, weight, centre, alpha) for target, alpha in pairs])


def _stacked(fits: list[LinearFit]) -> LinearFit:
    """The fits of single targets as the fit of all of them; what differs between them is that of the first."""
    return fits[0]._replace(
        coef=np.vstack([fit.coef for fit in fits]),
        intercept=np.concatenate([fit.intercept for fit in fits]),
        deviation=np.concatenate([fit.deviation for fit in fits]),
        total_deviation=np.concatenate([fit.total_deviation for fit in fits]),
        penalty=np.concatenate([fit.penalty for fit in fits]),
        objective=sum(fit.objective for fit in fits),
        error=max(fit.error for fit in fits),
        iterations=None if fits[0].iterations is None else np.concatenate([fit.iterations for fit in fits]),
    )
