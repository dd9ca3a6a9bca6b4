"""The log density of rows under a network, with missing entries summed over."""

from __future__ import annotations

import numpy as np

from ..core import Array
from ._coded_table import UNKNOWN, Columns
from ._gaussian_inference import log_likelihood_of_rows, normal_log_density
from ._network import Network


def log_density(network: Network, columns: Columns) -> Array:
    """The log probability or density of each row; minus infinity where a state is unknown."""
    unknown = columns.discrete[:, None] & (columns.code == UNKNOWN)
    missing = columns.missing & ~unknown
    found = np.where(unknown.any(axis=0), -np.inf, 0.0)
    whole = np.flatnonzero(~missing.any(axis=0))
    part = columns.chosen(whole)
    part.code[part.code >= UNKNOWN] = 0  # of continuous columns, and of unknown states, whose rows are impossible
    for v in range(len(network.names)):
        found[whole] += network.log_density_of(v, part)
    rest = np.flatnonzero(missing.any(axis=0))
    if len(rest) == 0:
        return found
    if not network.discrete:
        found[rest] = normal_log_density(network, columns.value[:, rest])
    elif network.continuous:
        found[rest] = log_likelihood_of_rows(network, rest, columns.code, columns.value, missing)
    else:
        _, found[rest] = network.inference.batch(*_likelihoods(network, columns.chosen(rest)))
    return found


def _likelihoods(network: Network, columns: Columns) -> tuple[Array, Array]:
    """For each row the likelihood of every state of the categorical nodes, ones where an entry is missing."""
    parts = []
    for v in network.discrete:
        table = np.vstack([np.eye(network.card[v]), np.zeros(network.card[v]), np.ones(network.card[v])])
        code = columns.code[v].astype(np.int64)
        parts.append(table[np.where(code >= UNKNOWN, code - UNKNOWN + network.card[v], code)])
    return np.ascontiguousarray(np.hstack(parts)), np.arange(len(network.discrete))
