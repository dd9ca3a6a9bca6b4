"""Base classes of clustering by the nearest centre, and the initialisation of its centroids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Literal

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
    generator,
    learned,
    seed_of,
)
from ...core.errors import warn
from ...core.roles.transformer import names_in
from ...core.runtime.random import stream
from ...core.sklearn_api.output_containers import wrapped
from ...core.validate.columns import numbered_names
from ...engines import matrix_products
from ...engines.kmeans import ScaledData, nearest_centres, squared_distances
from ...engines.kmeans_init import seeds, uniform_values
from ...metrics.distance_functions import euclidean_distances

RUNS_IF_RANDOM = 10


class CentreDistances(WithContainers):
    """A clusterer whose `transform` returns distances to centres: a subclass writes `_distances`, a column for each."""

    def transform(self, X: Any) -> Any:
        """The distance of each row to each centre."""
        rows = self._read(X)
        dtype = rows.dtype if rows.dtype.kind == "f" else np.float64
        return wrapped(self._distances(rows).astype(dtype, copy=False), X, self)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that `transform` returns."""
        self._require_fit()
        names_in(self, input_features)
        owner = type(self).__name__.lower()
        return np.array(numbered_names(type(self).__name__, self._count_clusters(), owner), dtype=object)

    @abstractmethod
    def _count_clusters(self) -> int:
        """Number of centres."""

    @abstractmethod
    def _distances(self, X: Matrix) -> Array: ...


class PrototypeClusterer(WeightedClusterer, CentreDistances):
    """Base class of clusterers that assign rows to the nearest centre of any kind; ties go to the first centre."""

    traits = Traits(stochastic=True)

    n_clusters: int
    labels_: Array

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X).transform(X)`."""
        return self.fit(X, y, sample_weight).transform(X)

    def _count_clusters(self) -> int:
        return self.n_clusters

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

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


def inertia(X: Matrix, weight: Array | None, centres: Array, labels: Array, unit: float | None = None) -> float:
    """The inertia: weighted sum of squared distances of the rows to their centroids; `unit` if a safe one is known."""
    square = squared_distances(X, centres, labels, unit)
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


def number_of_runs(init: Any, n_init: int | Literal["auto"], several: int = RUNS_IF_RANDOM) -> int:
    """Number of runs: several for random or custom initialisation, one for k-means++ or given centroids."""
    if n_init != "auto":
        return n_init
    drawn = isinstance(init, str) and init not in ("random", "uniform")
    return 1 if drawn or not (isinstance(init, str) or callable(init)) else several


def initial_centres(model: Any, scaled: ScaledData, data: Data) -> Iterator[Array]:
    """Initial centroids for each run of `model`, scaled like the data; generated lazily."""
    runs, init, seed = number_of_runs(model.init, model.n_init), model.init, seed_of(model.random_state)
    if isinstance(init, str):
        trials = getattr(model, "trials", None)
        return (draw_centres(scaled, model.n_clusters, init, seed, k, trials) for k in range(runs))
    made: Iterable[Any] = [init]
    if callable(init):
        made = (init(data.X, model.n_clusters, random_state=stream(generator(seed, k))) for k in range(runs))
    else:
        warn_of_runs(model, runs)
    return (check_centres(model, centres, data) * scaled.unit for centres in made)


def warn_of_runs(model: Any, runs: int) -> None:
    """Say that runs from given centroids are equal."""
    if runs > 1:
        warn(
            f"{type(model).__name__}: Explicit initial center position passed: performing only one init instead of "
            f"n_init={runs}",
            RuntimeWarning,
        )


def draw_centres(scaled: ScaledData, count: int, init: Any, seed: int, run: int, trials: int | None = None) -> Array:
    """Initial centroids drawn from the rows of the scaled data, or uniformly from the box that they span."""
    if init == "uniform":
        return uniform_values(scaled.X, count, generator(seed, run))
    chosen: Matrix = scaled.X[seeds(scaled.X, scaled.weight, count, init, generator(seed, run), trials)]
    dense = chosen.toarray() if matrix_products.is_sparse(chosen) else chosen
    return np.ascontiguousarray(dense, dtype=np.float64)


def check_centres(model: Any, centres: Any, data: Data) -> Array:
    """Given initial centroids, checked: finite, of the shape (n_clusters, n_features)."""
    centres = centres.toarray() if hasattr(centres, "toarray") else centres
    given = np.array(centres, dtype=np.float64)
    if given.shape != (model.n_clusters, data.p):
        raise ParameterError(
            f"{type(model).__name__}: init must have the shape (n_clusters, columns) = ({model.n_clusters}, {data.p}); "
            f"got {given.shape}"
        )
    if not np.isfinite(given).all():
        raise ParameterError(f"{type(model).__name__}: init must hold finite numbers; some are NaN or infinite")
    return given
