"""One classifier for each pair of classes: how their coefficients are laid out, and what they say together."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..core import Array

MIN_PROBABILITY = 1e-7


def libsvm_layout(decisions: Array, codes: Array, classes: int) -> Array:
    """Coefficients (pairs, vectors) in LIBSVM's layout (classes - 1, vectors): one row for each other class."""
    found = np.zeros((classes - 1, decisions.shape[1]))
    for row, (i, j) in zip(decisions, combinations(range(classes), 2), strict=True):
        found[j - 1, codes == i] = row[codes == i]
        found[i, codes == j] = row[codes == j]
    return found


def from_libsvm_layout(dual_coef: Array, n_support: Array) -> Array:
    """Coefficients (pairs, vectors) from LIBSVM's layout."""
    codes = np.repeat(np.arange(len(n_support)), n_support)
    pairs = list(combinations(range(len(n_support)), 2))
    found = np.zeros((len(pairs), dual_coef.shape[1]))
    for row, (i, j) in zip(found, pairs, strict=True):
        row[codes == i] = dual_coef[j - 1, codes == i]
        row[codes == j] = dual_coef[i, codes == j]
    return found


def votes_of(values: Array, classes: int, zero_for_first: bool = False) -> Array:
    """How many pairs each class wins; decision values above 0 are for the first of a pair."""
    won = np.zeros((len(values), classes))
    for value, (i, j) in zip(values.T, combinations(range(classes), 2), strict=True):
        first = value >= 0 if zero_for_first else value > 0
        won[:, i] += first
        won[:, j] += ~first
    return won


def class_scores(values: Array, classes: int) -> Array:
    """A score for each class: the pairs it wins, and among equals the sum of its decision values, squeezed into 1/3."""
    sums = np.zeros((len(values), classes))
    for value, (i, j) in zip(values.T, combinations(range(classes), 2), strict=True):
        sums[:, i] += value
        sums[:, j] -= value
    return np.asarray(votes_of(values, classes, zero_for_first=True) + sums / (3 * (np.abs(sums) + 1)))


def coupled_probabilities(probabilities: Array, classes: int) -> Array:
    """Probabilities of all classes from those of the first class of each pair (rows, pairs).

    minimise over p    sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 / 2,    sum p = 1

    which is a linear system for each row. [Wu, Lin and Weng, 2004, second approach]
    """
    r = np.full((len(probabilities), classes, classes), 0.0)
    held = np.clip(probabilities, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
    for value, (i, j) in zip(held.T, combinations(range(classes), 2), strict=True):
        r[:, i, j], r[:, j, i] = value, 1 - value
    system = np.zeros((len(probabilities), classes + 1, classes + 1))
    system[:, :classes, :classes] = -r * r.transpose(0, 2, 1)
    indices = np.arange(classes)
    system[:, indices, indices] = (r**2).sum(axis=1)
    system[:, :classes, classes] = system[:, classes, :classes] = 1
    right = np.zeros((len(probabilities), classes + 1, 1))
    right[:, classes] = 1
    found = np.clip(np.linalg.solve(system, right)[:, :classes, 0], 0, None)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
