"""The graph of rows within a radius as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Literal, Self

from ..core import Data, Matrix, Trace, Transformer, estimator, param
from .graphs import graph_of
from .neighbourhood import WithRadius


@estimator
class RadiusNeighborsTransformer(WithRadius, Transformer):
    """Rows as their distances to the training rows within a radius, a sparse graph.

    G[i, j] = d(x_i, x_j) where that is at most the radius,    or 1 with mode="connectivity"

    For estimators with metric="precomputed". Neighbours are exact. [Bentley, 1975]

    >>> RadiusNeighborsTransformer(radius=2.0).fit_transform([[0.0], [1.0], [3.0]]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    """

    mode: Literal["distance", "connectivity"] = param("distance", "what the graph holds")
    radius: float = param(1.0, "how far neighbours may be away", at_least=0)

    weights = False
    reference = "Bentley, 1975"

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # a graph of rows has no use for weights
        """Keep the rows of `X`; `y` is not looked at."""
        return super().fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]  # as above
        """`fit(X).transform(X)`."""
        return self.fit(X, y).transform(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._keep(data.X)

    def _transform(self, X: Matrix) -> Matrix:
        return graph_of(self._within(X, self.radius), self.mode, self.n_samples_fit_, type(self).__name__, True)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{row}" for row in range(self.n_samples_fit_)]
