"""Forward sampling of networks, with observed nodes held at their values and rows weighted by their probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ._discrete_inference import Evidence
from ._network import LOG_TAU, Network, log


class NetworkDraws(NamedTuple):
    """Drawn states and values, node by node, and the log weight of each row."""

    code: Array
    value: Array
    log_weight: Array


def draw(
    network: Network,
    count: int,
    rng: np.random.RandomState | np.random.Generator,
    likelihood: Evidence | None = None,
    value: Mapping[int, float] | None = None,
) -> NetworkDraws:
    """Rows from the network, parents before children.

    Observed nodes are not drawn: a row is weighted by the probability of what was observed given the parents drawn.
    """
    likelihood, value = likelihood or {}, value or {}
    nodes = len(network.names)
    drawn = NetworkDraws(np.zeros((nodes, count), dtype=np.int64), np.full((nodes, count), np.nan), np.zeros(count))
    for v in network.graph.order:
        if network.card[v] > 0:
            _draw_state(network, v, drawn, rng, likelihood.get(v))
        else:
            _draw_value(network, v, drawn, rng, value.get(v))
    return drawn


def _uniform(rng: np.random.RandomState | np.random.Generator, count: int) -> Array:
    return rng.random_sample(count) if isinstance(rng, np.random.RandomState) else rng.random(count)


def _draw_state(network: Network, v: int, drawn: NetworkDraws, rng: Any, likelihood: Array | None) -> None:
    rows = network.configuration(v, drawn.code)
    table = network.tables[v]
    if likelihood is not None:
        table = table * likelihood
        total = table.sum(axis=1)
        drawn.log_weight[:] += log(total[rows])
        table = np.where(total[:, None] > 0, table / np.where(total > 0, total, 1.0)[:, None], likelihood)
    edges = np.cumsum(table, axis=1)
    u = _uniform(rng, len(rows)) * edges[rows, -1]
    drawn.code[v] = np.minimum((edges[rows] <= u[:, None]).sum(axis=1), table.shape[1] - 1)


def _draw_value(network: Network, v: int, drawn: NetworkDraws, rng: Any, value: float | None) -> None:
    mean = network.mean_of(v, drawn.code, drawn.value)
    variance = network.variances[v][network.configuration(v, drawn.code)]
    if value is None:
        drawn.value[v] = mean + np.sqrt(variance) * rng.standard_normal(len(mean))
        return
    drawn.value[v] = value
    drawn.log_weight[:] -= 0.5 * ((value - mean) ** 2 / variance + np.log(variance) + LOG_TAU)
