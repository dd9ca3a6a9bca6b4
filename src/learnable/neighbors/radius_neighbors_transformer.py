"""The graph of rows within a radius as a step of a pipeline."""

from __future__ import annotations

from ..core import Matrix, estimator, param
from ._graph_transformer_base import GraphStep
from ._neighbors_base import WithRadius


@estimator
class RadiusNeighborsTransformer(WithRadius, GraphStep):
    """The radius neighbours graph: the sparse matrix of the distances to the training rows within a radius.

    G[i, j] = d(x_i, x_j) where that is at most the radius,    or 1 with mode="connectivity"

    For estimators with metric="precomputed". Neighbours are exact. [Bentley, 1975]

    >>> RadiusNeighborsTransformer(radius=2.0).fit_transform([[0.0], [1.0], [3.0]]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    """

    radius: float = param(1.0, "neighbourhood radius", at_least=0)

    title = "radius neighbours graph"
    reference = "Bentley, 1975"

    def _transform(self, X: Matrix) -> Matrix:
        return self._radius_graph(X, self.radius, self.mode, True)
