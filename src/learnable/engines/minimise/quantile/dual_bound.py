"""What dual variables of a quantile regression prove although rounding keeps their sums from being exactly zero.

Of dual variables a whose sums are X'a + t = ridge w + e, the objective of any other coefficients v is at least

    a'y - ridge |w|^2 / 2 - e'w - e'(v - w),     e'(v - w) <= d'(y - Xw) + max_i |d_i / bound_i| objective(v)

for every d with X'd = e, where bound_i is that of a_i on the side of -d_i; and only a v that is no worse than w
matters. First a moves by such a d, so that e becomes rounding; then the smallest d of what is left counts. Sums are
taken in extended precision: e is a difference of large terms where columns are far from zero or nearly collinear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ....core.runtime.threads import scipy_linalg
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...algebra.interruptible_lapack import interruptibly
from .pinball import Pinball, WeightedRows

EXTENDED = np.longdouble
CELLS = 2**20  # of a block in extended precision
MAX_WORK = 4e9  # multiplications of an orthogonal factorisation
MIN_PIVOT_RATIO = 1e-15  # of the largest pivot: a direction in which no coefficient changes any score
CORRECTIONS = 3


def proven_bound(problem: Pinball, coef: Array, intercept: float, dual: Array, objective: float) -> float:
    """A value that no coefficients go below, from dual variables that nearly keep their constraints."""
    room = np.minimum(problem.high, -problem.low)
    smallest_move = _smallest_moves(problem, room)
    precise = dual.astype(EXTENDED)
    left = _left_over(problem, coef, precise)
    for _ in range(CORRECTIONS):
        moved = precise - room * smallest_move(left.astype(np.float64))
        rest = _left_over(problem, coef, moved)
        if not np.abs(rest).sum() < np.abs(left).sum():
            break
        precise, left = moved, rest
    excess = np.max(precise / np.where(precise > 0, problem.high, problem.low), initial=EXTENDED(1))
    bound = precise @ problem.target / excess - problem.ridge / 2 * (coef @ coef) / excess**2
    bound -= left @ np.append(coef, intercept) / excess
    moves = room * smallest_move(left.astype(np.float64))
    share = float(np.max(np.abs(moves) / np.where(moves > 0, -problem.low, problem.high), initial=0.0))
    residual = problem.target - problem.scores(coef, intercept)
    bound = float(bound) - share * objective - abs(float(moves @ residual))
    return bound if bound > 0 else 0.0  # which nothing goes below; nor does NaN


def _left_over(problem: Pinball, coef: Array, dual: Array) -> Array:
    """What X'a + t has beyond ridge times `coef`, and the sum of a if there is an intercept."""
    count = len(problem.y)
    sums = extended_sums(problem.X, dual[:count])
    sums[problem.penalised] += dual[count:]
    return np.append(sums - problem.ridge * coef.astype(EXTENDED), dual[:count].sum() if problem.fit_intercept else 0)


def _smallest_moves(problem: Pinball, room: Array) -> Callable[[Array], Array]:
    """For sums that are left over, the smallest move of the dual variables that removes them, relative to `room`."""
    rows, columns = len(room), problem.X.shape[1] + 1
    if rows * columns**2 > MAX_WORK:
        weighted = WeightedRows(problem, room**2)
        return lambda left: room * problem.scores(*weighted.solve_sums(left[:-1], float(left[-1])))
    table = np.zeros((rows, columns))
    count = len(problem.y)
    table[:count, :-1] = problem.X.toarray() if matrix_products.is_sparse(problem.X) else problem.X
    table[:count, -1] = float(problem.fit_intercept)
    table[np.arange(count, rows), problem.penalised] = 1.0
    table *= room[:, None]
    scale = np.abs(table).max(axis=0)
    scale[scale == 0] = 1.0
    table /= scale
    basis, triangle, order = interruptibly(scipy_linalg().qr, table, mode="economic", pivoting=True)
    pivots = np.abs(triangle.diagonal())
    rank = int(np.count_nonzero(pivots > MIN_PIVOT_RATIO * pivots.max(initial=0.0)))
    basis, triangle, order = basis[:, :rank], triangle[:rank, :rank], order[:rank]
    solve = scipy_linalg().solve_triangular
    return lambda left: basis @ solve(triangle, (left / scale)[order], trans="T") if rank else np.zeros(rows)


def extended_sums(X: Matrix, weight: Array) -> Array:
    """X'a in extended precision."""
    return sum((block.T @ weight[rows] for rows, block in _blocks(X)), np.zeros(X.shape[1], dtype=EXTENDED))


def extended_scores(X: Matrix, coef: Array) -> Array:
    """Xw in extended precision."""
    found = np.empty(X.shape[0], dtype=EXTENDED)
    for rows, block in _blocks(X):
        found[rows] = block @ coef.astype(EXTENDED)
    return found


def _blocks(X: Matrix) -> Iterator[tuple[slice, Matrix]]:
    """The rows of a matrix in extended precision, block by block."""
    step = max(1, CELLS // max(X.shape[1], 1))
    parts = (slice(first, first + step) for first in range(0, X.shape[0], step))
    return ((rows, X[rows].astype(EXTENDED)) for rows in parts)
