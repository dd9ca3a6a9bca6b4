"""The undirected neighbour graph of the training rows; its connected components are linked, or an error is raised."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import DataError, Matrix
from ..core.errors import warn
from ..engines.graph.edges import Graph, nearest_graph, radius_graph
from ..engines.matrix_products import taken
from ..neighbors import NearestNeighbors

Disconnected = Literal["join", "error"]


def neighbour_graph(model: NearestNeighbors, by_radius: bool, disconnected: Disconnected, owner: str) -> Graph:
    """The graph of the nearest rows of a fitted model, or of those within its radius, without direction."""
    if by_radius:
        graph = radius_graph(model._within(None, model.radius)).undirected()
    else:
        others = min(model.n_neighbors, model.n_samples_fit_ - 1)
        graph = nearest_graph(model._nearest(None if others else model.rows_, max(others, 1))).undirected()
    component = graph.components()
    count = int(component.max(initial=0)) + 1
    if count == 1:
        return graph
    if disconnected == "error":
        raise DataError(
            f"{owner}: the neighbour graph has {count} connected components without a path between them; raise "
            "n_neighbors or radius, or let disconnected='join' link the nearest rows of each two"
        )
    warn(
        f"{owner}: the number of connected components of the neighbors graph is {count} > 1: the nearest rows of each "
        "two components are linked; raise n_neighbors or radius to avoid this",
        UserWarning,
    )
    return _joined(graph, component, count, model)


def _joined(graph: Graph, component: Any, count: int, model: NearestNeighbors) -> Graph:
    """The graph with an edge between the nearest rows of each two components."""
    members = [np.flatnonzero(component == number) for number in range(count)]
    one, other, length = [], [], []
    for first in range(count - 1):
        search = _search_in(model, members[first])
        for second in range(first + 1, count):
            distance, row = search.kneighbors(_rows(model, members[second], members[first]))
            best = int(distance[:, 0].argmin())
            one.append(members[first][row[best, 0]])
            other.append(members[second][best])
            length.append(float(distance[best, 0]))
    return graph.with_edges(np.array(one), np.array(other), np.array(length))


def _rows(model: NearestNeighbors, rows: Any, others: Any) -> Matrix:
    """Training rows; of precomputed distances those to the rows `others`."""
    found = taken(model.rows_, rows)
    return found[:, others] if model.pairwise else found


def _search_in(model: NearestNeighbors, rows: Any) -> NearestNeighbors:
    options = {name: getattr(model, name) for name in ("algorithm", "metric", "p", "metric_params")}
    return NearestNeighbors(n_neighbors=1, **options).fit(_rows(model, rows, rows))
