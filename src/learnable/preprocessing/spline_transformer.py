"""B-spline bases of columns, so that a linear model of them is a smooth curve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, Transformer, estimator, learned, param
from ..core.validate.columns import check_names_fit
from ..core.validate.features import FeatureValidator, column_name
from ..engines.columns.column_statistics import ColumnStatistics
from ..engines.columns.quantiles import column_quantiles

Beyond = Literal["error", "constant", "linear", "continue", "periodic"]


def _names_knots(value: Any) -> bool:
    return value in ("uniform", "quantile") if isinstance(value, str) else hasattr(value, "__len__")


@estimator
class SplineTransformer(Transformer):
    """B-spline features: a basis of piecewise polynomials for each feature.

    z_(j,k) = B_k(x_j),    B_k piecewise polynomials of a degree; they sum to one between the outermost knots

    Beyond the knots the spline is constant, linear, continues its last polynomial, starts again (periodic) or
    is an error. [de Boor, 1978]

    >>> SplineTransformer(n_knots=3, degree=2).fit_transform([[0.0], [1.0], [2.0]]).round(3)
    array([[0.5, 0.5, 0. , 0. ],
           [0. , 0.5, 0.5, 0. ],
           [0. , 0. , 0.5, 0.5]])
    """

    title = "B-spline features"
    reference = "de Boor, 1978"

    n_knots: int = param(
        5, "number of knots of each column", kw_only=False, at_least=2, tune=(3, 5, 9), simpler="smaller"
    )
    degree: int = param(3, "degree of the polynomial pieces", kw_only=False, at_least=0)
    knots: Any = param(
        "uniform",
        "placement of the knots: uniform, quantile, or given",
        accepts=_names_knots,
        says='"uniform", "quantile" or a table of knots',
    )
    extrapolation: Beyond = param("constant", "extrapolation beyond the outermost knots")
    include_bias: bool = param(True, "whether the last spline of each column is kept")
    order: Literal["C", "F"] = param("C", "order of a dense result in memory")
    handle_missing: Literal["error", "zeros"] = param("error", "whether missing values are refused or encoded as zeros")
    sparse_output: bool = param(False, "whether the result is sparse")

    knots_: Array = learned("knots of each column, including those beyond the ends", shape="knots columns")
    n_features_out_: int = learned("number of columns of the result", least=0)

    @property
    def _validator(self) -> FeatureValidator:
        return FeatureValidator(
            type(self).__name__, False, "csc", "native" if self.handle_missing == "zeros" else "refuse"
        )

    @property
    def _splines(self) -> int:
        """Number of splines of each column."""
        inner = len(self.knots_) - 2 * self.degree
        return inner - 1 if self.extrapolation == "periodic" else inner + self.degree - 1

    def _fit(self, data: Data, trace: Trace) -> None:
        if data.n < 2:
            raise DataError("SplineTransformer: n_samples=1 while a minimum of 2 is required: 1 sample has no range")
        base = self._base(data)
        if self.extrapolation == "periodic" and len(base) <= self.degree:
            raise ParameterError(
                f"SplineTransformer: Periodic splines require degree < n_knots. Got n_knots={len(base)} and "
                f"degree={self.degree}."
            )
        self.knots_ = self._extended(base)
        self.n_features_out_ = data.p * (self._splines - (not self.include_bias))
        trace.exact("knots from the columns, computed directly")

    def _base(self, data: Data) -> Array:
        """The knots between the ends of each column."""
        if not isinstance(self.knots, str):
            return self._given(data.p)
        if self.knots == "quantile":
            found = column_quantiles(data.X, np.linspace(0, 1, self.n_knots), data.weight)
            return np.nan_to_num(found).astype(np.float64)
        summary = ColumnStatistics.of(data.X, data.weight)
        low, high = (np.where(summary.weight > 0, ends, 0.0) for ends in (summary.low, summary.high))
        for j in np.flatnonzero(high - low == np.inf):
            raise DataError(
                f"SplineTransformer: {column_name(data.names, int(j))} is too wide; use another unit for it"
            )
        return np.linspace(low, high, self.n_knots)

    def _given(self, columns: int) -> Array:
        try:
            base = np.asarray(self.knots, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(
                f"SplineTransformer: knots must be a table of numbers; got {self.knots!r:.60}"
            ) from None
        if base.ndim != 2 or base.shape[0] < 2:
            raise ParameterError("SplineTransformer: knots must have two rows or more")
        if base.shape[1] != columns:
            raise ParameterError(
                f"SplineTransformer: knots.shape[1] == n_features is violated: {base.shape[1]} for {columns} columns"
            )
        if not (np.diff(base, axis=0) > 0).all():
            raise ParameterError("SplineTransformer: knots of a column must rise from row to row")
        return base

    def _extended(self, base: Array) -> Array:
        """Knots on both sides beyond the ends, as many as the degree."""
        degree = self.degree
        if degree == 0:
            return base
        if self.extrapolation == "periodic":
            period = base[-1] - base[0]
            return np.concatenate([base[-(degree + 1) : -1] - period, base, base[1 : degree + 1] + period])
        steps = np.arange(1, degree + 1)[:, None]
        before = base[0] - steps[::-1] * (base[1] - base[0])
        return np.concatenate([before, base, base[-1] + steps * (base[-1] - base[-2])])

    @property
    def bsplines_(self) -> list[Any]:
        """The splines of each column, as SciPy's splines."""
        from scipy.interpolate import BSpline

        eye = np.eye(self._splines)
        if self.extrapolation == "periodic":
            eye = np.concatenate([eye, eye[: self.degree]])
        on = self.extrapolation in ("periodic", "continue")
        columns = self.knots_.T.astype(np.float64)
        return [BSpline.construct_fast(np.ascontiguousarray(t), eye, self.degree, extrapolate=on) for t in columns]

    def _transform(self, X: Matrix) -> Matrix:
        blocks = [self._basis(X[:, j], spline, j) for j, spline in enumerate(self.bsplines_)]
        if not self.include_bias:
            blocks = [block[:, :-1] for block in blocks]
        result = np.asarray(np.hstack(blocks), dtype=X.dtype, order=self.order)
        if not self.sparse_output:
            return result
        from scipy.sparse import csr_matrix

        return csr_matrix(result)

    def _basis(self, column: Array, spline: Any, j: int) -> Array:
        """The splines of one column; zeros where it is missing."""
        gone = np.isnan(column)
        low, high = spline.t[self.degree], spline.t[-self.degree - 1]
        x = np.where(gone, low, column).astype(np.float64)
        if self.extrapolation == "error" and ((x < low) | (x > high)).any():
            row = int(np.argmax((x < low) | (x > high)))
            raise DataError(
                f"SplineTransformer: {column_name(self.__dict__.get('feature_names_in_'), j)} holds {x[row]:g} in row "
                f"{row}, outside the knots"
            )
        if high == low:
            result = self._of_constant(spline, len(x))
        elif self.extrapolation == "periodic":
            result = spline(low + (x - low) % (high - low))
        elif self.extrapolation in ("continue", "error"):
            result = spline(np.clip(x, low, high) if self.extrapolation == "error" else x)
        else:
            result = spline(np.clip(x, low, high))
            if self.extrapolation == "linear":
                result += self._straight(spline, x, low, high)
        result[gone] = 0
        return np.asarray(result)

    def _of_constant(self, spline: Any, rows: int) -> Array:
        """A column without width lies in the first splines alone, as SciPy's splines have it."""
        ends = np.zeros((1, spline.c.shape[1]))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.nan_to_num(spline(spline.t[[self.degree]]))
        return np.repeat(found if found.any() else ends, rows, axis=0)

    def _straight(self, spline: Any, x: Array, low: float, high: float) -> Array:
        """What the straight lines beyond both ends add."""
        if self.degree == 0:
            return np.zeros((len(x), spline.c.shape[1]))
        below, above = spline(np.array([low, high]), nu=1)
        return np.asarray(np.minimum(x - low, 0)[:, None] * below + np.maximum(x - high, 0)[:, None] * above)

    def _names_out(self, names: list[str]) -> list[str]:
        width = self._splines - (not self.include_bias)
        check_names_fit(type(self).__name__, len(names) * width)
        return [f"{name}_sp_{k}" for name in names for k in range(width)]

    def _effective_traits(self) -> Traits:
        return replace(self.traits, missing="native" if self.handle_missing == "zeros" else "refuse")
