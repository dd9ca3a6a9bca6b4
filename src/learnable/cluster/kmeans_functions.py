"""k-means clustering as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, ParameterError, RandomState, generator, seed_of
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ..engines import matrix_products
from ..engines.kmeans import ScaledData
from ..engines.kmeans_init import Init, seeds
from .kmeans import KMeans


@checked(n_clusters=limits(at_least=1))
def k_means(
    X: Rows,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    init: Init | Callable[..., Any] | Rows = "k-means++",
    n_init: Any = "auto",
    max_iter: int = 300,
    verbose: bool = False,
    tol: float = 1e-4,
    random_state: RandomState = None,
    copy_x: bool = True,
    algorithm: Any = "lloyd",
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """k-means clustering as a function: centroids, labels and inertia; with `return_n_iter` also the iterations.

    >>> centres, labels, inertia = k_means([[0.0], [1.0], [9.0], [10.0]], 2, random_state=0)
    >>> sorted(centres.ravel().tolist()), inertia
    ([0.5, 9.5], 1.0)
    """
    model = KMeans(
        n_clusters, init=init, n_init=n_init, max_iter=max_iter, tol=tol, random_state=random_state, algorithm=algorithm
    ).fit(X, sample_weight=sample_weight)
    found = model.cluster_centers_, model.labels_, model.inertia_
    return (*found, model.n_iter_) if return_n_iter else found


@checked(n_clusters=limits(at_least=1), n_local_trials=limits(at_least=1))
def kmeans_plusplus(
    X: Rows,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    x_squared_norms: Any = None,
    random_state: RandomState = None,
    n_local_trials: int | None = None,
) -> tuple[Array, Array]:
    """k-means++ initialisation: initial centroids and their row indices.

    The first is drawn in proportion to the weights, each other to weight times squared distance to the nearest seed;
    of `n_local_trials` candidates (None: 2 + log n_clusters) the best is taken. `x_squared_norms` is not used.
    [Arthur and Vassilvitskii, 2007]

    >>> centres, rows = kmeans_plusplus([[0.0], [1.0], [9.0], [10.0]], 2, random_state=0)
    >>> bool(abs(centres[0] - centres[1]) > 5)
    True
    """
    validator = FeatureValidator("kmeans_plusplus", sparse=True, storage="csr")
    matrix, _ = validator.matrix(X)
    weight = validator.weights(sample_weight, matrix.shape[0])
    counted = matrix.shape[0] if weight is None else int(np.count_nonzero(weight))
    if not 1 <= n_clusters <= counted:
        raise ParameterError(
            f"kmeans_plusplus: n_clusters must be from 1 to the number of rows, n_samples={counted}; got {n_clusters!r}"
        )
    scaled = ScaledData(matrix, weight)
    chosen = seeds(scaled.X, weight, n_clusters, "k-means++", generator(seed_of(random_state)), n_local_trials)
    centres = matrix[chosen]
    return centres.toarray() if matrix_products.is_sparse(centres) else centres, chosen
