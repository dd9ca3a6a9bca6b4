"""The k-distance plot: distances to the k-th neighbour, for the choice of eps of DBSCAN."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import checked
from ..engines.time_budget import within_budget
from ..neighbors.nearest_neighbors import NearestNeighbors


class KDistances(NamedTuple):
    """Sorted k-distances in descending order, and eps at the knee of that curve."""

    distances: Array
    min_samples: int
    eps: float


@checked()
def k_distances(X: Any, min_samples: int | None = None, metric: Any = "euclidean") -> KDistances:
    """The k-distance plot of DBSCAN: sorted distances of the rows to their min_samples-th row, themselves included.

    eps = the distance at the knee: where the descending curve is farthest below the line between its ends

    Rows left of the knee would be noise, rows right of it core samples. The default of `min_samples` is twice the
    number of columns. [Ester, Kriegel, Sander and Xu, 1996]

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
    return KDistances(falling, least, float(falling[_knee(falling)]))


def _knee(falling: Array) -> int:
    """The index at which a descending curve is farthest below the line between its ends."""
    line = np.linspace(falling[0], falling[-1], len(falling))
    return int(np.argmax(line - falling))
