"""Coefficients of logistic regression along a path of penalties."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, ParameterError, Trace
from ..core.declare.checked_functions import checked, limits, only_numbers
from ..core.validate.features import FeatureValidator
from ..engines import matrix_products
from ._logistic.logistic_objective import LogisticProblem, initial_coefficients, refuse_one_class


@checked(
    l1_ratio=limits(at_least=0, at_most=1),
    tol=limits(above=0),
    max_iter=limits(at_least=1),
    Cs=limits(accepts=only_numbers, says="made of numbers"),
)
def logistic_path(
    X: Any,
    y: Any,
    *,
    Cs: Any = 50,
    l1_ratio: float = 1.0,
    fit_intercept: bool = True,
    tol: float = 1e-4,
    max_iter: int = 1000,
    sample_weight: Any = None,
) -> tuple[Array, Array, Array]:
    """Values of C, coefficients (features, Cs) and intercepts of binary logistic regression along a path.

    A number of `Cs` gives that many values, from where the first coefficient becomes non-zero (l1_ratio > 0) to 10^4
    times that. Every fit starts from the one before.

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]], [0, 0, 1, 0, 1]
    >>> Cs, coefs, intercepts = logistic_path(X, y, Cs=3)
    >>> np.count_nonzero(coefs, axis=0)
    array([0, 2, 2])
    """
    validator = FeatureValidator("logistic_path", sparse=True, storage="csr")
    matrix, _ = validator.matrix(X)
    classes, code = validator.classes(y, matrix.shape[0])
    weight = validator.weights(sample_weight, matrix.shape[0])
    refuse_one_class("logistic_path", classes, code, weight)
    if len(classes) != 2:
        raise ParameterError(f"logistic_path: y must have two classes; it has {len(classes)}: fit one versus rest")
    matrix, code, weight = matrix_products.counting_rows(matrix, code, weight)
    problem = LogisticProblem(matrix, code.astype(np.int64), weight, 2, 1.0, l1_ratio, fit_intercept, max_iter, tol)
    grid = _C_grid(Cs, problem)
    coefs, intercepts = np.zeros((matrix.shape[1], len(grid))), np.zeros(len(grid))
    start = initial_coefficients(problem, False)
    for index in np.argsort(grid, kind="stable"):
        start = replace(problem, C=float(grid[index])).fit(start, Trace())
        coefs[:, index], intercepts[index] = start[0, :-1], start[0, -1]
    return grid, coefs, intercepts


def _C_grid(Cs: Any, problem: LogisticProblem) -> Array:
    if np.ndim(Cs) > 0:
        given = np.ravel(np.asarray(Cs, dtype=np.float64))
        if len(given) == 0 or not (given > 0).all():
            raise ParameterError(f"logistic_path: Cs must be one or more numbers above 0; got {Cs!r:.60}")
        return given
    if not (isinstance(Cs, Integral) and int(Cs) >= 1):
        raise ParameterError(f"logistic_path: Cs must be a list, or a whole number of at least 1; got {Cs!r:.60}")
    weight = np.ones(len(problem.code)) if problem.weight is None else problem.weight
    label = (problem.code == 1).astype(np.float64)
    centre = float(weight @ label / weight.sum()) if problem.fit_intercept else 0.5
    largest_product = float(np.abs(matrix_products.transposed_product(problem.X, weight * (label - centre))).max())
    first = max(problem.l1_ratio, 1e-3) / largest_product if largest_product > 0 else 1.0
    return np.geomspace(first, 1e4 * first, int(Cs))
