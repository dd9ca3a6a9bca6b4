"""Centroid initialisation of k-means by the parameters `init`, `n_init` and `random_state`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np

from ...core import Array, Data, Matrix, ParameterError, generator, seed_of
from ...core.errors import warn
from ...core.runtime.random import stream
from ...engines import matrix_products
from ...engines.kmeans import ScaledData
from ...engines.kmeans_init import seeds

RUNS_IF_RANDOM = 10


def number_of_runs(init: Any, n_init: int | Literal["auto"], several: int = RUNS_IF_RANDOM) -> int:
    """Number of runs: several for random or custom initialisation, one for k-means++ or given centroids."""
    if n_init != "auto":
        return n_init
    drawn = isinstance(init, str) and init != "random"
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
    elif runs > 1:
        warn(
            f"{type(model).__name__}: n_init={runs} runs from the same centroids are equal; only one is done",
            RuntimeWarning,
        )
    return (check_centres(model, centres, data) * scaled.unit for centres in made)


def draw_centres(scaled: ScaledData, count: int, init: Any, seed: int, run: int, trials: int | None = None) -> Array:
    """Initial centroids drawn from the rows of the scaled data."""
    chosen: Matrix = scaled.X[seeds(scaled.X, scaled.weight, count, init, generator(seed, run), trials)]
    dense = chosen.toarray() if matrix_products.is_sparse(chosen) else chosen
    return np.ascontiguousarray(dense, dtype=np.float64)


def check_centres(model: Any, centres: Any, data: Data) -> Array:
    """Given initial centroids, checked: finite, of the shape (n_clusters, n_features)."""
    centres = centres.toarray() if matrix_products.is_sparse(centres) else centres
    given = np.array(centres, dtype=np.float64)
    if given.shape != (model.n_clusters, data.p):
        raise ParameterError(
            f"{type(model).__name__}: init must have the shape (n_clusters, columns) = ({model.n_clusters}, {data.p}); "
            f"got {given.shape}"
        )
    if not np.isfinite(given).all():
        raise ParameterError(f"{type(model).__name__}: init must hold finite numbers; some are NaN or infinite")
    return given
