"""Parameters of a network from rows with missing values: the EM algorithm with exact expectations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core import Array, BudgetError, Trace
from ..engines.em import run_em
from ..engines.iterate import State
from ._coded_table import MISSING, Columns
from ._dag import DAG
from ._estimation import Smoothing, fit_tables, summarise
from ._gaussian_inference import condition
from ._learning import Learned, impute_columns
from ._network import Network, log, mixed_radix

MAX_COMPLETIONS = 1 << 16  # ways to fill the categorical entries of one row


def fit_by_em(model: Any, columns: Columns, graph: DAG, weight: Array | None, floors: Array, trace: Trace) -> Learned:
    """The parameters that maximise the likelihood of the entries that are there, times the prior.

    The E-step is exact: expected counts from the junction tree where all nodes are categorical, else sums over all
    ways to fill categorical entries of the moments of the normal densities of continuous ones. [Lauritzen, 1995]
    """
    w = np.ones(columns.rows) if weight is None else weight
    steps: TreeEM | MixedEM
    smoothing = model.smoothing
    if columns.discrete.all():
        steps = TreeEM(columns, graph, w, smoothing)
    else:
        steps = MixedEM(columns, graph, w, smoothing, floors)
    begin = summarise(impute_columns(columns, weight), graph, weight)
    tables, variances = fit_tables(begin, columns.card, Smoothing("k2", 1.0), np.maximum(floors, 0))
    owner = type(model).__name__
    exact = smoothing.prior == "mle" and bool(columns.discrete.all())
    best = run_em(
        steps, [{"tables": tables, "variances": variances}], model.max_iter, model.tol, trace, owner, exact=exact
    )
    parameters = best.parameters
    network = _network(columns, graph, parameters)
    statistics = steps.expectations(network)[0]
    return Learned(network, statistics)


def _network(columns: Columns, graph: DAG, parameters: State) -> Network:
    tables, variances = tuple(parameters["tables"]), tuple(parameters["variances"])
    return Network(tuple(columns.names), tuple(columns.states), graph, tables, variances)


def log_prior(tables: list[Array], card: Array, smoothing: Smoothing) -> float:
    """The log density of the prior of the probability tables, without its constant."""
    if smoothing.prior == "mle":
        return 0.0
    used = [table for table, states in zip(tables, card, strict=True) if states > 0]
    return sum(smoothing.pseudo_count(*table.shape) * float(np.log(table).sum()) for table in used)


class TreeEM:
    """EM of a categorical network: equal rows are one, and eight of them go through the junction tree side by side."""

    def __init__(self, columns: Columns, graph: DAG, weight: Array, smoothing: Smoothing) -> None:
        self.columns, self.graph, self.smoothing = columns, graph, smoothing
        code, index = np.unique(columns.code, axis=1, return_inverse=True)
        self.weight = np.bincount(index.ravel(), weight)
        self.card = columns.card
        states = [np.vstack([np.eye(card), np.ones(card)]) for card in self.card]
        rows = [table[np.minimum(row, len(table) - 1)] for table, row in zip(states, code, strict=True)]
        self.likelihood = np.ascontiguousarray(np.hstack(rows))
        self.evident = np.flatnonzero((code < MISSING).any(axis=1)).astype(np.int64)

    def expectations(self, network: Network) -> tuple[list[Array], float]:
        """The expected counts of every node, and the log likelihood."""
        tree, potential = network.inference.tree()
        counts, logs = tree.expected_counts(potential, self.evident, self.likelihood, self.weight)
        shaped = [found.reshape(-1, card) for found, card in zip(counts, self.card, strict=True)]
        return shaped, float(self.weight @ logs)

    def improve(self, parameters: State) -> tuple[State, float]:
        """One EM iteration, and the mean log posterior before it."""
        network = _network(self.columns, self.graph, parameters)
        counts, likelihood = self.expectations(network)
        likelihood += log_prior(parameters["tables"], self.card, self.smoothing)
        tables, variances = fit_tables(counts, self.card, self.smoothing, np.zeros(len(counts)))
        return {"tables": tables, "variances": variances}, likelihood / float(self.weight.sum())


class MixedEM:
    """EM of a network with continuous nodes: rows are filled in all ways, weighted by their posterior probability."""

    def __init__(self, columns: Columns, graph: DAG, weight: Array, smoothing: Smoothing, floors: Array) -> None:
        self.columns, self.graph, self.weight = columns, graph, weight
        self.smoothing, self.floors, self.card = smoothing, floors, columns.card
        self.continuous = np.flatnonzero(self.card == 0).tolist()
        missing = columns.missing
        patterns, index = np.unique(missing, axis=1, return_inverse=True)
        self.patterns = [
            (patterns[:, k], np.flatnonzero(index.ravel() == k)) for k in range(patterns.shape[1])
        ]  # fmt: skip

    def improve(self, parameters: State) -> tuple[State, float]:
        """One EM iteration, and the mean log posterior before it."""
        statistics, likelihood = self.expectations(_network(self.columns, self.graph, parameters))
        likelihood += log_prior(parameters["tables"], self.card, self.smoothing)
        tables, variances = fit_tables(statistics, self.card, self.smoothing, self.floors)
        return {"tables": tables, "variances": variances}, likelihood / float(self.weight.sum())

    def expectations(self, network: Network) -> tuple[list[Array], float]:
        """The expected counts and moments of every node, and the log likelihood."""
        filled = [self._filled(network, gone, rows) for gone, rows in self.patterns]
        code = np.hstack([part.code for part, *_ in filled])
        value = np.hstack([part.value for part, *_ in filled])
        weight = np.concatenate([part for _, part, *_ in filled])
        spread = np.concatenate([part for _, _, part, _ in filled])
        whole = replace(self.columns, code=code, value=value)
        statistics = summarise(whole, self.graph, weight)
        for v in self.continuous:
            self._add_spread(statistics[v], v, whole, weight, spread)
        return statistics, sum(part for *_, part in filled)

    def _add_spread(self, moments: Array, v: int, whole: Columns, weight: Array, spread: Array) -> None:
        """Add the posterior covariances of missing values to the cross-products of a node and its parents."""
        members = [u for u in (*self.graph.parents[v], v) if self.card[u] == 0]
        at = [self.continuous.index(u) for u in members]
        groups = [u for u in self.graph.parents[v] if self.card[u] > 0]
        index, k = mixed_radix(whole.code.astype(np.int64), groups, self.card), len(members)
        part = spread[:, at][:, :, at].reshape(-1, k * k) * weight[:, None]
        for column in range(k * k):
            moments[:, 1 + k + column] += np.bincount(index, part[:, column], minlength=len(moments))

    def _filled(self, network: Network, gone: Array, rows: Array) -> tuple[Columns, Array, Array, float]:
        """The rows of a pattern filled in all ways: weights, covariances of what is missing, the log likelihood."""
        open_ = [v for v in network.discrete if gone[v]]
        ways = int(np.prod(self.card[open_], dtype=np.float64))
        if ways > MAX_COMPLETIONS:
            raise BudgetError(
                f"BayesianNetwork: rows without {', '.join(self.columns.names[v] for v in open_[:6])} can be filled in "
                f"{ways} ways, at most {MAX_COMPLETIONS} are summed; drop some of these columns or rows"
            )
        part = self.columns.chosen(np.repeat(rows, ways))
        choices = np.indices(self.card[open_].tolist()).reshape(len(open_), ways)
        part.code[open_] = np.tile(choices, len(rows))
        logs = np.zeros(len(rows) * ways)
        for v in network.discrete:
            logs += log(network.tables[v])[network.configuration(v, part.code.astype(np.int64)), part.code[v]]
        spread = np.zeros((len(logs), len(self.continuous), len(self.continuous)))
        logs += self._fill_values(network, part, gone, spread)
        table = logs.reshape(len(rows), ways)
        top = table.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        shares = np.exp(table - top)
        total = shares.sum(axis=1, keepdims=True)
        w = self.weight[rows]
        posterior = shares / np.where(total > 0, total, 1.0) * w[:, None]
        return part, posterior.ravel(), spread, float(w @ (top + log(total))[:, 0])

    def _fill_values(self, network: Network, part: Columns, gone: Array, spread: Array) -> Array:
        """Replace missing values by their expectation; returns the log density of those that are there."""
        seen = [k for k, v in enumerate(self.continuous) if not gone[v]]
        hidden = [k for k, v in enumerate(self.continuous) if gone[v]]
        above = sorted({u for v in self.continuous for u in network.discrete_parents(v)})
        code = part.code.astype(np.int64)
        key = mixed_radix(code, above, self.card)
        logs = np.zeros(part.rows)
        for one in np.unique(key).tolist():
            rows = np.flatnonzero(key == one)
            mean, covariance = network.joint_normal(self.continuous, code[:, rows[:1]])
            observed = part.value[[self.continuous[k] for k in seen]][:, rows]
            density, means, left = _condition_rows(mean[0], covariance[0], seen, observed, hidden)
            logs[rows] = density
            for k, row in zip(hidden, means, strict=True):
                part.value[self.continuous[k], rows] = row
            at = np.array(hidden, dtype=np.int64)
            spread[rows[:, None, None], at[:, None], at] = left
        return logs


def _condition_rows(
    mean: Array, covariance: Array, seen: list[int], observed: Array, hidden: list[int]
) -> tuple[Array, Array, Array]:
    """One normal density given coordinates of many rows: densities, means of the others, and their covariance."""
    rows = observed.shape[1]
    if not seen:
        return np.zeros(rows), np.repeat(mean[hidden][:, None], rows, axis=1), covariance[hidden][:, hidden]
    zero = np.zeros(len(seen))
    _, _, left = condition(mean[None], covariance[None], seen, zero, hidden)
    inner, across = covariance[seen][:, seen], covariance[seen][:, hidden]
    unit = np.sqrt(np.maximum(np.diag(inner), np.finfo(float).tiny))
    scaled = inner / unit[:, None] / unit + 1e-13 * np.eye(len(seen))
    centred = (observed - mean[seen, None]) / unit[:, None]
    solved = np.linalg.solve(scaled, np.hstack([centred, across / unit[:, None]]))
    inverse, gain = solved[:, :rows], solved[:, rows:]
    quadratic = (centred * inverse).sum(axis=0)
    logs = np.linalg.slogdet(scaled)[1] + 2 * np.log(unit).sum()
    density = -0.5 * (quadratic + logs + len(seen) * np.log(2 * np.pi))
    return density, mean[hidden, None] + gain.T @ centred, left[0]
