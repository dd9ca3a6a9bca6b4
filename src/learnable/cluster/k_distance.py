"""How far rows are from their k-th neighbour: what tells which eps suits DBSCAN."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import checked
from ..engines.time_budget import within_budget
from ..neighbors.nearest_neighbors import NearestNeighbors


class KDistances(NamedTuple):
    """Distances to the last neighbour within reach, falling; and the one at the bend of that curve."""

    distances: Array
    min_samples: int
    eps: float


@checked()
def k_distances(X: Any, min_samples: int | None = None, metric: Any = "euclidean") -> KDistances:
    """The distance of each row to the last of the min_samples rows, itself with them, that would make it dense.

    eps = the distance at the bend: where the falling curve is farthest below the line between its ends

    Rows left of the bend would be noise, rows right of it dense. Twice as many `min_samples` as columns is a beginning,
    and what None stands for. [Ester, Kriegel, Sander and Xu, 1996]

    >>> found = k_distances([[0.0], [0.1], [0.2], [0.3], [9.0]], min_samples=2)
    >>> found.distances.round(1).tolist(), round(found.eps, 1)
    ([8.7, 0.1, 0.1, 0.1, 0.1], 0.1)
    """
    search = NearestNeighbors(metric=metric).fit(X)
    rows, least = search.n_samples_fit_, max(2, 2 * search.n_features_in_) if min_samples is None else min_samples
    if not 2 <= least <= rows:
        raise ParameterError(
            f"k_distances: min_samples must be from 2 to the number of rows, n_samples = {rows}; got {least}"
        )
    with within_budget():
        falling = np.sort(search.kneighbors(n_neighbors=least - 1)[0][:, -1])[::-1]
    return KDistances(falling, least, float(falling[_bend(falling)]))


def _bend(falling: Array) -> int:
    """Where a falling curve is farthest below the line between its ends."""
    line = np.linspace(falling[0], falling[-1], len(falling))
    return int(np.argmax(line - falling))
