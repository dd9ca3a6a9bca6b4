"""The centres from which runs of k-means begin, as their parameters ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np

from ...core import Array, Data, Matrix, ParameterError, generator, seed_of
from ...core.errors import warn
from ...core.runtime.random import stream
from ...engines import matrix_products
from ...engines.kmeans import Cloud
from ...engines.kmeans_init import seeds

Beginning = Literal["k-means++", "k-means||", "random"]
RUNS_FROM_ANYWHERE = 10


def number_of_runs(init: Any, n_init: int | Literal["auto"], several: int = RUNS_FROM_ANYWHERE) -> int:
    """How many runs: several where they begin anywhere, one from given centres or seeds far apart."""
    if n_init != "auto":
        return n_init
    drawn = isinstance(init, str) and init != "random"
    return 1 if drawn or not (isinstance(init, str) or callable(init)) else several


def beginnings(model: Any, cloud: Cloud, data: Data) -> Iterator[Array]:
    """Centres, in the units of the cloud, for each run of `model`, drawn when it begins."""
    runs, init, seed = number_of_runs(model.init, model.n_init), model.init, seed_of(model.random_state)
    if isinstance(init, str):
        trials = getattr(model, "trials", None)
        return (drawn_centres(cloud, model.n_clusters, init, seed, k, trials) for k in range(runs))
    made: Iterable[Any] = [init]
    if callable(init):
        made = (init(data.X, model.n_clusters, random_state=stream(generator(seed, k))) for k in range(runs))
    elif runs > 1:
        warn(
            f"{type(model).__name__}: n_init={runs} runs from the same centres are one; only one is done",
            RuntimeWarning,
        )
    return (checked_centres(model, centres, data) * cloud.unit for centres in made)


def drawn_centres(cloud: Cloud, count: int, how: Any, seed: int, run: int, trials: int | None = None) -> Array:
    """Rows drawn from the cloud."""
    chosen: Matrix = cloud.X[seeds(cloud.X, cloud.weight, count, how, generator(seed, run), trials)]
    dense = chosen.toarray() if matrix_products.is_sparse(chosen) else chosen
    return np.ascontiguousarray(dense, dtype=np.float64)


def checked_centres(model: Any, centres: Any, data: Data) -> Array:
    """Centres that somebody gave, if there is one for each group with a number for each column."""
    centres = centres.toarray() if matrix_products.is_sparse(centres) else centres
    given = np.array(centres, dtype=np.float64)
    if given.shape != (model.n_clusters, data.p):
        raise ParameterError(
            f"{type(model).__name__}: init must have the shape (n_clusters, columns) = ({model.n_clusters}, {data.p}); "
            f"got {given.shape}"
        )
    if not np.isfinite(given).all():
        raise ParameterError(f"{type(model).__name__}: init must hold finite numbers; some are missing or infinite")
    return given
