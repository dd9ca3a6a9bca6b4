"""Steps of OPTICS: cluster ordering with reachabilities, and extraction of clusters."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Column, checked, limits
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..core.scaling import unit_of
from ..core.validate.features import FeatureValidator, Matrix
from ..engines.neighbours import RowComparison
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ._assign_new import core_distances
from ._density.optics_xi import Valleys, labels_of

Graph = tuple[Array, Array, Array, Array]
"""Cluster ordering; core distance, reachability distance and predecessor (or -1) of each row."""


SIZE = "an integer of at least 2, or a fraction of the rows from 0 to 1"


def is_size(value: Any) -> bool:
    """Whether it is a number of rows or a fraction of them.

    >>> [is_size(value) for value in (2, 0.5, 1.0, None, 1, 1.5)]
    [True, True, True, True, False, False]
    """
    if value is None or (not isinstance(value, Integral) and 0 <= value <= 1):
        return True
    return bool(value >= 2 and value == int(value))


def row_count(value: float, rows: int, name: str, owner: str) -> int:
    """A number of rows, given as an integer or as a fraction of all; at least 2."""
    count = max(2, int(value * rows)) if value <= 1 else int(value)
    if count > rows:
        raise ParameterError(
            f"{owner}: {name}={value} must be no greater than the number of samples, n_samples = {rows}"
        )
    return count


RULES = {
    "min_samples": limits(accepts=is_size, says=SIZE),
    "min_cluster_size": limits(accepts=is_size, says=SIZE),
    "metric": limits(accepts=is_metric, says=SAYS),
    "max_eps": limits(at_least=0, infinite=True),
    "eps": limits(at_least=0, infinite=True),
    "xi": limits(at_least=0, at_most=1),
}


@checked(**RULES)
def compute_optics_graph(
    X: Any,
    *,
    min_samples: float,
    max_eps: float,
    metric: Any = "minkowski",
    p: float = 2,
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    n_jobs: int | None = None,
) -> Graph:
    """The OPTICS ordering of rows, with core distances, reachability distances and predecessors.

    reachability(b) = min over visited a of max(core(a), d(a, b)),    core(a) = distance to its min_samples-th row

    >>> graph = compute_optics_graph([[0.0], [5.0], [1.0]], min_samples=2, max_eps=np.inf)
    >>> graph[0].tolist(), graph[2].tolist()
    ([0, 2, 1], [inf, 4.0, 1.0])
    """
    rows, _ = FeatureValidator("compute_optics_graph", sparse=True, storage="csr").matrix(X)
    how = comparison(*effective(metric, p, metric_params), rows, "compute_optics_graph")
    count = row_count(min_samples, rows.shape[0], "min_samples", "compute_optics_graph")
    return optics_order(rows, how, count, max_eps)


def optics_order(X: Matrix, how: RowComparison, min_samples: int, max_eps: float) -> Graph:
    """The OPTICS ordering of checked rows."""
    rows = X.shape[0]
    core = core_distances(X, how, min_samples - 1)
    core[core > max_eps] = np.inf
    if how.power is None:
        return _order_by_table(X, how, core, max_eps)
    table = how.among(X).rows(X)
    unit = unit_of(table)
    order, before = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    reach = np.empty(rows)
    kernels.optics_order(
        np.ascontiguousarray(table * unit), how.power, core * unit, max_eps * unit, order, reach, before
    )
    return order, core, reach / unit, before


def _order_by_table(X: Matrix, how: RowComparison, core: Array, max_eps: float) -> Graph:
    assert how.table is not None
    rows = X.shape[0]
    order, reach, before = np.empty(rows, dtype=np.int64), np.full(rows, np.inf), np.full(rows, -1)
    left = np.ones(rows, dtype=bool)
    for step in range(rows):
        give_way()
        here = int(np.argmin(np.where(left, reach, np.inf))) if np.isfinite(reach[left]).any() else int(left.argmax())
        order[step], left[here] = here, False
        apart = np.asarray(how.table(X[[here]], X)).ravel()
        length = np.where(left & (apart <= max_eps), np.maximum(apart, core[here]), np.inf)
        nearer = length < reach
        reach[nearer], before[nearer] = length[nearer], here
    return order, core, reach, before


def _check_lengths(owner: str, ordering: Any, **columns: Any) -> list[Array]:
    """The cluster ordering, and other vectors of the same rows, checked."""
    order = np.asarray(ordering)
    if order.dtype.kind not in "iuf" or not np.array_equal(np.sort(order), np.arange(len(order))):
        raise DataError(f"{owner}: ordering must be a permutation of the row indices")
    for name, values in columns.items():
        if np.shape(values) != order.shape:
            raise DataError(f"{owner}: {name} must have the length of ordering, {len(order)}")
    return [order, *(np.asarray(values) for values in columns.values())]


@checked(**RULES)
def cluster_optics_dbscan(*, reachability: Column, core_distances: Column, ordering: Column, eps: float) -> Array:
    """DBSCAN clusters for `eps`, extracted from the OPTICS ordering; -1 for noise.

    a row starts a cluster if its reachability is above eps and its core distance is not; others follow until the next

    >>> reach, core = [np.inf, 4.0, 1.0], [1.0, 4.0, 1.0]
    >>> cluster_optics_dbscan(reachability=reach, core_distances=core, ordering=[0, 2, 1], eps=2)
    array([ 0, -1,  0])
    """
    order, reach, core = _check_lengths(
        "cluster_optics_dbscan", ordering, reachability=reachability, core_distances=core_distances
    )
    far, near = reach[order] > eps, core[order] <= eps
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.where(far & ~near, -1, np.cumsum(far & near) - 1)
    return labels


@checked(**RULES)
def cluster_optics_xi(
    *,
    reachability: Column,
    predecessor: Column,
    ordering: Column,
    min_samples: float,
    min_cluster_size: float | None = None,
    xi: float = 0.05,
    predecessor_correction: bool = True,
) -> tuple[Array, Array]:
    """Xi clusters of the OPTICS ordering: labels, and first and last index of all valleys of the reachability plot.

    steep: a step that changes the reachability by the fraction xi

    >>> reach, before = [np.inf, 0.1, 0.1, 9.0, 0.1, 0.1], [-1, 0, 1, 2, 3, 4]
    >>> labels, valleys = cluster_optics_xi(
    ...     reachability=reach, predecessor=before, ordering=range(6), min_samples=2
    ... )
    >>> labels.tolist(), valleys.tolist()
    ([0, 0, 0, 1, 1, 1], [[0, 2], [3, 5], [0, 5]])
    """
    owner = "cluster_optics_xi"
    order, reach, before = _check_lengths(owner, ordering, reachability=reachability, predecessor=predecessor)
    rows = len(order)
    if rows == 0:
        raise DataError(f"{owner}: there are no rows")
    least = row_count(min_samples, rows, "min_samples", owner)
    size = least if min_cluster_size is None else row_count(min_cluster_size, rows, "min_cluster_size", owner)
    plot = np.append(reach[order].astype(np.float64), np.inf)
    valleys = Valleys(plot, before[order], order, xi, least, size, predecessor_correction).find()
    return labels_of(valleys, order), np.array(valleys, dtype=np.int64).reshape(-1, 2)
