"""Random networks, and their joint distribution by enumeration of all rows."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from learnable.graphical import BayesianNetwork, LinearGaussianCPD, TabularCPD

DATA = Path(__file__).parent / "data"


def random_parents(rng, nodes, most=3):
    """For each node some of those before it in a random order."""
    order = rng.permutation(nodes)
    parents = {}
    for k, v in enumerate(order):
        count = rng.integers(0, min(k, most) + 1)
        parents[int(v)] = rng.choice(order[:k], count, replace=False).tolist() if count else []
    return parents


def random_categorical(seed, nodes=6, most=3):
    """A network of nodes with two to four states and random tables, some of whose entries are zero."""
    rng = np.random.default_rng(seed)
    parents, card = random_parents(rng, nodes, most), rng.integers(2, 5, nodes)
    cpds = []
    for v in range(nodes):
        above = parents[v]
        columns = int(np.prod(card[above])) if above else 1
        values = rng.dirichlet(np.ones(card[v]) * 0.7, columns).T
        if card[v] > 2 and columns > 1:
            values[0, 0] = 0
            values[:, 0] /= values[:, 0].sum()
        cpds.append(
            TabularCPD(f"n{v}", int(card[v]), values, [f"n{u}" for u in above], card[above].tolist() if above else [])
        )
    return BayesianNetwork.from_cpds(cpds)


def random_mixed(seed, discrete=3, continuous=4):
    """A conditional Gaussian network: categorical nodes, and continuous ones below them and each other."""
    rng = np.random.default_rng(seed)
    card = rng.integers(2, 4, discrete).tolist()
    cpds = []
    for v in range(discrete):
        above = [u for u in range(v) if rng.random() < 0.5]
        values = rng.dirichlet(np.ones(card[v]), int(np.prod([card[u] for u in above]))).T
        cpds.append(TabularCPD(f"d{v}", card[v], values, [f"d{u}" for u in above], [card[u] for u in above]))
    for v in range(continuous):
        groups = [u for u in range(discrete) if rng.random() < 0.5]
        above = [u for u in range(v) if rng.random() < 0.5]
        rows = int(np.prod([card[u] for u in groups]))
        beta, std = rng.normal(0, 1.5, (rows, 1 + len(above))), rng.uniform(0.5, 1.5, rows)
        cpds.append(
            LinearGaussianCPD(
                f"c{v}", beta, std, [f"c{u}" for u in above], [f"d{u}" for u in groups], [card[u] for u in groups]
            )
        )
    return BayesianNetwork.from_cpds(cpds)


def joint_table(network):
    """The probability of every row, with an axis for each node: products of table entries."""
    card = [len(states) for states in network.states_]
    table = np.empty(card)
    for row in product(*map(range, card)):
        probability = 1.0
        for v, above in enumerate(network.parents_):
            configuration = 0
            for u in above.tolist():
                configuration = configuration * card[u] + row[u]
            probability *= network.tables_[v][configuration, row[v]]
        table[row] = probability
    return table


def given(table, evidence):
    """The joint table where some nodes (by axis) have these states, zero elsewhere."""
    kept = np.zeros_like(table)
    index = tuple(evidence.get(axis, slice(None)) for axis in range(table.ndim))
    kept[index] = table[index]
    return kept


def marginal(table, axes):
    """The table summed over all other axes, with axes in this order."""
    summed = table.sum(axis=tuple(axis for axis in range(table.ndim) if axis not in axes))
    ordered = sorted(axes)
    return summed.transpose([ordered.index(axis) for axis in axes])
