"""Base classes of clustering by the nearest centre."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    Table,
    Trace,
    Traits,
    WeightedClusterer,
    WithContainers,
    declaring,
    learned,
)
from ...core.roles.transformer import names_in
from ...core.sklearn_api.output_containers import wrapped
from ...core.validate.columns import numbered_names
from ...engines import matrix_products
from ...engines.kmeans import nearest_centres, squared_distances
from ...metrics.distance_kinds import euclidean_distances


class PrototypeClusterer(WeightedClusterer, WithContainers):
    """Base class of clusterers that assign rows to the nearest centre of any kind; `transform` returns the distances.

    A subclass implements `_fit` and `_distances`, a column for each centre; ties go to the first centre.
    """

    traits = Traits(stochastic=True)

    n_clusters: int
    labels_: Array

    def transform(self, X: Any) -> Any:
        """The distance of each row to each centre."""
        rows = self._read(X)
        return wrapped(self._distances(rows).astype(rows.dtype, copy=False), X, self)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X).transform(X)`."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that `transform` returns."""
        self._require_fit()
        names_in(self, input_features)
        owner = type(self).__name__.lower()
        return np.array(numbered_names(type(self).__name__, self._count_clusters(), owner), dtype=object)

    def _count_clusters(self) -> int:
        """Number of clusters."""
        return self.n_clusters

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _distances(self, X: Matrix) -> Array: ...

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self._distances(X).argmin(axis=1))


@declaring
class CentroidClusterer(PrototypeClusterer):
    """Base class of clusterers with centroids in the feature space, by squared Euclidean distances.

    A subclass implements `_fit`, which sets `cluster_centers_`, `labels_` and `inertia_`.
    """

    traits = Traits(sparse=True, storage="csr")

    cluster_centers_: Array = learned("cluster centroids", shape="clusters features")
    inertia_: float = learned("weighted sum of squared distances of the training rows to their centres")
    n_iter_: int = learned("number of iterations of the best run")

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Negative inertia: minus the weighted sum of squared distances of the rows to their nearest centroids."""
        rows = self._read(X)
        weight = self._validator.weights(sample_weight, rows.shape[0])
        return -inertia(rows, weight, self.cluster_centers_, self._assign(rows))

    def _count_clusters(self) -> int:
        return len(self.cluster_centers_)

    def _assign(self, X: Matrix) -> Array:
        return nearest_centres(X, self.cluster_centers_)

    def _distances(self, X: Matrix) -> Array:
        return euclidean_distances(X, self.cluster_centers_)


def inertia(X: Matrix, weight: Array | None, centres: Array, labels: Array) -> float:
    """The inertia: weighted sum of squared distances of the rows to their centroids."""
    square = squared_distances(X, centres, labels)
    return float(square.sum() if weight is None else (square * weight).sum())


def rows_with_weight(owner: Any, data: Data) -> Data:
    """The rows with weight, of which there must be at least `n_clusters`."""
    rows, weight = matrix_products.rows_that_count(data.X, data.weight)
    if rows.shape[0] < owner.n_clusters:
        raise ParameterError(
            f"{type(owner).__name__}: n_clusters={owner.n_clusters} clusters need at least as many rows; "
            f"n_samples={rows.shape[0]}"
        )
    return Data(rows, data.y, weight, data.names)


def table_with_weight(owner: Any, data: Data) -> tuple[Table, Array]:
    """The same for a table: its rows with weight, and their weights."""
    rows = rows_with_weight(owner, data)
    return rows.X, np.ones(rows.n) if rows.weight is None else rows.weight.astype(np.float64)
