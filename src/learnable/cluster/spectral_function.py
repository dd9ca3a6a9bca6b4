"""Spectral clustering of a graph in one call."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, RandomState
from ..core.sparse_input import checks_sparse
from .spectral_clustering_estimator import SpectralClustering
from .spectral_steps import Assignment


@checks_sparse
def spectral_clustering(
    affinity: Any,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: Literal["arpack", "lobpcg", "amg"] | None = None,
    random_state: RandomState = None,
    n_init: int = 10,
    eigen_tol: float | Literal["auto"] = "auto",
    assign_labels: Assignment = "kmeans",
    verbose: bool = False,
) -> Array:
    """The group of each row of a graph, given by the weights of its edges: what `SpectralClustering` finds.

    minimise over Y with Y'DY = 1    trace Y'LY,    L = D - W;  groups by the rows of Y

    >>> spectral_clustering([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], n_clusters=2, random_state=0)
    array([0, 0, 1, 1])
    """
    model = SpectralClustering(
        n_clusters,
        affinity="precomputed",
        n_components=n_components,
        eigen_solver=eigen_solver,
        random_state=random_state,
        n_init=n_init,
        eigen_tol=eigen_tol,
        assign_labels=assign_labels,
        verbose=verbose,
    )
    return model.fit(affinity).labels_
