"""Approximate posteriors: likelihood weighting, Gibbs sampling and loopy belief propagation, with their errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.runtime.random import stream
from ._discrete_inference import Evidence
from ._loopy import loopy_marginals
from ._network import Network, log, mixed_radix
from ._sampling import draw
from .factor import Factor

CHAINS = 64
BURN_IN = 100  # sweeps of a chain before its states count
TAIL = 0.975


def approximate(
    network: Network,
    targets: list[int],
    likelihood: Evidence,
    value: Mapping[int, float],
    method: str,
    n_samples: int,
    random_state: Any,
) -> Factor:
    """The posterior table of categorical nodes with an interval for every entry."""
    if any(network.card[v] == 0 for v in targets):
        raise ParameterError("BayesianNetwork: approximate inference is for categorical nodes; use method='exact'")
    if n_samples < CHAINS:
        raise ParameterError(f"BayesianNetwork: n_samples must be at least {CHAINS}; got {n_samples}")
    if method == "loopy":
        return _loopy(network, targets, likelihood)
    rng = stream(random_state)
    if method == "gibbs":
        return _gibbs(network, targets, likelihood, value, n_samples, rng)
    drawn = draw(network, n_samples, rng, likelihood, value)
    top = drawn.log_weight.max()
    if not top > -np.inf:
        raise ParameterError(
            f"BayesianNetwork: none of {n_samples} draws agrees with the evidence; use method='exact' or more draws"
        )
    weight = np.exp(drawn.log_weight - top)
    index = mixed_radix(drawn.code, targets, network.card)
    table = np.bincount(index, weight, minlength=int(np.prod(network.card[targets]))) / weight.sum()
    effective = weight.sum() ** 2 / (weight**2).sum()
    return _result(network, targets, table, wilson(table, float(effective)))


def wilson(probability: Array, count: float) -> tuple[Array, Array]:
    """The score interval of proportions estimated from `count` independent draws. [Wilson, 1927]"""
    from scipy.special import ndtri

    z = float(ndtri(TAIL))
    centre = (probability + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(probability * (1 - probability) / count + z**2 / (4 * count**2))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def _result(network: Network, targets: list[int], table: Array, interval: tuple[Array, Array] | None) -> Factor:
    shape = network.card[targets].tolist()
    names, states = tuple(network.names[v] for v in targets), tuple(network.states[v] for v in targets)
    ends = None if interval is None else (interval[0].reshape(shape), interval[1].reshape(shape))
    return Factor(names, states, table.reshape(shape), ends)


def _gibbs(
    network: Network, targets: list[int], likelihood: Evidence, value: Mapping[int, float], n_samples: int, rng: Any
) -> Factor:
    """Many chains side by side: each node in turn is drawn given its Markov blanket; chains that differ give the error.

    [Geman and Geman, 1984]
    """
    from scipy.special import stdtrit

    if network.continuous:
        raise ParameterError("BayesianNetwork: method='gibbs' is for categorical networks; use 'likelihood_weighting'")
    first = draw(network, 100 * CHAINS, rng, likelihood, value)
    possible = np.flatnonzero(first.log_weight > -np.inf)
    if len(possible) == 0:
        raise ParameterError("BayesianNetwork: no draw agrees with the evidence, so no chain can start; use 'exact'")
    weight = np.exp(first.log_weight[possible] - first.log_weight[possible].max())
    code = first.code[:, possible[rng.choice(len(possible), CHAINS, p=weight / weight.sum())]]
    free = [v for v in network.discrete if v not in likelihood or np.count_nonzero(likelihood[v]) > 1]
    cells = int(np.prod(network.card[targets]))
    counts = np.zeros((CHAINS, cells))
    sweeps = -(-n_samples // CHAINS)
    for sweep in range(BURN_IN + sweeps):
        for v in free:
            code[v] = _draw_given_blanket(network, v, code, likelihood.get(v), rng)
        if sweep >= BURN_IN:
            counts[np.arange(CHAINS), mixed_radix(code, targets, network.card)] += 1
    each = counts / sweeps
    table = each.mean(axis=0)
    half = stdtrit(CHAINS - 1, TAIL) * each.std(axis=0, ddof=1) / np.sqrt(CHAINS)
    low, high = wilson(table, float(CHAINS * sweeps))
    between = np.maximum(table - half, 0), np.minimum(table + half, 1)
    return _result(network, targets, table, (np.minimum(low, between[0]), np.maximum(high, between[1])))


def _draw_given_blanket(network: Network, v: int, code: Array, likelihood: Array | None, rng: Any) -> Array:
    """New states of a node in all chains, from its probability given everything else."""
    logs = log(network.tables[v])[mixed_radix(code, network.graph.parents[v], network.card)]
    if likelihood is not None:
        logs = logs + log(likelihood)
    changed = code.copy()
    for child in network.graph.children[v]:
        table = log(network.tables[child])
        for state in range(network.card[v]):
            changed[v] = state
            logs[:, state] += table[mixed_radix(changed, network.graph.parents[child], network.card), code[child]]
    weight = np.exp(logs - logs.max(axis=1, keepdims=True))
    edges = np.cumsum(weight, axis=1)
    return np.asarray((edges <= (rng.random_sample(len(edges)) * edges[:, -1])[:, None]).sum(axis=1))


def _loopy(network: Network, targets: list[int], likelihood: Evidence) -> Factor:
    """The belief of one node by loopy belief propagation over the tables of the network."""
    if network.continuous or len(targets) > 1:
        raise ParameterError("BayesianNetwork: method='loopy' gives the belief of one node of a categorical network")
    inference = network.inference
    scopes = [*inference.scopes, *((network.rank[v],) for v in likelihood)]
    tables = [*inference.tables, *likelihood.values()]
    beliefs, residual = loopy_marginals(inference.cards, scopes, tables)
    belief = beliefs[network.rank[targets[0]]]
    ends = np.maximum(belief - residual, 0.0), np.minimum(belief + residual, 1.0)
    return _result(network, targets, belief, ends)
