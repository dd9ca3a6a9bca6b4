"""Isotonic regression."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Regressor, Trace, Traits, estimator, learned, param
from ..core.errors import ParameterError
from ..core.roles.transformer import WithContainers
from ..core.sklearn_api.output_containers import wrapped
from ..core.validate.sparse_input import checks_sparse
from ..parts.isotonic import RisingMap, fit_isotonic, rising_sequence, trimmed
from .monotonicity import check_increasing


@estimator
class IsotonicRegression(WithContainers, Regressor):
    """Isotonic regression: the monotone function of one feature that is closest to the targets.

    minimise over rising f    sum_i weight_i (y_i - f(x_i))^2

    Pool adjacent violators after sorting, O(n log n); exact. Between training rows the function is linear; rows with
    equal x have one value. X is a column: (rows,) or (rows, 1). [Barlow et al., 1972]

    >>> model = IsotonicRegression().fit([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0])
    >>> model.predict([1.0, 2.5, 3.5, 9.0])
    array([1.  , 2.5 , 3.25,  nan])
    """

    y_min: float | None = param(None, "lower bound of the predictions; None: unbounded", infinite=True)
    y_max: float | None = param(None, "upper bound of the predictions; None: unbounded", infinite=True)
    increasing: bool | Literal["auto"] = param(
        True, 'whether the function increases; "auto": by the sign of the rank correlation'
    )
    out_of_bounds: Literal["nan", "clip", "raise"] = param(
        "nan", "prediction for x outside the training range: NaN, the value of the nearest end, or an error"
    )

    X_min_: float = learned("the smallest training x")
    X_max_: float = learned("the largest training x")
    X_thresholds_: Array = learned("knots of the piecewise linear function, its ends included", shape="thresholds")
    y_thresholds_: Array = learned("values of the function at the knots", shape="thresholds")
    increasing_: bool = learned("whether the function increases")

    traits = Traits(takes="column", parametric=False)
    title = "isotonic regression"
    reference = "Barlow, Bartholomew, Bremner and Brunk, 1972"

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        if np.ndim(X) == 1:
            X = np.asarray(X).reshape(-1, 1)
        matrix, names = super()._enter(X)
        if matrix.shape[1] != 1:
            raise DataError(
                f"{type(self).__name__}: Isotonic regression input X should be a 1d array or 2d array with 1 feature; "
                f"got {matrix.shape[1]} columns"
            )
        return matrix, names

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check_bounds()
        x, y = data.X[:, 0], data.y
        self.increasing_ = check_increasing(x, y) if self.increasing == "auto" else self.increasing
        curve = fit_isotonic(x, y, data.weight, self.increasing_)
        curve = trimmed(curve.x, bounded(curve.y, self.y_min, self.y_max))
        self.X_thresholds_, self.y_thresholds_ = curve.x, curve.y.astype(x.dtype)
        self.X_min_, self.X_max_ = float(curve.x[0]), float(curve.x[-1])
        squared_errors = (y - curve(x)) ** 2
        trace.exact(
            "adjacent rows were pooled until none contradicts the order, which is the optimum",
            float(squared_errors.sum() if data.weight is None else data.weight @ squared_errors),
        )

    def _check_bounds(self) -> None:
        if self.y_min is not None and self.y_max is not None and self.y_min > self.y_max:
            raise ParameterError(
                f"{type(self).__name__}: y_min must be at most y_max; got {self.y_min:g} and {self.y_max:g}"
            )

    @property
    def f_(self) -> RisingMap:
        """The curve as a function; level outside of the training rows."""
        self._require_fit()
        return RisingMap(self.X_thresholds_, self.y_thresholds_)

    def _predict(self, X: Matrix) -> Array:
        x = X[:, 0]
        found = np.asarray(self.f_(x)).astype(self.y_thresholds_.dtype)
        outside = (x < self.X_min_) | (x > self.X_max_)
        if self.out_of_bounds == "clip" or len(self.y_thresholds_) == 1 or not outside.any():
            return found
        if self.out_of_bounds == "raise":
            raise DataError(
                f"{type(self).__name__}: x = {x[outside][0]:g} is outside of the training rows, "
                f"{self.X_min_:g} to {self.X_max_:g}; set out_of_bounds to 'clip' or 'nan' to predict it"
            )
        found[outside] = np.nan
        return found

    def predict(self, T: Any) -> Array:
        """The values of the curve at the rows of `T`."""
        return super().predict(T)

    def transform(self, T: Any) -> Any:
        """The values of the curve, in the container set by `set_output`."""
        return wrapped(self.predict(T), T, self)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X, y).transform(X)`."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The name of the one column that `transform` returns."""
        self._require_fit()
        return np.array([f"{type(self).__name__.lower()}0"], dtype=object)


@checks_sparse
def isotonic_regression(
    y: Any,
    *,
    sample_weight: Any = None,
    y_min: float | None = None,
    y_max: float | None = None,
    increasing: bool = True,
) -> Array:
    """Isotonic regression of a sequence: the nearest increasing (or decreasing) sequence between `y_min` and `y_max`.

    minimise over f_1 <= f_2 <= ...    sum_i weight_i (y_i - f_i)^2

    Pool adjacent violators, O(n); bounds may be met afterwards. Weights must be above zero. [Barlow et al., 1972]

    >>> isotonic_regression([1.0, 3.0, 2.0, 4.0])
    array([1. , 2.5, 2.5, 4. ])
    """
    values = np.asarray(y)
    kind = values.dtype if values.dtype == np.float32 else np.dtype(np.float64)
    values = _column(values, "y")
    weight = np.ones(len(values)) if sample_weight is None else _column(sample_weight, "sample_weight")
    if len(weight) != len(values) or not (weight > 0).all():
        raise DataError(
            f"isotonic_regression: sample_weight must have a number above 0 for each of the {len(values)} values of y"
        )
    rising = values if increasing else -values
    fitted = rising_sequence(rising, weight)
    return bounded(fitted if increasing else -fitted, y_min, y_max).astype(kind)


def bounded(fitted: Array, y_min: float | None, y_max: float | None) -> Array:
    """The nearest sequence within bounds: each value at the nearer end."""
    low, high = -np.inf if y_min is None else y_min, np.inf if y_max is None else y_max
    return np.asarray(np.clip(fitted, low, high)) + 0.0


def _column(values: Any, name: str) -> Array:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or len(found) == 0 or not np.isfinite(found).all():
        raise DataError(f"isotonic_regression: {name} must be a column of finite numbers; got shape {found.shape}")
    return found
