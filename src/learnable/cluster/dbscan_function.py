"""DBSCAN in one call."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array
from ..core.sparse_input import checks_sparse
from .dbscan_clustering import DBSCAN


@checks_sparse
def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """The dense rows of `X` by their place, and the group of each row, -1 for noise: what `DBSCAN` learns.

    dense: at least min_samples rows within eps; groups: chains of dense rows, and who is near them

    >>> [part.tolist() for part in dbscan([[0.0], [0.9], [1.8], [9.0]], eps=1.0, min_samples=3)]
    [[1], [0, 0, 0, -1]]
    """
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
