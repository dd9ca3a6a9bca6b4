"""Base class of the trees of points: an index built once and queried many times."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..engines.neighbours import Algorithm, NeighbourSearch
from ._graphs import ragged
from ._kde_kernels import DensityKernel, log_total
from ._kde_sums import KernelSums
from ._metrics import comparison, effective


class PointIndex(ChecksSparse):
    """Base class of trees of points and their queries; a subclass names the algorithm."""

    algorithm: Algorithm = "kd_tree"
    valid_metrics: ClassVar[list[str]] = []

    def __init__(self, X: Any, leaf_size: int = 40, metric: Any = "minkowski", **options: Any) -> None:
        self.leaf_size, self._owner = leaf_size, type(self).__name__
        self.data = np.require(FeatureValidator(self._owner).matrix(X)[0], np.float64, "C")
        name, left = effective(metric, options.pop("p", 2), options)
        self._how = comparison(name, left, self.data, self._owner)
        known = metric in self.valid_metrics if isinstance(metric, str) else "pyfunc" in self.valid_metrics
        if self._how.power is None and not known:
            raise ParameterError(f"{self._owner}: {metric!r} is not a valid metric of this tree; use NearestNeighbors")
        self._search = NeighbourSearch.of(self.data, self._how, self.algorithm)

    def query(
        self,
        X: Any,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
    ) -> Any:
        """Distances to and indices of the `k` nearest rows of each row of `X`, nearest first."""
        queries = self._rows(X)
        if not 1 <= k <= len(self.data):
            raise DataError(f"{self._owner}: k must be between 1 and the number of rows, {len(self.data)}; got {k}")
        distances, rows = self._search.nearest(queries, k)
        return (distances, rows) if return_distance else rows

    def query_radius(
        self,
        X: Any,
        r: Any,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = False,
    ) -> Any:
        """The rows within the radius `r`, or one of its own for each row of `X`, as arrays, or only how many."""
        queries = self._rows(X)
        radii = np.broadcast_to(np.asarray(r, dtype=np.float64), len(queries))
        distances, rows = np.empty(len(queries), dtype=object), np.empty(len(queries), dtype=object)
        for radius in np.unique(radii):
            chosen = np.flatnonzero(radii == radius)
            distances[chosen], rows[chosen] = ragged(self._search.within(queries[chosen], radius), sort_results)
        if count_only:
            return np.array([len(found) for found in rows])
        return (rows, distances) if return_distance else rows

    def kernel_density(
        self,
        X: Any,
        h: float,
        kernel: DensityKernel = "gaussian",
        atol: float = 0,
        rtol: float = 1e-8,
        breadth_first: bool = True,
        return_log: bool = False,
    ) -> Array:
        """The sum of kernels of width `h` round all rows, each of integral one, at each row of `X`."""
        queries = self._rows(X)
        total = log_total(kernel, queries.shape[1]) + queries.shape[1] * np.log(h)
        sums = KernelSums(self.data, None, self._how)
        found = sums.logs(queries, kernel, h, rtol, atol * float(np.exp(total))) - total
        return np.asarray(found if return_log else np.exp(found))

    def two_point_correlation(self, X: Any, r: Any, dualtree: bool = False) -> Array:
        """How many pairs of a row of `X` and a row of the tree are at most each of the distances `r` apart."""
        return np.array([self.query_radius(X, radius, count_only=True).sum() for radius in np.ravel(r)])

    def _rows(self, X: Any) -> Array:
        queries = np.require(FeatureValidator(self._owner).matrix(X)[0], np.float64, "C")
        if queries.shape[1] != self.data.shape[1]:
            raise DataError(f"{self._owner}: query data dimension must match training data dimension")
        return queries
