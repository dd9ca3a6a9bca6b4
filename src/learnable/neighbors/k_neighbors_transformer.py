"""The graph of nearest rows as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Literal, Self

from ..core import Data, Matrix, Trace, Transformer, estimator, param
from .neighbourhood import WithNearest


@estimator
class KNeighborsTransformer(WithNearest, Transformer):
    """Rows as their distances to the nearest training rows, a sparse graph.

    G[i, j] = d(x_i, x_j) if row j is among the nearest of x_i,    or 1 with mode="connectivity"

    For estimators with metric="precomputed". Distances to one neighbour more than asked for, as a training row is its
    own nearest. Neighbours are exact. [Maaten and Hinton, 2008]

    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    """

    mode: Literal["distance", "connectivity"] = param("distance", "what the graph holds")
    n_neighbors: int = param(5, "number of neighbours, the row itself not counted", at_least=1)

    weights = False
    reference = "Maaten and Hinton, 2008"

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # a graph of rows has no use for weights
        """Keep the rows of `X`; `y` is not looked at."""
        return super().fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]  # as above
        """`fit(X).transform(X)`."""
        return self.fit(X, y).transform(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._keep(data.X)

    def _transform(self, X: Matrix) -> Matrix:
        return self._nearest_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{row}" for row in range(self.n_samples_fit_)]
