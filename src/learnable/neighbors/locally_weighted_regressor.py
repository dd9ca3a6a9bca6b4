"""Locally weighted regression on the neighbours of each query."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Regressor, Table, Trace, Traits, estimator, learned, param
from ._neighbors_base import WithNearest, counted, rows_enough

BLOCK = 2**20  # numbers in the tables of a few questions


@estimator
class LocallyWeightedRegressor(WithNearest, Regressor):
    """Locally weighted regression: weighted least squares on the nearest rows of each query.

    minimise over w, b    sum_i K(d_i / h) (y_i - b - w'(x_i - x))^2 + ridge |w|^2,    f(x) = b

    over the k nearest rows. h is `bandwidth`, or the distance of the k-th; K is tricube (1 - u^3)^3, for h a thousandth
    longer so that the k-th row counts, gaussian exp(-u^2 / 2) or uniform. Degree 0 is the Nadaraya-Watson estimator;
    degree 1 is free of its first-order bias at the boundary and of its bias where rows are unevenly dense. A row of
    weight w counts as w neighbours. [Cleveland, 1979; Fan, 1992]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 4.0, 6.0, 8.0]
    >>> LocallyWeightedRegressor(n_neighbors=4).fit(X, y).predict([[4.5]]).round(6)
    array([9.])
    """

    n_neighbors: int = param(
        20, "number of neighbours in the local fit", at_least=1, kw_only=False, tune=(5, 10, 20, 40), simpler="larger"
    )
    degree: Literal[0, 1] = param(1, "degree of the local polynomial: 0 is a constant, 1 a plane")
    kernel: Literal["tricube", "gaussian", "uniform"] = param("tricube", "kernel of the weights")
    bandwidth: float | None = param(
        None, "bandwidth of the kernel; None takes the distance of the k-th neighbour", above=0
    )
    ridge: float = param(1e-9, "regularisation strength, relative to the variance of the rows", at_least=0)

    targets_: Array = learned("target of each row kept", shape="rows targets?")
    counts_: Array | None = learned("weight of each row kept, None if all count alike", shape="rows")

    traits = Traits(sparse=False, multi_target=True)
    title = "locally weighted regression"
    reference = "Cleveland, 1979"

    def _fit(self, data: Data, trace: Trace) -> None:
        if isinstance(data.X, Table) and self.degree > 0:
            raise DataError("LocallyWeightedRegressor: degree=1 needs numeric columns, and X has others; use degree=0")
        kept = self._counting(data)
        self.targets_ = data.y[kept]
        self.counts_ = None if data.weight is None else data.weight[kept]
        self._keep(data.X[kept])
        trace.exact("the training rows themselves are kept")

    def _predict(self, X: Matrix) -> Array:
        k = min(self.n_neighbors, self.n_samples_fit_)
        if self.counts_ is not None:
            requested = int(min(self.n_neighbors, self.counts_.sum()))
            k = rows_enough(self.counts_, max(requested, 1), type(self).__name__)
        distances, rows = self._nearest(X, k)
        weight = self._weights(distances, rows)
        values = self.targets_.reshape(len(self.targets_), -1)
        found = np.empty((len(rows), values.shape[1]))
        step = max(1, BLOCK // (k * X.shape[1]))
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            found[part] = self._predict_locally(np.asarray(X[part], dtype=np.float64), rows[part], weight[part], values)
        return found.reshape(len(rows), *self.targets_.shape[1:]).astype(self.targets_.dtype, copy=False)

    def _weights(self, distances: Array, rows: Array) -> Array:
        """Weights of the rows near each question, which sum to one."""
        often = np.ones(rows.shape) if self.counts_ is None else counted(self.counts_, rows, self.n_neighbors)
        used = np.where(often > 0, distances, 0.0)
        width = used.max(axis=1, keepdims=True) if self.bandwidth is None else np.full((len(rows), 1), self.bandwidth)
        share = distances / np.where(width > 0, width, 1.0)
        if self.kernel == "tricube":
            # the last row itself would count nothing: the scale ends a little behind it
            near = np.maximum(1 - np.minimum(share / 1.001, 1.0) ** 3, 0.0) ** 3
        elif self.kernel == "gaussian":
            first = share.min(axis=1, keepdims=True)
            near = np.exp(-(share - first) * (share + first) / 2)
        else:
            near = (share <= 1).astype(np.float64)
        near = near * often
        near[near.sum(axis=1) == 0, 0] = 1.0  # no row within the bandwidth: the nearest row
        return np.asarray(near / near.sum(axis=1, keepdims=True))

    def _predict_locally(self, X: Array, rows: Array, weight: Array, values: Array) -> Array:
        near = values[rows].astype(np.float64)
        middle = np.einsum("qk,qkt->qt", weight, near)
        if self.degree == 0:
            return np.asarray(middle)
        points = np.asarray(self.rows_, dtype=np.float64)[rows]
        centre = np.einsum("qk,qkp->qp", weight, points)
        differences = points - centre[:, None]
        size = np.abs(differences).max(axis=(1, 2), keepdims=True)
        differences = differences / np.where(size > 0, size, 1.0)
        queries = (X - centre) / np.where(size > 0, size, 1.0)[:, 0]
        gram = np.einsum("qk,qkp,qkr->qpr", weight, differences, differences)
        spread = np.trace(gram, axis1=1, axis2=2)[:, None, None]
        columns = np.eye(X.shape[1]) * np.where(spread > 0, spread * max(self.ridge, 1e-14), 1.0)
        cross = np.einsum("qk,qkp,qkt->qpt", weight, differences, near - middle[:, None])
        coefficients = np.linalg.solve(gram + columns, cross)
        return np.asarray(middle + np.einsum("qp,qpt->qt", queries, coefficients))
