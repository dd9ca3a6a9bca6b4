"""The search for near rows, with nothing learned from them."""

from __future__ import annotations

from typing import Any, Self

from ..core import Traits, estimator, param
from ..core.declare import params
from ._neighbors_base import WithNearest, WithRadius


@estimator
class NearestNeighbors(WithNearest, WithRadius):
    """Nearest neighbour search: the k nearest training rows of a query, or all within a radius.

    the k rows i with the smallest d(x, x_i),    or all with d(x, x_i) <= radius

    Exact by every algorithm, of rows equally far the first, whatever the number of threads: a tree of boxes for few
    columns, single precision decided by double for many, balls for other metrics, a table of distances for the rest.
    [Friedman, Bentley and Finkel, 1977]

    >>> NearestNeighbors(n_neighbors=1).fit([[0.0], [3.0], [4.0]]).kneighbors([[2.9]], return_distance=False)
    array([[1]])
    """

    n_neighbors: int = param(5, "number of neighbours", at_least=1)
    radius: float | None = param(1.0, "neighbourhood radius", at_least=0, infinite=True)

    traits = Traits(task="neighbours", weights=False)
    title = "nearest neighbour search"
    reference = "Friedman, Bentley and Finkel, 1977"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the rows of `X`; `y` is ignored."""
        params.check(self)
        matrix, names = self._enter(X)
        with self._fitting(matrix, None, None) as trace:
            self._remember_columns(matrix, names)
            self._keep(matrix)
            trace.exact("the training rows themselves are kept")
        return self
