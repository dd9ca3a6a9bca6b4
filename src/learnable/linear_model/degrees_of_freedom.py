"""Effective degrees of freedom of a fit."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, ParameterError, RandomState, generator, seed_of
from ..core.errors import ErrorOwner, ParameterTypeError
from ..core.numeric import EPSILON
from ..core.roles.estimator import cloned
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import checks_sparse
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.principal_axes import Axes
from ..engines.minimise.least_squares.solve import least_squares
from ..engines.sparse_coefficients import dense
from ..engines.standardised import Centred

DofMethod = Literal["auto", "exact", "monte_carlo"]
MIN_DRAWS = 2


@checks_sparse
def effective_degrees_of_freedom(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    method: DofMethod = "auto",
    n_draws: int = 200,
    noise: float | None = None,
    random_state: RandomState = None,
    return_std: bool = False,
) -> Any:
    """Effective degrees of freedom of a regression: df = sum_i Cov(y_i, prediction_i) / variance of the noise.

    Exact where a formula is known, counting 1 for the intercept: the rank of X for least squares (the trace of the hat
    matrix), sum_j d_j^2 / (d_j^2 + alpha) for ridge with singular values d, the rank of the columns with coefficients
    that are not zero for the lasso (unbiased), their ridge sum for the elastic net, the count of principal components.
    Where coefficients are constrained to be positive, those at zero do not count.

    For any other estimator, or with `method="monte_carlo"`, the covariance is estimated: fits to `n_draws` targets
    drawn around the fitted values with standard deviation `noise` (that of the residuals if None), in pairs of opposite
    noise. With `return_std` the result is (df, its standard error); that of an exact result is 0.
    [Efron, 2004; Zou, Hastie and Tibshirani, 2007]

    >>> from learnable.linear_model import Ridge
    >>> X, y = [[1.0], [-1.0]], [1.0, 0.0]
    >>> effective_degrees_of_freedom(Ridge(alpha=2.0), X, y)
    1.5
    """
    if method not in ("auto", "exact", "monte_carlo"):
        raise ParameterError(
            f'effective_degrees_of_freedom: method must be "auto", "exact" or "monte_carlo"; got {method!r}'
        )
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in ("fit", "predict", "get_params")):
        raise ParameterTypeError(
            "effective_degrees_of_freedom: estimator must be a regressor with fit, predict and get_params, such as "
            f"Ridge(alpha=1.0); got {estimator!r:.60}"
        )
    validator = FeatureValidator("effective_degrees_of_freedom")
    matrix, names = validator.matrix(X)
    data = Data(matrix, validator.target(y, matrix.shape[0], matrix.dtype, False), None, names)
    known = _formula(estimator)
    if method == "exact" and known is None:
        raise ParameterError(
            f"effective_degrees_of_freedom: no formula is known for {type(estimator).__name__}; "
            f'use method="monte_carlo". Formulas are known for {", ".join(EXACT)}'
        )
    if known is not None and method != "monte_carlo":
        found = known(_refit(estimator, data), data), 0.0
    else:
        with ErrorOwner("effective_degrees_of_freedom"):
            found = monte_carlo(estimator, data, noise, n_draws, random_state)
    return found if return_std else found[0]


def _formula(estimator: Any) -> Callable[[Any, Data], float] | None:
    """The formula for the class of an estimator, unless it tunes its regularisation by the target."""
    if getattr(estimator, "n_components", None) == "cv":
        return None
    return EXACT.get(type(estimator).__name__)


def monte_carlo(
    estimator: Any, data: Data, noise: float | None, draws: int, random_state: RandomState
) -> tuple[float, float]:
    """The covariance of targets and predictions over the variance of the noise, and its standard error."""
    if not isinstance(draws, Integral) or draws < MIN_DRAWS:
        raise ParameterError(f"n_draws must be a whole number of at least {MIN_DRAWS}; got {draws!r}")
    if noise is not None and not (isinstance(noise, Real) and noise > 0):
        raise ParameterError(f"noise must be a standard deviation above 0, or None; got {noise!r}")
    centre = np.asarray(_refit(estimator, data).predict(data.X), dtype=np.float64)
    if noise is None:
        residual = data.y - centre
        noise = float(np.sqrt(residual @ residual / max(data.n - 1, 1))) or float(np.std(data.y)) or 1.0
    seed, samples = seed_of(random_state), []
    for pair in range((draws + 1) // 2):
        drawn = generator(seed, pair).standard_normal(data.n)
        above, below = (_refit_predictions(estimator, data, centre + sign * noise * drawn) for sign in (1, -1))
        samples.append(float(drawn @ (above - below)) / (2 * noise))
    error = np.std(samples, ddof=1) / np.sqrt(len(samples)) if len(samples) > 1 else np.nan
    return float(np.mean(samples)), float(error)


def _refit_predictions(estimator: Any, data: Data, target: Array) -> Array:
    return np.asarray(cloned(estimator).fit(data.X, target).predict(data.X), dtype=np.float64)


def _refit(estimator: Any, data: Data) -> Any:
    return cloned(estimator).fit(data.X, data.y)


def _intercept_count(model: Any) -> float:
    return 1.0 if getattr(model, "fit_intercept", True) else 0.0


def _least_squares(model: Any, data: Data) -> float:
    if getattr(model, "positive", False):
        return _active_rank(model, data)
    return _intercept_count(model) + least_squares(data.X, data.y[:, None], data.weight, model.fit_intercept).rank


def _ridge(model: Any, data: Data) -> float:
    alpha = float(np.ravel(model.alpha)[0])
    if getattr(model, "positive", False):
        return _active_ridge_dof(model, data, alpha)
    return _intercept_count(model) + _ridge_dof(data, model.fit_intercept, alpha)


def _ridge_dof(data: Data, centre: bool, alpha: float) -> float:
    """Sum of d^2 / (d^2 + alpha) over the singular values d of the centred columns."""
    fit = least_squares(data.X, data.y[:, None], data.weight, centre, alpha)
    if fit.method != "lsmr":  # which has no singular values
        return float(fit.freedom)
    axes = Axes.of(data, centre)
    squares = axes.squares / axes.units.scale_x / axes.units.scale_x
    return float((squares / (squares + alpha)).sum())


def _active_rank(model: Any, data: Data) -> float:
    active = np.flatnonzero(np.ravel(dense(model.coef_)))
    if not len(active):
        return _intercept_count(model)
    columns = Centred.of(data.X[:, active], data.y, None, model.fit_intercept).columns
    spread = interruptibly(np.linalg.svd, columns, compute_uv=False)
    return _intercept_count(model) + int((spread > max(columns.shape) * EPSILON * spread[0]).sum())


def _elastic_net(model: Any, data: Data) -> float:
    return _active_ridge_dof(model, data, float(model.alpha) * (1 - float(model.l1_ratio)) * data.n)


def _active_ridge_dof(model: Any, data: Data, alpha: float) -> float:
    """The degrees of freedom of ridge regression on the columns with non-zero coefficients."""
    active = np.flatnonzero(np.ravel(dense(model.coef_)))
    if not len(active):
        return _intercept_count(model)
    part = Data(data.X[:, active], data.y, None, None)
    return _intercept_count(model) + _ridge_dof(part, model.fit_intercept, alpha)


def _component_count(model: Any, data: Data) -> float:
    return _intercept_count(model) + float(model.n_components_)


EXACT: dict[str, Callable[[Any, Data], float]] = {
    "LinearRegression": _least_squares,
    "Ridge": _ridge,
    "Lasso": _active_rank,
    "LassoLars": _active_rank,
    "ElasticNet": _elastic_net,
    "PrincipalComponentRegression": _component_count,
}
"""Estimators with a formula, by the name of the class; not those that tune alpha by the target."""
