"""Steps of OPTICS: the order of the visit with reachabilities, and groups from it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import checked, limits
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..core.validate.features import FeatureValidator, Matrix
from ..engines.matrix_products import unit_of
from ..engines.neighbours import Comparison
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ._assign_new import reach_of
from ._density.optics_xi import Valleys, labels_of

Graph = tuple[Array, Array, Array, Array]
"""Order of the visit; and of each row its core distance, reachability, and the row it was visited from, or -1."""


SIZE = "a whole number of at least 2, or a share of the rows as a fraction from 0 to 1"


def is_size(value: Any) -> bool:
    """Whether it is a number of rows or a share of them.

    >>> [is_size(value) for value in (2, 0.5, 1.0, None, 1, 1.5)]
    [True, True, True, True, False, False]
    """
    if value is None or (not isinstance(value, Integral) and 0 <= value <= 1):
        return True
    return bool(value >= 2 and value == int(value))


def counted(value: float, rows: int, name: str, owner: str) -> int:
    """A number of rows, given as such or as a share of all; at least 2."""
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
    """The order in which OPTICS visits rows, with core distances, reachabilities, and from where each was reached.

    reachability(b) = min over visited a of max(core(a), d(a, b)),    core(a) = distance to its min_samples-th row

    >>> graph = compute_optics_graph([[0.0], [5.0], [1.0]], min_samples=2, max_eps=np.inf)
    >>> graph[0].tolist(), graph[2].tolist()
    ([0, 2, 1], [inf, 4.0, 1.0])
    """
    rows, _ = FeatureValidator("compute_optics_graph", sparse=True, storage="csr").matrix(X)
    how = comparison(*effective(metric, p, metric_params), rows, "compute_optics_graph")
    count = counted(min_samples, rows.shape[0], "min_samples", "compute_optics_graph")
    return visited(rows, how, count, max_eps)


def visited(X: Matrix, how: Comparison, least: int, most: float) -> Graph:
    """The same for checked rows."""
    rows = X.shape[0]
    core = reach_of(X, how, least - 1)
    core[core > most] = np.inf
    if how.power is None:
        return _visited_in_table(X, how, core, most)
    table = how.among(X).rows(X)
    unit = unit_of(table)
    order, before = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    reach = np.empty(rows)
    kernels.reach_order(np.ascontiguousarray(table * unit), how.power, core * unit, most * unit, order, reach, before)
    return order, core, reach / unit, before


def _visited_in_table(X: Matrix, how: Comparison, core: Array, most: float) -> Graph:
    assert how.table is not None
    rows = X.shape[0]
    order, reach, before = np.empty(rows, dtype=np.int64), np.full(rows, np.inf), np.full(rows, -1)
    left = np.ones(rows, dtype=bool)
    for step in range(rows):
        give_way()
        here = int(np.argmin(np.where(left, reach, np.inf))) if np.isfinite(reach[left]).any() else int(left.argmax())
        order[step], left[here] = here, False
        apart = np.asarray(how.table(X[[here]], X)).ravel()
        length = np.where(left & (apart <= most), np.maximum(apart, core[here]), np.inf)
        nearer = length < reach
        reach[nearer], before[nearer] = length[nearer], here
    return order, core, reach, before


def _of_all_rows(owner: str, ordering: Any, **columns: Any) -> list[Array]:
    """The order of the visit, and other columns of the same rows, checked."""
    order = np.asarray(ordering)
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        raise DataError(f"{owner}: ordering must name each row once, from 0 on")
    for name, values in columns.items():
        if np.shape(values) != order.shape:
            raise DataError(f"{owner}: {name} must have an entry for each of the {len(order)} rows of ordering")
    return [order, *(np.asarray(values) for values in columns.values())]


@checked(**RULES)
def cluster_optics_dbscan(*, reachability: Any, core_distances: Any, ordering: Any, eps: float) -> Array:
    """Groups as DBSCAN finds them with `eps`, from the visit of OPTICS; -1 for noise.

    a row begins a group if its reachability is above eps and its core distance is not; others follow until the next

    >>> reach, core = [np.inf, 4.0, 1.0], [1.0, 4.0, 1.0]
    >>> cluster_optics_dbscan(reachability=reach, core_distances=core, ordering=[0, 2, 1], eps=2)
    array([ 0, -1,  0])
    """
    order, reach, core = _of_all_rows(
        "cluster_optics_dbscan", ordering, reachability=reachability, core_distances=core_distances
    )
    far, near = reach[order] > eps, core[order] <= eps
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.where(far & ~near, -1, np.cumsum(far & near) - 1)
    return labels


@checked(**RULES)
def cluster_optics_xi(
    *,
    reachability: Any,
    predecessor: Any,
    ordering: Any,
    min_samples: float,
    min_cluster_size: float | None = None,
    xi: float = 0.05,
    predecessor_correction: bool = True,
) -> tuple[Array, Array]:
    """Groups as valleys of the reachability plot, with steep rims; and first and last place of all valleys.

    steep: a step that changes the reachability by the share xi

    >>> reach, before = [np.inf, 0.1, 0.1, 9.0, 0.1, 0.1], [-1, 0, 1, 2, 3, 4]
    >>> labels, valleys = cluster_optics_xi(
    ...     reachability=reach, predecessor=before, ordering=range(6), min_samples=2
    ... )
    >>> labels.tolist(), valleys.tolist()
    ([0, 0, 0, 1, 1, 1], [[0, 2], [3, 5], [0, 5]])
    """
    owner = "cluster_optics_xi"
    order, reach, before = _of_all_rows(owner, ordering, reachability=reachability, predecessor=predecessor)
    rows = len(order)
    if rows == 0:
        raise DataError(f"{owner}: there are no rows")
    least = counted(min_samples, rows, "min_samples", owner)
    size = least if min_cluster_size is None else counted(min_cluster_size, rows, "min_cluster_size", owner)
    plot = np.append(reach[order].astype(np.float64), np.inf)
    valleys = Valleys(plot, before[order], order, xi, least, size, predecessor_correction).find()
    return labels_of(valleys, order), np.array(valleys, dtype=np.int64).reshape(-1, 2)
