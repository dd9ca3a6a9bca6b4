"""Expected products of rows with missing entries and of the states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core import Array
from ...engines.kalman import SmoothedStates, StateSpace


class RowSums(NamedTuple):
    """Weighted sums over rows x and states z, extended by a 1: of x x', of x (z, 1)' and of (z, 1) (z, 1)'."""

    rows: Array
    products: Array
    states: Array


def extended_products(means: Array, covariances: Array, weight: Array) -> Array:
    """The weighted sum of E[(z, 1) (z, 1)']."""
    whole = np.column_stack([means, np.ones(len(means))])
    found = (weight[:, None] * whole).T @ whole
    found[:-1, :-1] += np.tensordot(weight, covariances, axes=1)
    return np.asarray(found)


def expected_sums(X: Array, model: StateSpace, smoothed: SmoothedStates, weight: Array) -> RowSums:
    """Sums in which a missing entry is a linear function of the state and the observed entries, plus noise."""
    p, n = model.C.shape
    rows, products, states = np.zeros((p, p)), np.zeros((p, n + 1)), np.zeros((n + 1, n + 1))
    missing = np.isnan(X)
    for gone, chosen in _patterns(missing):
        moments = extended_products(smoothed.means[chosen], smoothed.covariances[chosen], weight[chosen])
        coef, gain, noise = _given_observed(model, gone)
        seen = np.where(gone, 0.0, X[chosen])
        known = np.where(gone, seen @ gain.T, seen)
        whole = np.column_stack([smoothed.means[chosen], np.ones(len(known))])
        cross = (weight[chosen, None] * known).T @ whole
        states += moments
        products += coef @ moments + cross
        mixed = coef @ cross.T
        rows += (weight[chosen, None] * known).T @ known + mixed + mixed.T + coef @ moments @ coef.T
        rows += weight[chosen].sum() * noise
    return RowSums(rows, products, states)


def fill_in(X: Array, model: StateSpace, means: Array) -> Array:
    """Rows whose missing entries are their means given the observed ones and the means of the states."""
    found = X.copy()
    for gone, chosen in _patterns(np.isnan(X)):
        coef, gain, _ = _given_observed(model, gone)
        seen = np.where(gone, 0.0, X[chosen])
        means_of = np.column_stack([means[chosen], np.ones(len(seen))]) @ coef.T + seen @ gain.T
        found[chosen] = np.where(gone, means_of, seen)
    return found


def _patterns(missing: Array) -> list[tuple[Array, Array]]:
    """Which columns are missing in each pattern, and the rows that have it."""
    if not missing.any():
        return [(missing[0], np.arange(len(missing)))]
    patterns, code = np.unique(missing, axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(code.ravel() == place)) for place, pattern in enumerate(patterns)]


def _given_observed(model: StateSpace, gone: Array) -> tuple[Array, Array, Array]:
    """Missing entries as coef (z, 1) + gain x + noise: the coef, the gain on observed entries, and the covariance."""
    p, n = model.C.shape
    coef, gain, noise = np.zeros((p, n + 1)), np.zeros((p, p)), np.zeros((p, p))
    if gone.any():
        means = np.column_stack([model.C, model.d])
        coef[gone], noise[np.ix_(gone, gone)] = means[gone], model.R[np.ix_(gone, gone)]
        if not gone.all():
            own = np.linalg.solve(model.R[np.ix_(~gone, ~gone)], model.R[np.ix_(~gone, gone)]).T
            gain[np.ix_(gone, ~gone)] = own
            coef[gone] -= own @ means[~gone]
            noise[np.ix_(gone, gone)] -= own @ model.R[np.ix_(~gone, gone)]
    return coef, gain, noise
