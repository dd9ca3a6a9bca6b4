"""The graph of nearest rows as a step of a pipeline."""

from __future__ import annotations

from ..core import Matrix, estimator, param
from ._graph_transformer_base import GraphStep
from ._neighbors_base import WithNearest


@estimator
class KNeighborsTransformer(WithNearest, GraphStep):
    """The k-nearest neighbours graph: the sparse matrix of the distances to the nearest training rows.

    G[i, j] = d(x_i, x_j) if row j is among the nearest of x_i,    or 1 with mode="connectivity"

    For estimators with metric="precomputed". Distances to one neighbour more than requested, as a training row is its
    own nearest. Neighbours are exact. [Maaten and Hinton, 2008]

    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [1.0], [3.0]]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    """

    n_neighbors: int = param(5, "number of neighbours, the row itself not counted", at_least=1)

    title = "k-nearest neighbours graph"
    reference = "Maaten and Hinton, 2008"

    def _transform(self, X: Matrix) -> Matrix:
        return self._nearest_graph(X, self.n_neighbors + (self.mode == "distance"), self.mode)
