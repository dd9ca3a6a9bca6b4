"""A network as numbers: what inference, sampling and files read from a fitted `BayesianNetwork`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core import Array
from ._coded_table import Columns
from ._dag import DAG, topological_order
from ._discrete_inference import DiscreteInference

LOG_TAU = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Network:
    """Names and states of the nodes, the graph, and the conditional distribution of each node given its parents.

    A categorical node has a table (configurations of its parents x states); a continuous one has a table
    (configurations of its categorical parents x (1 + continuous parents)) of an intercept and coefficients, and a
    variance for each configuration. The first parent varies slowest.
    """

    names: tuple[str, ...]
    states: tuple[Array, ...]
    graph: DAG
    tables: tuple[Array, ...]
    variances: tuple[Array, ...]

    @cached_property
    def card(self) -> Array:
        """The number of states of each node, 0 of continuous ones."""
        return np.array([len(states) for states in self.states], dtype=np.int64)

    @cached_property
    def discrete(self) -> list[int]:
        """The categorical nodes."""
        return np.flatnonzero(self.card > 0).tolist()

    @cached_property
    def continuous(self) -> list[int]:
        """The continuous nodes."""
        return np.flatnonzero(self.card == 0).tolist()

    @cached_property
    def rank(self) -> dict[int, int]:
        """The position of each categorical node among these."""
        return {v: k for k, v in enumerate(self.discrete)}

    def discrete_parents(self, v: int) -> list[int]:
        """The categorical parents of a node."""
        return [parent for parent in self.graph.parents[v] if self.card[parent] > 0]

    def continuous_parents(self, v: int) -> list[int]:
        """The continuous parents of a node."""
        return [parent for parent in self.graph.parents[v] if self.card[parent] == 0]

    def cpt(self, v: int) -> Array:
        """The table of a categorical node, with an axis for each parent and the last for the node."""
        return self.tables[v].reshape([*self.card[list(self.graph.parents[v])].tolist(), self.card[v]])

    @property
    def n_parameters(self) -> int:
        """The number of free parameters."""
        return sum(free_parameters(self.card, self.graph.parents[v], v) for v in range(len(self.names)))

    @cached_property
    def inference(self) -> DiscreteInference:
        """Exact inference among the categorical nodes."""
        scopes = [tuple(self.rank[u] for u in (*self.graph.parents[v], v)) for v in self.discrete]
        tables = [self.cpt(v) for v in self.discrete]
        return DiscreteInference(self.card[self.discrete].tolist(), scopes, tables, "BayesianNetwork")

    def configuration(self, v: int, code: Array) -> Array:
        """The index of the configuration of the categorical parents of a node, for each column of codes."""
        return mixed_radix(code, self.discrete_parents(v), self.card)

    def mean_of(self, v: int, code: Array, value: Array) -> Array:
        """The mean of a continuous node given its parents, for each column of codes and values."""
        coefficient = self.tables[v][self.configuration(v, code)]
        mean = coefficient[:, 0].copy()
        for k, parent in enumerate(self.continuous_parents(v), start=1):
            mean += coefficient[:, k] * value[parent]
        return mean

    def log_density_of(self, v: int, columns: Columns) -> Array:
        """The log density of the entries of a node given those of its parents, none of which is missing."""
        if self.card[v] == 0:
            variance = self.variances[v][self.configuration(v, columns.code)]
            residual = columns.value[v] - self.mean_of(v, columns.code, columns.value)
            return np.asarray(-0.5 * (residual**2 / variance + np.log(variance) + LOG_TAU))
        return log(self.tables[v][self.configuration(v, columns.code), columns.code[v]])

    def joint_normal(self, nodes: Sequence[int], code: Array) -> tuple[Array, Array]:
        """Means and covariances of continuous nodes, ancestors included, for each column of codes of the others."""
        position = {v: k for k, v in enumerate(nodes)}
        count = code.shape[1]
        mean = np.zeros((count, len(nodes)))
        covariance = np.zeros((count, len(nodes), len(nodes)))
        for v in (u for u in self.graph.order if u in position):
            k, rows = position[v], self.configuration(v, code)
            coefficient = self.tables[v][rows]
            before = [position[parent] for parent in self.continuous_parents(v)]
            mean[:, k] = coefficient[:, 0] + (coefficient[:, 1:] * mean[:, before]).sum(axis=1)
            across = np.einsum("cp,cpj->cj", coefficient[:, 1:], covariance[:, before])
            covariance[:, k], covariance[:, :, k] = across, across
            own = (coefficient[:, 1:] * across[:, before]).sum(axis=1)
            covariance[:, k, k] = self.variances[v][rows] + own
        return mean, covariance


def log(values: Array) -> Array:
    """The logarithm, minus infinity of zero."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def mixed_radix(code: Array, columns: Sequence[int], card: Array) -> Array:
    """The index of the configuration of some columns, of which the first varies slowest."""
    index = np.zeros(code.shape[1], dtype=np.int64)
    for parent in columns:
        index = index * card[parent] + code[parent]
    return index


def configurations(card: Array, parents: Sequence[int]) -> int:
    """The number of configurations of the categorical ones among some parents."""
    count = 1
    for parent in parents:
        count *= max(int(card[parent]), 1)
    return count


def free_parameters(card: Array, parents: Sequence[int], v: int) -> int:
    """The number of free parameters of a node with these parents."""
    rows = configurations(card, parents)
    if card[v] > 0:
        return rows * (int(card[v]) - 1)
    return rows * (2 + sum(int(card[parent] == 0) for parent in parents))


def unsound_network(
    nodes: Sequence[str], parents: Sequence[Array], states: Sequence[Array], tables: Sequence[Array],
    variances: Sequence[Array],
) -> str:  # fmt: skip
    """Why these are not a network; empty if they are."""
    if len(nodes) == 0 or not all(isinstance(name, str) for name in nodes) or len(set(nodes)) < len(nodes):
        return "nodes_ must hold different texts"
    for v, above in enumerate(parents):
        known = above.dtype.kind in "iu" and ((above >= 0) & (above < len(nodes))).all()
        if not known or len(set(above.tolist())) < len(above):
            return f"parents_ of node {v} must hold indices of different nodes"
        if not isinstance(states[v], np.ndarray) or states[v].ndim != 1 or len(states[v]) > 65000:
            return f"states_ of node {v} must be a list of states"
    if len(topological_order([tuple(above.tolist()) for above in parents])) < len(nodes):
        return "parents_ must not form a cycle"
    card = np.array([len(known) for known in states], dtype=np.int64)
    return next(
        filter(None, (_unsound_table(v, parents, card, tables[v], variances[v]) for v in range(len(nodes)))), ""
    )


def _unsound_table(v: int, parents: Sequence[Array], card: Array, table: Array, variance: Array) -> str:
    above = parents[v].tolist()
    rows, continuous = configurations(card, above), sum(card[parent] == 0 for parent in above)
    columns = int(card[v]) if card[v] else 1 + continuous
    if table.shape != (rows, columns) or table.dtype != np.float64 or not np.isfinite(table).all():
        return f"the table of node {v} must be {rows} x {columns} finite numbers"
    if card[v] > 0 and (continuous or not (table >= 0).all() or not np.allclose(table.sum(axis=1), 1, atol=1e-6)):
        return f"the table of node {v} must hold probabilities, and no parent of it may be continuous"
    if card[v] == 0 and not (variance.shape == (rows,) and np.isfinite(variance).all() and (variance > 0).all()):
        return f"the variances of node {v} must be {rows} numbers above 0"
    return ""
