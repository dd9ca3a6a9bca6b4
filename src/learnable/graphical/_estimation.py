"""Parameters of a network from complete rows: counts of states, and moments of continuous nodes, which add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ..core import Array, BudgetError
from ..core.runtime.native import kernels
from ._coded_table import Columns
from ._dag import DAG
from ._junction_tree import flat
from ._network import configurations, mixed_radix

Prior = Literal["mle", "dirichlet", "bdeu", "k2"]
MAX_ENTRIES = 1 << 27  # entries of one table
ABOVE_ZERO = 1e-300


class Smoothing(NamedTuple):
    """The prior of the rows of a table: no, equal pseudo-counts, or an equivalent sample size divided among all."""

    prior: Prior
    strength: float

    def pseudo_count(self, rows: int, states: int) -> float:
        """What is added to every count of a table of this shape."""
        return {"mle": 0.0, "k2": 1.0, "dirichlet": self.strength, "bdeu": self.strength / (rows * states)}[self.prior]


def count_states(columns: Columns, graph: DAG, weight: Array | None) -> list[Array]:
    """The weighted counts of every categorical node: configurations of its parents x states."""
    card = columns.card
    nodes = np.flatnonzero(card > 0).tolist()
    shapes = [(configurations(card, graph.parents[v]), int(card[v])) for v in nodes]
    for v, shape in zip(nodes, shapes, strict=True):
        if shape[0] * shape[1] > MAX_ENTRIES:
            raise BudgetError(
                f"BayesianNetwork: the table of {columns.names[v]!r} would have {shape[0] * shape[1]} entries for "
                f"{len(graph.parents[v])} parents; give it fewer parents, or fewer states"
            )
    start, members = flat([(*graph.parents[v], v) for v in nodes])
    counts = np.empty(sum(rows * states for rows, states in shapes))
    kernels.count_families(columns.code, np.maximum(card, 1), weight, start, members, counts)
    ends = np.cumsum([rows * states for rows, states in shapes])
    found: list[Array] = [np.empty((0, 0))] * len(card)
    for v, shape, part in zip(nodes, shapes, np.split(counts, ends[:-1]) if nodes else [], strict=True):
        found[v] = part.reshape(shape)
    return found


def probabilities(counts: Array, smoothing: Smoothing) -> Array:
    """Conditional relative frequencies; a configuration without rows and without a prior has equal ones."""
    smoothed = counts + smoothing.pseudo_count(*counts.shape)
    total = smoothed.sum(axis=1, keepdims=True)
    return np.where(total > 0, smoothed / np.where(total > 0, total, 1.0), 1.0 / counts.shape[1])


def sum_moments(columns: Columns, graph: DAG, v: int, weight: Array | None) -> Array:
    """The moments of a continuous node and its continuous parents, in each configuration of the categorical ones.

    A row holds the weight, the means of the parents and of the node, and their centred cross-products.
    """
    card = columns.card
    rows = configurations(card, graph.parents[v])
    members = [parent for parent in graph.parents[v] if card[parent] == 0] + [v]
    data = columns.value[members]
    w = np.ones(data.shape[1]) if weight is None else np.asarray(weight, dtype=np.float64)
    group = mixed_radix(columns.code, [p for p in graph.parents[v] if card[p] > 0], card)
    return moments_by_group(data, w, group, rows)


def moments_by_group(data: Array, weight: Array, group: Array, count: int) -> Array:
    """Weight, means and centred cross-products of the rows of each group."""
    k = len(data)
    total = np.bincount(group, weight, minlength=count)
    divisor = np.where(total > 0, total, 1.0)
    mean = np.array([np.bincount(group, weight * row, minlength=count) / divisor for row in data])
    centred = data - mean[:, group]
    scatter = np.empty((count, k, k))
    for a in range(k):
        for b in range(a + 1):
            scatter[:, a, b] = np.bincount(group, weight * centred[a] * centred[b], minlength=count)
            scatter[:, b, a] = scatter[:, a, b]
    return np.hstack([total[:, None], mean.T, scatter.reshape(count, k * k)])


def add_moments(first: Array, second: Array, sign: float = 1.0) -> Array:
    """The moments of the rows of both, or with the sign -1 those of the first alone. [Chan et al., 1983]"""
    k = int(np.sqrt(first.shape[1] - 0.75) - 0.5)
    total = first[:, 0] + sign * second[:, 0]
    divisor = np.where(total > 0, total, 1.0)
    shift = second[:, 1 : 1 + k] - first[:, 1 : 1 + k]
    mean = first[:, 1 : 1 + k] + sign * (second[:, 0] / divisor)[:, None] * shift
    between = sign * (first[:, 0] * second[:, 0] / divisor)[:, None, None] * shift[:, :, None] * shift[:, None, :]
    scatter = first[:, 1 + k :] + sign * second[:, 1 + k :] + between.reshape(len(first), k * k)
    empty = total <= 1e-9 * np.maximum(first[:, 0], second[:, 0])
    joined = np.hstack([total[:, None], mean, scatter])
    return np.where(empty[:, None], 0.0, joined)


def unsound_statistics(statistics: Sequence[Array], parents: Sequence[Array], card: Array) -> str:
    """Why these are not the counts and moments of a network; empty if they are."""
    for v, found in enumerate(statistics):
        above = parents[v].tolist()
        rows, k = configurations(card, above), 1 + sum(card[parent] == 0 for parent in above)
        shape = (rows, int(card[v]) if card[v] else 1 + k + k * k)
        if found.shape != shape or found.dtype != np.float64 or not np.isfinite(found).all():
            return f"the statistics of node {v} must be {shape[0]} x {shape[1]} finite numbers"
        if (found if card[v] else found[:, :1]).min(initial=0.0) < 0:
            return f"the statistics of node {v} must not have negative counts"
        if not card[v] and not np.isfinite(pooled_moments(found)).all():
            return f"the statistics of node {v} hold numbers whose squares overflow"
    return ""


def pooled_moments(moments: Array) -> Array:
    """The moments of the rows of all configurations together."""
    pooled = moments[:1] * 0
    with np.errstate(over="ignore", invalid="ignore"):
        for row in moments:
            pooled = add_moments(pooled, row[None])
    return pooled


def regressions(moments: Array, floor: float) -> tuple[Array, Array]:
    """The coefficients and the variance of the least-squares regression in each configuration.

    A configuration without rows has those of all rows together; no variance is below `floor`.
    """
    k = int(np.sqrt(moments.shape[1] - 0.75) - 0.5)
    filled = np.where(moments[:, :1] > 0, moments, pooled_moments(moments))
    coefficient, variance = np.empty((len(moments), k)), np.empty(len(moments))
    for i, row in enumerate(filled):
        coefficient[i], variance[i] = regression(row[0], row[1 : 1 + k], row[1 + k :].reshape(k, k))
    return coefficient, np.maximum(variance, floor)


def regression(weight: float, mean: Array, scatter: Array) -> tuple[Array, float]:
    """Intercept, coefficients and maximum-likelihood variance of the last variable on those before it."""
    unit = np.sqrt(np.maximum(np.diag(scatter), ABOVE_ZERO))
    scaled = scatter / unit[:, None] / unit
    coefficient = np.linalg.lstsq(scaled[:-1, :-1], scaled[:-1, -1], rcond=1e-10)[0] if len(mean) > 1 else np.empty(0)
    left = max(scaled[-1, -1] - coefficient @ scaled[:-1, -1], 0.0) * unit[-1] ** 2
    coefficient = coefficient * unit[-1] / unit[:-1]
    return np.concatenate([[mean[-1] - coefficient @ mean[:-1]], coefficient]), left / weight if weight > 0 else 0.0


def variance_floors(columns: Columns, weight: Array | None) -> Array:
    """The least variance of each continuous column: far below its own, and above rounding."""
    w = np.ones(columns.rows) if weight is None else weight
    floors = np.zeros(len(columns.names))
    for v in np.flatnonzero(~columns.discrete).tolist():
        known = ~np.isnan(columns.value[v]) & (w > 0)
        data = columns.value[v, known]
        if len(data) == 0:
            floors[v] = 1.0
            continue
        mean = np.average(data, weights=w[known])
        spread = np.average((data - mean) ** 2, weights=w[known])
        floors[v] = max(1e-9 * spread, (1e-8 * np.abs(data).max()) ** 2, ABOVE_ZERO)
    return floors


def fit_tables(
    statistics: Sequence[Array], card: Array, smoothing: Smoothing, floors: Array
) -> tuple[list[Array], list[Array]]:
    """The tables and variances of all nodes from their counts or moments."""
    tables, variances = [], []
    for v, found in enumerate(statistics):
        if card[v] > 0:
            tables.append(probabilities(found, smoothing))
            variances.append(np.empty(0))
        else:
            coefficient, variance = regressions(found, floors[v])
            tables.append(coefficient)
            variances.append(variance)
    return tables, variances


def summarise(columns: Columns, graph: DAG, weight: Array | None) -> list[Array]:
    """The counts or moments of every node, from complete rows."""
    found = count_states(columns, graph, weight)
    return [sum_moments(columns, graph, v, weight) if card == 0 else found[v] for v, card in enumerate(columns.card)]
