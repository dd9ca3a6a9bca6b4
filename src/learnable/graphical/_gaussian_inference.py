"""Exact inference with continuous nodes, which are jointly normal given the states of their categorical parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core import Array, BudgetError
from ._discrete_inference import Evidence
from ._network import LOG_TAU, Network, log

MAX_ENTRIES = 1 << 22  # entries of the means of all configurations


class MixedPosterior(NamedTuple):
    """Configurations of the categorical variables, their posterior weights, and normal densities of continuous ones."""

    variables: list[int]
    code: Array
    weight: Array
    mean: Array
    covariance: Array
    log_evidence: float


def mixed_posterior(
    network: Network,
    likelihood: Evidence,
    value: Mapping[int, float],
    discrete: Sequence[int],
    continuous: Sequence[int],
) -> MixedPosterior:
    """The posterior of some nodes given likelihoods of states and values of continuous nodes.

    Discrete before continuous: conditional on a configuration of the categorical nodes above continuous ones, these are
    jointly normal; the configuration's weight is its probability times the density of the observed values.
    """
    relevant = network.graph.ancestors([*likelihood, *value, *discrete, *continuous])
    normal = sorted(v for v in relevant if network.card[v] == 0)
    above = {parent for v in normal for parent in network.discrete_parents(v)} | set(discrete)
    variables = sorted(above)
    prior = _joint_of(network, variables, likelihood, relevant, len(normal))
    code = np.zeros((len(network.names), prior.size), dtype=np.int64)
    code[variables] = np.indices(prior.shape).reshape(len(variables), prior.size)
    kept = np.flatnonzero(prior.ravel() > 0)
    code, logs = code[:, kept], np.log(prior.ravel()[kept])
    mean, covariance = network.joint_normal(normal, code)
    seen = [normal.index(v) for v in value]
    observed = np.array(list(value.values()), dtype=np.float64)
    targets = [normal.index(v) for v in continuous]
    density, mean, covariance = condition(mean, covariance, seen, observed, targets)
    logs = logs + density
    top = logs.max(initial=-np.inf)
    if not top > -np.inf:
        return MixedPosterior(variables, code, np.zeros(len(kept)), mean, covariance, -np.inf)
    weight = np.exp(logs - top)
    return MixedPosterior(variables, code, weight / weight.sum(), mean, covariance, float(top + np.log(weight.sum())))


def _joint_of(network: Network, variables: list[int], likelihood: Evidence, relevant: set[int], normal: int) -> Array:
    """The joint table of categorical nodes with the evidence on them."""
    size = float(np.prod(network.card[variables], dtype=np.float64))
    if size * max(normal, 1) > MAX_ENTRIES:
        raise BudgetError(
            f"BayesianNetwork: exact inference would compare {size:.3g} configurations of the categorical parents of "
            f"{normal} continuous nodes, at most {MAX_ENTRIES // max(normal, 1)} fit; give evidence on some of them, "
            "or use method='likelihood_weighting', which states its error"
        )
    inner = {network.rank[v]: values for v, values in likelihood.items()}
    used = [network.rank[v] for v in relevant if network.card[v] > 0]
    if not network.discrete:
        return np.ones(())
    return network.inference.joint([network.rank[v] for v in variables], inner, used)


def condition(
    mean: Array, covariance: Array, seen: Sequence[int], observed: Array, targets: Sequence[int]
) -> tuple[Array, Array, Array]:
    """Normal densities given some coordinates: the log density of these, and mean and covariance of others."""
    if len(seen) == 0:
        return np.zeros(len(mean)), mean[:, targets], covariance[:, targets][:, :, targets]
    inner = covariance[:, seen][:, :, seen]
    unit = np.sqrt(np.maximum(np.diagonal(inner, axis1=1, axis2=2), np.finfo(float).tiny))
    factor = np.linalg.cholesky(_definite(inner / unit[:, :, None] / unit[:, None, :]))
    white = np.linalg.solve(factor, ((observed - mean[:, seen]) / unit)[:, :, None])[:, :, 0]
    logs = np.log(np.diagonal(factor, axis1=1, axis2=2) * unit).sum(axis=1)
    density = -0.5 * ((white**2).sum(axis=1) + len(seen) * LOG_TAU) - logs
    across = np.linalg.solve(factor, covariance[:, seen][:, :, targets] / unit[:, :, None])
    new_mean = mean[:, targets] + np.einsum("csw,cs->cw", across, white)
    new_covariance = covariance[:, targets][:, :, targets] - np.einsum("csw,csv->cwv", across, across)
    return density, new_mean, new_covariance


def _definite(correlation: Array) -> Array:
    """A correlation matrix with a little more on its diagonal where rounding or equal columns make it singular."""
    least = np.linalg.eigvalsh(correlation)[:, 0]
    return correlation + np.maximum(1e-13 - least, 0)[:, None, None] * np.eye(correlation.shape[1])


def log_likelihood_of_rows(network: Network, rows: Array, code: Array, value: Array, missing: Array) -> Array:
    """The log density of the entries of rows that are not missing, one row after the other."""
    found = np.empty(len(rows))
    for k, i in enumerate(rows.tolist()):
        known = ~missing[:, i]
        likelihood = {v: one_hot(code[v, i], network.card[v]) for v in network.discrete if known[v]}
        values = {v: float(value[v, i]) for v in network.continuous if known[v]}
        found[k] = mixed_posterior(network, likelihood, values, [], []).log_evidence
    return found


def one_hot(code: int, card: int) -> Array:
    """A one at the observed state; nothing but zeros for an unknown one."""
    row = np.zeros(card)
    if code < card:
        row[code] = 1.0
    return row


def normal_log_density(network: Network, value: Array) -> Array:
    """The log density of rows with missing values under a network of continuous nodes alone, by pattern."""
    mean, covariance = network.joint_normal(range(len(network.names)), np.zeros((0, 1), dtype=np.int64))
    known = ~np.isnan(value)
    patterns, index = np.unique(known, axis=1, return_inverse=True)
    found = np.zeros(value.shape[1])
    for k in range(patterns.shape[1]):
        rows, seen = np.flatnonzero(index.ravel() == k), np.flatnonzero(patterns[:, k]).tolist()
        inner = np.repeat(covariance, 1, axis=0)
        if seen:
            found[rows] = _density_of_rows(mean[0], inner[0], seen, value[:, rows])
    return found


def _density_of_rows(mean: Array, covariance: Array, seen: list[int], value: Array) -> Array:
    unit = np.sqrt(np.maximum(np.diag(covariance)[seen], np.finfo(float).tiny))
    inner = covariance[np.ix_(seen, seen)] / unit[:, None] / unit
    factor = np.linalg.cholesky(_definite(inner[None])[0])
    white = np.linalg.solve(factor, (value[seen] - mean[seen, None]) / unit[:, None])
    logs = np.log(np.diag(factor) * unit).sum()
    return np.asarray(-0.5 * ((white**2).sum(axis=0) + len(seen) * LOG_TAU) - logs)


__all__ = ["MixedPosterior", "condition", "log", "log_likelihood_of_rows", "mixed_posterior", "normal_log_density"]
