"""Numbers as bins."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Transformer,
    estimator,
    learned,
    param,
)
from ..core.errors import warn
from ..core.roles.transformer import numbers_back
from ..core.runtime.context import give_way
from ..core.runtime.random import stream
from ..core.validate.columns import check_names_fit
from ..core.validate.features import column_name
from ..engines.columns.bins import centred_edges, counted_quantiles, equal_width
from ..engines.columns.column_statistics import column_statistics
from ..engines.columns.quantiles import quantiles
from ..engines.passes import TrainingRows
from ..engines.sampled_rows import FitsSample

NARROWEST = 1e-8
Method = Literal[
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
]


def _is_float_type(value: Any) -> bool:
    return value is None or (isinstance(value, (type, str, np.dtype)) and value in (np.float32, np.float64))


def _is_count(value: Any) -> bool:
    counts = np.asarray(value)
    return counts.dtype.kind in "iu" and counts.ndim <= 1 and bool((counts >= 2).all())


@estimator
class KBinsDiscretizer(FitsSample, Transformer):
    """Discretisation: numeric features cut into bins, as codes or indicators.

    z_j = k if edge_k <= x_j < edge_(k+1);    values beyond the edges belong to the outermost bins

    Bins have equal width ("uniform"), equal width of the logarithm ("log"), equal weight ("quantile"), or the nearest
    of the centres of k-means ("kmeans"). A constant column has one bin, and edges that coincide become one: `n_bins_`
    says how many are left.

    >>> KBinsDiscretizer(2, encode="ordinal", strategy="uniform").fit_transform([[0.0], [1.0], [4.0], [9.0]]).ravel()
    array([0., 0., 0., 1.])
    """

    title = "discretisation"

    n_bins: Any = param(
        5,
        "number of bins, of each column or of all",
        kw_only=False,
        accepts=_is_count,
        says="whole numbers of 2 or more",
        tune=(2, 5, 10, 20),
        simpler="smaller",
    )
    encode: Literal["onehot", "onehot-dense", "ordinal"] = param(
        "onehot", "encoding of the bins: indicators (dense or sparse), or ordinal codes"
    )
    strategy: Literal["uniform", "quantile", "kmeans", "log"] = param("quantile", "placement of the bin edges")
    quantile_method: Method = param("averaged_inverted_cdf", "quantile definition, as in numpy.percentile")
    dtype: Any = param(None, "data type of the result (None: that of X)", accepts=_is_float_type, says="a float type")
    subsample: int | None = param(
        200_000, "maximum number of rows from which the edges are computed (None: all)", at_least=1
    )
    random_state: RandomState = param(None, "seed of the subsample")

    n_bins_: Array = learned("number of bins of each column", shape="features", least=1)
    edges_: list[Any] = learned("the edges of the bins of each column", counts="features", each="edges*")

    def _unsound(self) -> str:
        """Every column has as many bins as its edges say."""
        counts = [len(edges) - 1 for edges in self.edges_]
        return (
            ""
            if np.array_equal(self.n_bins_, counts)
            else "n_bins_ must say how many bins the edges of each column make"
        )

    def _fit(self, data: Data, trace: Trace) -> None:
        counts = np.asarray(self.n_bins)
        if counts.ndim == 1 and len(counts) != data.p:
            raise ParameterError(
                f"KBinsDiscretizer: n_bins is one number, or one for each of the {data.p} columns; got {len(counts)}"
            )
        self._check_method(data)
        X, weight = self._rows(data)
        counts = np.broadcast_to(counts, data.p)
        self.edges_ = [self._edges(X[:, j], int(counts[j]), weight, j, data.names) for j in range(data.p)]
        self.n_bins_ = np.array([len(edges) - 1 for edges in self.edges_])

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if self.strategy in ("quantile", "kmeans"):
            super()._fit_blocks(rows, trace)
            return
        columns = rows.total(column_statistics)
        first = rows.first
        self._fit(Data(np.stack([columns.low, columns.high]), first.y, None, first.names), trace)

    def _check_method(self, data: Data) -> None:
        known = ("inverted_cdf", "averaged_inverted_cdf", "linear")
        if self.strategy == "quantile" and data.weight is not None and self.quantile_method not in known:
            raise ParameterError(
                f"KBinsDiscretizer: with weights quantile_method should be one of {known}; got {self.quantile_method!r}"
            )

    def _rows(self, data: Data) -> tuple[Array, Array | None]:
        """The rows that the edges are found from; weighted ones are all taken."""
        if data.weight is not None or self.subsample is None or data.n <= self.subsample:
            return data.X, data.weight
        return data.X[stream(self.random_state).randint(0, data.n, size=self.subsample)], None

    def _edges(self, column: Array, bins: int, weight: Array | None, j: int, names: list[str] | None) -> Array:
        give_way()
        seen = column if weight is None else column[weight > 0]
        low, high = float(seen.min()), float(seen.max())
        where = j if names is None else repr(names[j])
        if low == high:
            warn(f"KBinsDiscretizer: Feature {where} is constant and will be replaced with 0.", UserWarning)
            return np.array([-np.inf, np.inf])
        if self.strategy == "uniform":
            edges = equal_width(low, high, bins)
        elif self.strategy == "log":
            if low <= 0:
                raise DataError(
                    f'KBinsDiscretizer: strategy="log" needs positive numbers, but {column_name(names, j)} holds '
                    f'{low:g}; shift it, or use strategy="quantile"'
                )
            edges = np.exp(equal_width(np.log(low), np.log(high), bins))
            edges[[0, -1]] = low, high
        elif self.strategy == "kmeans":
            return _wide_enough(centred_edges(column, bins, weight), where)
        else:
            return _wide_enough(self._quantile_edges(column.astype(np.float64), bins, weight), where)
        return edges

    def _quantile_edges(self, column: Array, bins: int, weight: Array | None) -> Array:
        percents = np.linspace(0, 100, bins + 1)
        if weight is None:
            return np.asarray(np.percentile(column, percents, method=self.quantile_method))
        shares = percents / 100  # with NumPy's rounding
        if self.quantile_method == "linear":
            return quantiles(column, shares, weight)
        return counted_quantiles(column, shares, weight, self.quantile_method == "averaged_inverted_cdf")

    def _transform(self, X: Matrix) -> Matrix:
        dtype = X.dtype if self.dtype is None else self.dtype
        codes = np.empty(X.shape, dtype=np.int64)
        for j, edges in enumerate(self.edges_):
            codes[:, j] = np.searchsorted(edges[1:-1], X[:, j], side="right")
        if self.encode == "ordinal":
            return codes.astype(dtype)
        return self._indicators(codes, dtype)

    def _indicators(self, codes: Array, dtype: Any) -> Any:
        ends = np.cumsum([0, *self.n_bins_.tolist()])
        indices = codes + ends[:-1]
        rows, columns = codes.shape
        if self.encode == "onehot":
            from scipy.sparse import csr_matrix

            starts = np.arange(rows + 1) * columns
            ones = np.ones(rows * columns, dtype=dtype)
            return csr_matrix((ones, indices.ravel().astype(np.int32), starts), shape=(rows, int(ends[-1])))
        result = np.zeros((rows, int(ends[-1])), dtype=dtype)
        np.put_along_axis(result, indices, 1, axis=1)
        return result

    def inverse_transform(self, X: Any) -> Array:
        """The middle of the bin of each entry; the logarithmic one where bins are of equal width there."""
        self._require_fit()
        width = self.n_features_in_ if self.encode == "ordinal" else int(self.n_bins_.sum())
        matrix = numbers_back(self, X, width)
        if self.encode != "ordinal":
            ends = np.cumsum([0, *self.n_bins_.tolist()])
            matrix = np.column_stack([matrix[:, a:b].argmax(axis=1) for a, b in pairwise(ends)])
        wrong = np.argwhere(~((matrix >= 0) & (matrix < self.n_bins_)))
        if len(wrong):
            row, j = wrong[0].tolist()
            raise DataError(
                f"KBinsDiscretizer: column {j} of X holds {matrix[row, j]} in row {row}; it has the bins 0 to "
                f"{self.n_bins_[j] - 1}"
            )
        return np.column_stack([self._middles(edges)[matrix[:, j].astype(int)] for j, edges in enumerate(self.edges_)])

    def _middles(self, edges: Array) -> Array:
        if self.strategy == "log" and np.isfinite(edges).all():
            return np.sqrt(edges[1:]) * np.sqrt(edges[:-1])
        with np.errstate(invalid="ignore"):  # a constant column has no edges
            return np.asarray(edges[1:] * 0.5 + edges[:-1] * 0.5)

    @property
    def bin_edges_(self) -> Array:
        """The edges of the bins of each column."""
        found = np.empty(len(self.edges_), dtype=object)
        found[:] = self.edges_
        return found

    def _names_out(self, names: list[str]) -> list[str]:
        if self.encode == "ordinal":
            return names
        check_names_fit(type(self).__name__, int(self.n_bins_.sum()))
        return [f"{name}_{float(k)}" for name, count in zip(names, self.n_bins_, strict=True) for k in range(count)]


def _wide_enough(edges: Array, where: int | str) -> Array:
    """Edges without those that coincide with the one before, which is warned of."""
    kept = np.append(True, np.diff(edges) > NARROWEST)
    if not kept.all():
        warn(
            f"KBinsDiscretizer: Bins whose width are too small (i.e., <= 1e-8) in feature {where} are removed. "
            "Consider decreasing the number of bins.",
            UserWarning,
        )
    return edges[kept] if kept.sum() > 1 else np.array([-np.inf, np.inf])
