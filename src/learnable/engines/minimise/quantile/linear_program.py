"""Quantile regression as a linear programme for HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.validate.features import Array
from ... import matrix_products
from .pinball import Pinball


def solve_programme(problem: Pinball, method: str, options: dict[str, Any] | None) -> tuple[Array, float, Array, Any]:
    """Coefficients, intercept and dual variables, with what HiGHS reports.

    The dual is given to HiGHS: one bounded variable a row and one equation a coefficient, whose multipliers are the
    coefficients. It is far smaller than the primal, which has two variables and an equation a row. Its variables are
    measured in a unit in which they are of size one, as HiGHS takes anything below 1e-7 for zero.
    """
    from scipy import optimize

    linprog: Any = optimize.linprog
    unit = min(problem.level, 1 - problem.level) * float(problem.row_weight.max())
    result = linprog(
        -problem.target,
        A_eq=_equations(problem),
        b_eq=np.zeros(problem.X.shape[1] + int(problem.fit_intercept)),
        bounds=np.column_stack([problem.low, problem.high]) / unit,
        method=method,
        options=options,
    )
    if result.x is None:
        return np.zeros(problem.X.shape[1]), 0.0, np.zeros_like(problem.target), result
    marginals = -result.eqlin.marginals
    coef, intercept = (marginals[:-1], float(marginals[-1])) if problem.fit_intercept else (marginals, 0.0)
    return np.array(coef), intercept, result.x * unit, result


def _equations(problem: Pinball) -> Any:
    """X'a + t = 0 and, for the intercept, sum a = 0."""
    from scipy import sparse

    columns = problem.X.shape[1]
    chosen = (np.ones(len(problem.penalised)), (problem.penalised, np.arange(len(problem.penalised))))
    unit = sparse.csc_array(chosen, shape=(columns, len(problem.penalised)))
    X = problem.X if matrix_products.is_sparse(problem.X) else sparse.csr_array(problem.X)
    blocks: list[list[Any]] = [[X.T, unit]]
    if problem.fit_intercept:
        blocks.append([np.ones((1, len(problem.y))), None])
    return sparse.block_array(blocks, format="csc")
