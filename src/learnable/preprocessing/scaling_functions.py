"""Scalers as functions of one table, for exploration; a model that is tested later needs the classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import RandomState
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import ParameterError
from ..core.validate.targets import is_sparse
from .max_abs_scaler import MaxAbsScaler
from .min_max_scaler import MinMaxScaler
from .power_transformer import PowerTransformer
from .quantile_transformer import QuantileTransformer
from .robust_scaler import RobustScaler
from .standard_scaler import StandardScaler


@checked()
def scale(
    X: Rows, *, axis: int = 0, with_mean: bool = True, with_std: bool = True, copy: bool = True, ddof: int = 0
) -> Any:
    """Standardise columns (axis=0) or rows (axis=1): (x - mean) / sd.

    >>> scale([1.0, 3.0])
    array([-1.,  1.])
    """
    return _along(StandardScaler(with_mean=with_mean, with_std=with_std, ddof=ddof), X, axis, "scale")


@checked()
def minmax_scale(X: Rows, feature_range: tuple[float, float] = (0, 1), *, axis: int = 0, copy: bool = True) -> Any:
    """Scale columns (axis=0) or rows (axis=1) to a range: a + (x - min) (b - a) / (max - min).

    >>> minmax_scale([2.0, 3.0, 4.0])
    array([0. , 0.5, 1. ])
    """
    return _along(MinMaxScaler(feature_range), X, axis, "minmax_scale")


@checked()
def maxabs_scale(X: Rows, *, axis: int = 0, copy: bool = True) -> Any:
    """Scale columns (axis=0) or rows (axis=1) by their maximum absolute value: x / max |x|.

    >>> maxabs_scale([-4.0, 2.0])
    array([-1. ,  0.5])
    """
    return _along(MaxAbsScaler(), X, axis, "maxabs_scale")


@checked()
def robust_scale(
    X: Rows,
    *,
    axis: int = 0,
    with_centering: bool = True,
    with_scaling: bool = True,
    quantile_range: tuple[float, float] = (25.0, 75.0),
    copy: bool = True,
    unit_variance: bool = False,
) -> Any:
    """Scale columns (axis=0) or rows (axis=1) by median and quantile range: (x - median) / (q_high - q_low).

    >>> robust_scale([1.0, 2.0, 3.0, 4.0, 1000.0])
    array([ -1. ,  -0.5,   0. ,   0.5, 498.5])
    """
    scaler = RobustScaler(
        with_centering=with_centering,
        with_scaling=with_scaling,
        quantile_range=quantile_range,
        unit_variance=unit_variance,
    )
    return _along(scaler, X, axis, "robust_scale")


@checked()
def power_transform(
    X: Rows,
    method: Literal["yeo-johnson", "box-cox"] = "yeo-johnson",
    *,
    standardize: bool = True,
    copy: bool = True,
) -> Any:
    """Power transform of columns to approximate normality: see `PowerTransformer`.

    >>> power_transform([[1.0], [2.0], [4.0]], method="box-cox").round(2).ravel()
    array([-1.22,  0.  ,  1.22])
    """
    return PowerTransformer(method, standardize=standardize).fit_transform(X)


@checked()
def quantile_transform(
    X: Rows,
    *,
    axis: int = 0,
    n_quantiles: int = 1000,
    output_distribution: Literal["uniform", "normal"] = "uniform",
    ignore_implicit_zeros: bool = False,
    subsample: int = 100_000,
    random_state: RandomState = None,
    copy: bool = True,
) -> Any:
    """Quantile transform of columns (axis=0) or rows (axis=1): see `QuantileTransformer`.

    >>> quantile_transform([[3.0], [1.0], [2.0]]).ravel()
    array([1. , 0. , 0.5])
    """
    transformer = QuantileTransformer(
        n_quantiles=n_quantiles,
        output_distribution=output_distribution,
        ignore_implicit_zeros=ignore_implicit_zeros,
        subsample=subsample,
        random_state=random_state,
    )
    return _along(transformer, X, axis, "quantile_transform")


def _along(scaler: Any, X: Any, axis: int, owner: str) -> Any:
    """The table scaled by columns or rows; a single column may come as a flat array."""
    if axis not in (0, 1):
        raise ParameterError(f"{owner}: axis must be 0 (columns) or 1 (rows); got {axis!r}")
    if is_sparse(X):
        return scaler.fit_transform(X) if axis == 0 else scaler.fit_transform(X.T).T
    if hasattr(X, "columns") and axis == 0:
        return scaler.fit_transform(X)
    values = np.asarray(X)
    if values.ndim == 1:
        return scaler.fit_transform(values[:, None]).ravel()
    return scaler.fit_transform(values) if axis == 0 else scaler.fit_transform(values.T).T
