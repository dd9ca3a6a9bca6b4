"""Least squares with an optional squared penalty, solved without iterating.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

Tall data go through the normal equations, whose Gram matrix is one pass over the data; wide data through the dual. Both
are checked by their condition number, and what they cannot solve accurately goes to a sounder factorisation: choice.py
says which. The answer is then tried on the data: its residuals and gradient are computed about the means, and it is
corrected as long as that brings it nearer. Large data whose moments tell as much are not read again.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Marginals, Moments
from ..linear_fit import LinearFit
from . import lsmr, mixed_scales, nonnegative, qr, select_solver, svd_ridge
from .dual import DualEquations
from .moment_certificate import certify_by_moments
from .primal import PrimalEquations
from .refinement import Penalty, refine_and_certify
from .select_solver import Method
from .symmetric_systems import Candidate

SOLVERS: dict[str, Callable[..., Candidate]] = {"qr": qr.solve, "svd": svd_ridge.solve, "lsmr": lsmr.solve}


def least_squares(
    X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0, method: Method = "by shape"
) -> LinearFit:
    """Solve for `y` of shape (samples, targets); the smallest coefficients where the answer is not unique."""
    X, y, weight = matrix_products.counting_rows(X, y, weight)
    try:
        fit = _solve(X, y, weight, centre, alpha, method)
    except matrix_products.OutOfRange:
        fit = _solve_rescaled(X, y, weight, centre, alpha, method)
    ambiguous = alpha == 0 and fit.rank < X.shape[1]
    return _solve_by_tiers(X, y, weight, centre) if ambiguous and select_solver.needs_tiers(X, method) else fit


def _solve(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method) -> LinearFit:
    name = select_solver.factorisation(X, centre, method)
    if name == "cholesky":
        return from_moments(Moments.of(X, y, weight, centre), X, y, weight, alpha)
    middle = Marginals.of(X, y, weight, centre)
    matrix_products.check_range(middle.squares, X, alpha)
    _check_target(middle, y)
    if name != "dual cholesky":
        return refine_and_certify(SOLVERS[name](X, y, weight, middle, alpha), middle, X, y, weight, alpha)
    equations = DualEquations.of(X, y, weight, middle, alpha)
    fit = refine_and_certify(_solve_soundly(equations, X, y, weight, middle, alpha), middle, X, y, weight, alpha)
    return fit._replace(gram=equations.kernel)


def from_moments(moments: Moments, X: Matrix, y: Array, weight: Array | None, alpha: float) -> LinearFit:
    """The fit of tall data whose moments are there already."""
    matrix_products.check_range(moments.gram.diagonal(), X, alpha)
    middle = moments.marginals()
    _check_target(middle, y)
    candidate = _solve_soundly(PrimalEquations.of(moments, alpha), X, y, weight, middle, alpha)
    fit = certify_by_moments(candidate, moments, X, y, alpha) or refine_and_certify(
        candidate, middle, X, y, weight, alpha
    )
    return fit._replace(gram=moments.gram)


def _check_target(middle: Marginals, y: Array) -> None:
    """As `check_range`, in a hurry; whether targets are too large is also seen when the answer is tried."""
    if min(middle.spread.tolist()) < matrix_products.SMALLEST:
        with np.errstate(over="ignore"):
            matrix_products.check_range(middle.target_squares, y)


def _solve_soundly(
    equations: PrimalEquations | DualEquations,
    X: Matrix,
    y: Array,
    weight: Array | None,
    middle: Marginals,
    alpha: float,
) -> Candidate:
    """The answer of the normal equations, or of a sounder method if they are ill conditioned."""
    name = select_solver.more_stable(equations.name, equations.system.condition, X)
    return equations.solve() if name == equations.name else SOLVERS[name](X, y, weight, middle, alpha)


def _solve_rescaled(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method) -> LinearFit:
    """The same in other units: one for all columns if they are alike, or else a unit and a penalty for each."""
    sizes = matrix_products.column_sizes(X)
    if not np.isfinite(sizes).all():
        raise matrix_products.NotFinite
    scale_y = matrix_products.power_of_two_scales(y)
    scale_x = matrix_products.power_of_two_scales(X, floor=math.sqrt(alpha))
    used = scale_x[sizes > 0]
    common_unit = select_solver.share_a_scale(used)
    if alpha > 0 and not common_unit:
        fit = _solve_in_column_units(X, y * scale_y, weight, centre, alpha, method)
    else:
        scale_x = np.full_like(scale_x, used.min()) if common_unit and len(used) else scale_x
        penalty = alpha * float(scale_x[0]) * float(scale_x[0])
        fit = _solve(matrix_products.scaled_columns(X, scale_x), y * scale_y, weight, centre, penalty, method)
    return fit.unscaled(scale_x, scale_y)


def _solve_in_column_units(
    X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method
) -> LinearFit:
    """The fit of columns that each have a unit of their own, and a penalty in this unit."""
    scale, penalty = _scales(X, alpha)
    scaled = matrix_products.scaled_columns(X, scale)
    middle = Marginals.of(scaled, y, weight, centre)
    name = select_solver.without_gram(X, centre, method)
    if name == "svd":
        candidate = svd_ridge.solve(X, y, weight, middle, alpha).in_units(scale[:, None])
    else:
        candidate = SOLVERS[name](scaled, y, weight, middle, penalty)
    return refine_and_certify(candidate, middle, scaled, y, weight, penalty)


def _solve_by_tiers(X: Matrix, y: Array, weight: Array | None, centre: bool) -> LinearFit:
    """The smallest of several answers where columns have no unit in common."""
    scale_x, scale_y = matrix_products.power_of_two_scales(X), matrix_products.power_of_two_scales(y)
    scaled, y = matrix_products.scaled_columns(X, scale_x), y * scale_y
    middle = Marginals.of(scaled, y, weight, centre)
    candidate = mixed_scales.solve(X, y, weight, middle)
    given = candidate._replace(coef=candidate.coef / scale_x[:, None])
    return refine_and_certify(given, middle, scaled, y, weight, 0.0).unscaled(scale_x, scale_y)


def _scales(X: Matrix, alpha: float) -> tuple[Array, Penalty]:
    """Powers of two that bring each column near one, or the root of a larger penalty on it; and these penalties."""
    scale = matrix_products.power_of_two_scales(X, floor=math.sqrt(alpha))
    return scale, (alpha * scale * scale)[:, None] if alpha > 0 else 0.0


def nonnegative_least_squares(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0) -> LinearFit:
    """As `least_squares`, with no coefficient below zero."""
    (scale_x, penalty), scale_y = _scales(X, alpha), matrix_products.power_of_two_scales(y)
    X, y = matrix_products.scaled_columns(X, scale_x), y * scale_y
    moments = Moments.of(X, y, weight, centre)
    gram = moments.gram + penalty * np.eye(X.shape[1])
    answers = [nonnegative.solve(gram, moments.cross[:, t]) for t in range(y.shape[1])]
    coef = np.column_stack([answer[0] for answer in answers])
    candidate = Candidate(coef, None, X.shape[1], np.nan, float((coef > 0).sum()), "active set")
    fit = refine_and_certify(candidate, moments.marginals(), X, y, weight, penalty)
    violation = max(answer[1] for answer in answers)
    return fit._replace(proof="optimality violation", error=violation).unscaled(scale_x, scale_y)
