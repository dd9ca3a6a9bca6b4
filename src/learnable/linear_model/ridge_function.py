"""Ridge regression as a function: coefficients for data and strengths, without an estimator to keep."""

from __future__ import annotations

from typing import Any

from ..core import Array, RandomState
from ..core.errors import Named
from ..core.sparse_input import checks_sparse
from .ridge import Ridge
from .shrunken import Solver


@checks_sparse
def ridge_regression(
    X: Any,
    y: Any,
    alpha: Any,
    *,
    sample_weight: Any = None,
    solver: Solver = "auto",
    max_iter: int | None = None,
    tol: float = 1e-4,
    verbose: int | bool = 0,
    positive: bool = False,
    random_state: RandomState = None,
    return_n_iter: bool = False,
    return_intercept: bool = False,
    check_input: bool = True,
) -> Array | tuple[Any, ...]:
    """The coefficients of a ridge regression; then the iterations and the constant term, if asked for.

    minimise over w    sum_i s_i (y_i - x_i w)^2  +  alpha |w|^2

    As `Ridge`, but without a constant term unless it is asked for. `verbose` and `check_input` are accepted for
    compatibility.

    >>> ridge_regression([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alpha=14.0)
    array([0.5])
    """
    model = Ridge(
        alpha, fit_intercept=return_intercept, max_iter=max_iter, tol=tol, solver=solver, positive=positive,
        random_state=random_state,
    )  # fmt: skip
    with Named("ridge_regression"):
        model.fit(X, y, sample_weight)
    asked = ((model.n_iter_, return_n_iter), (model.intercept_, return_intercept))
    more = [value for value, wanted in asked if wanted]
    return (model.coef_, *more) if more else model.coef_
