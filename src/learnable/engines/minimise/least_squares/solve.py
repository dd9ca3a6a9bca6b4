"""Least squares with an optional squared penalty, solved without iterating.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

Data with more rows than columns use the normal equations, whose Gram matrix is one pass over the data; others the dual.
Both are checked by their condition number, and ill-conditioned ones go to a more stable factorisation, chosen in
`select_solver`. The solution is then evaluated on the data: its residuals and gradient are computed about the means,
and it is refined while that helps. Large data whose moments are accurate enough are not read again.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ....core import scaling
from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Marginals, Moments
from ..linear_fit import TOLERANCES, LinearFit
from . import lsmr, mixed_scales, nonnegative, qr, select_solver, svd_ridge
from .normal_equations import DualEquations, PrimalEquations, UncheckedSolution
from .refinement import Penalty, refine_and_certify
from .select_solver import Method

MIN_TERMS, ROWS_A_TERM = 256, 64  # no sum in the moments of a dense matrix adds up more terms than these allow
SOLVERS: dict[str, Callable[..., UncheckedSolution]] = {"qr": qr.solve, "svd": svd_ridge.solve, "lsmr": lsmr.solve}


def least_squares(
    X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0, method: Method = "by shape"
) -> LinearFit:
    """Solve for `y` of shape (samples, targets); minimum norm where the solution is not unique."""
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
    """The fit of tall data from given moments."""
    matrix_products.check_range(moments.gram.diagonal(), X, alpha)
    middle = moments.marginals()
    _check_target(middle, y)
    candidate = _solve_soundly(PrimalEquations.of(moments, alpha), X, y, weight, middle, alpha)
    fit = _certify_by_moments(candidate, moments, X, y, alpha) or refine_and_certify(
        candidate, middle, X, y, weight, alpha
    )
    return fit._replace(gram=moments.gram)


def _certify_by_moments(
    candidate: UncheckedSolution, moments: Moments, X: Matrix, y: Array, alpha: float
) -> LinearFit | None:
    """The fit of a solution, with the rounding errors of the moments counted in its error.

    None where the error is then above tolerance, so that the solution must be evaluated on the data.
    """
    if not select_solver.moments_suffice(X, candidate):
        return None

    def products(coef: Array) -> tuple[Array, Array, Array]:
        gradient = moments.cross - moments.gram @ coef
        return moments.spread - (coef * (moments.cross + gradient)).sum(axis=0), gradient, np.zeros(coef.shape[1])

    squares = products(candidate.coef)[0]
    if not (squares >= select_solver.MIN_RESIDUAL_FRACTION * moments.spread).all():
        return None
    lengths = np.sqrt(moments.gram.diagonal())[:, None]
    terms = np.sqrt(moments.spread) + (lengths * np.abs(candidate.coef)).sum(axis=0)
    rounding = (MIN_TERMS + X.shape[0] / ROWS_A_TERM) * EPSILON
    with_products = candidate._replace(products=products, rounding_error=rounding * lengths * terms)
    fit = refine_and_certify(with_products, moments.marginals(), X, y, None, alpha)
    return fit if fit.error <= TOLERANCES[fit.proof] else None


def _check_target(middle: Marginals, y: Array) -> None:
    """As `check_range`, but quick; targets that are too large are also found when the solution is evaluated."""
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
) -> UncheckedSolution:
    """The solution of the normal equations, or of a more stable method if they are ill conditioned."""
    name = select_solver.more_stable(equations.name, equations.system.condition, X)
    return equations.solve() if name == equations.name else SOLVERS[name](X, y, weight, middle, alpha)


def _solve_rescaled(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float, method: Method) -> LinearFit:
    """The same after scaling: by one factor if the columns allow it, else by a factor and a penalty for each."""
    sizes = scaling.column_sizes(X)
    if not np.isfinite(sizes).all():
        raise matrix_products.NotFinite
    scale_y = scaling.power_of_two_scales(y)
    scale_x = scaling.power_of_two_scales(X, floor=math.sqrt(alpha))
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
    """The fit with a scale factor, and a penalty in that scale, for each column."""
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
    """The minimum-norm solution where columns cannot be scaled by one factor."""
    scale_x, scale_y = scaling.power_of_two_scales(X), scaling.power_of_two_scales(y)
    scaled, y = matrix_products.scaled_columns(X, scale_x), y * scale_y
    middle = Marginals.of(scaled, y, weight, centre)
    candidate = mixed_scales.solve(X, y, weight, middle)
    given = candidate._replace(coef=candidate.coef / scale_x[:, None])
    return refine_and_certify(given, middle, scaled, y, weight, 0.0).unscaled(scale_x, scale_y)


def _scales(X: Matrix, alpha: float) -> tuple[Array, Penalty]:
    """Powers of two that bring each column near one, or the root of a larger penalty on it; and these penalties."""
    scale = scaling.power_of_two_scales(X, floor=math.sqrt(alpha))
    return scale, (alpha * scale * scale)[:, None] if alpha > 0 else 0.0


def nonnegative_least_squares(X: Matrix, y: Array, weight: Array | None, centre: bool, alpha: float = 0.0) -> LinearFit:
    """As `least_squares`, with no coefficient below zero."""
    (scale_x, penalty), scale_y = _scales(X, alpha), scaling.power_of_two_scales(y)
    X, y = matrix_products.scaled_columns(X, scale_x), y * scale_y
    moments = Moments.of(X, y, weight, centre)
    gram = moments.gram + penalty * np.eye(X.shape[1])
    solutions = [nonnegative.solve(gram, moments.cross[:, t]) for t in range(y.shape[1])]
    coef = np.column_stack([solution[0] for solution in solutions])
    candidate = UncheckedSolution(coef, None, X.shape[1], np.nan, float((coef > 0).sum()), "active set")
    fit = refine_and_certify(candidate, moments.marginals(), X, y, weight, penalty)
    violation = max(solution[1] for solution in solutions)
    return fit._replace(proof="optimality violation", error=violation).unscaled(scale_x, scale_y)
