"""Harmonic functions on a graph: every row without a label is the weighted mean of its neighbours.

    f_u = P_uu f_u + P_ul y_l    for the transition probabilities P of a random walk; f is where the walk is absorbed

It is solved by elimination. Where a walk hardly ever leaves some rows, as those far from all others, 1 - P_kk
is lost to cancellation: then states are eliminated one by one with sums of positive numbers alone, which is exact in
every entry. [Zhu, Ghahramani and Lafferty, 2003; Grassmann, Taksar and Heyman, 1985]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.runtime.context import give_way
from ..core.runtime.threads import scipy_module
from ..engines.algebra.interruptible_lapack import interruptibly

WEAK = 1e-10  # transition probability below which a link does not keep elimination stable


def absorption(P: Any, labelled: Array, Y: Array) -> tuple[Array, Array]:
    """Values of the rows without a label, and whether their walks reach a row with one; P may be sparse."""
    if isinstance(P, np.ndarray):
        reached = _reaches(P > 0, labelled)
        if _reaches(P > WEAK, labelled)[~labelled].all():
            return _dense(P, labelled, Y), reached[~labelled]
        return _by_reduction(P, labelled, Y), reached[~labelled]
    reached = _reaches(P, labelled)
    return _sparse(P, labelled, reached, Y), reached[~labelled]


def _reaches(links: Any, labelled: Array) -> Array:
    """Which rows have a path to a labelled one."""
    from scipy.sparse import csr_array

    backwards = csr_array(links).T.tocsr()
    reached = labelled.copy()
    frontier = labelled.copy()
    while frontier.any():
        frontier = (backwards[np.flatnonzero(frontier)].sum(axis=0) > 0) & ~reached
        reached |= frontier
    return reached


def _dense(P: Array, labelled: Array, Y: Array) -> Array:
    free = ~labelled
    system = -P[np.ix_(free, free)]
    system.flat[:: len(system) + 1] += 1
    return np.asarray(interruptibly(np.linalg.solve, system, P[np.ix_(free, labelled)] @ Y[labelled]))


def _sparse(P: Any, labelled: Array, reached: Array, Y: Array) -> Array:
    from scipy.sparse import csc_array, eye_array

    free, solved = np.flatnonzero(~labelled), np.flatnonzero(~labelled & reached)
    found = np.zeros((len(free), Y.shape[1]))
    if len(solved):
        own = P[solved]
        give_way()
        factor = scipy_module("sparse.linalg").splu(csc_array(eye_array(len(solved)) - own[:, solved]))
        found[reached[free]] = factor.solve(own[:, np.flatnonzero(labelled)] @ Y[labelled])
    return found


def _by_reduction(P: Array, labelled: Array, Y: Array) -> Array:
    """Elimination of the states without a label from the last to the first; probabilities only add up."""
    free = np.flatnonzero(~labelled)
    n = len(free)
    inner = P[np.ix_(free, free)].copy()
    outer = P[np.ix_(free, labelled)] @ Y[labelled]
    for k in range(n - 1, -1, -1):
        give_way()
        leaving = inner[k, :k].sum() + outer[k].sum()
        if leaving > 0:
            inner[k, :k] /= leaving
            outer[k] /= leaving
            inner[:k, :k] += np.outer(inner[:k, k], inner[k, :k])
            outer[:k] += np.outer(inner[:k, k], outer[k])
    for k in range(n):
        outer[k] += inner[k, :k] @ outer[:k]
    return np.asarray(outer)
