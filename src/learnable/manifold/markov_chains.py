"""Reversible Markov chains: random walks on weighted graphs, and their spectra."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.singular_vectors import upright

ROUNDING = 1e-8  # of sums of probabilities


class SpectralExpansion(NamedTuple):
    """Spectral expansion P = sum_k lambda_k phi_k psi_k' of a reversible Markov chain.

    Right eigenvectors phi and left eigenvectors psi = pi o phi are columns.

    Right vectors have the weighted length sum_i pi_i phi_k(i)^2 = 1; the first is constant with eigenvalue 1.
    """

    eigenvalues: Array
    right: Array
    left: Array
    stationary: Array

    def power(self, t: float) -> Array:
        """P^t, the probabilities of `t` steps."""
        return np.asarray((self.right * self.eigenvalues**t) @ self.left.T)


def _square(owner: str, name: str, matrix: Any) -> Array:
    table, _ = FeatureValidator(owner).matrix(matrix)
    table = np.asarray(table, dtype=np.float64)
    if table.shape[0] != table.shape[1] or table.min() < 0:
        raise DataError(f"{owner}: {name} must be square without negative entries; its shape is {table.shape}")
    return table


def _chain(owner: str, P: Any) -> Array:
    table = _square(owner, "P", P)
    off = np.abs(table.sum(axis=1) - 1)
    if off.max() > ROUNDING:
        row = int(off.argmax())
        raise DataError(
            f"{owner}: the rows of a transition matrix sum to 1; row {row} sums to {table[row].sum():g}; "
            "random_walk(W) makes one of weights"
        )
    return table


@checked()
def random_walk(affinity: Rows) -> Array:
    """The transition matrix of the random walk on a weighted graph.

    P = D^-1 W,    d_i = sum_j w_ij

    >>> random_walk([[0.0, 3.0, 1.0], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).tolist()
    [[0.0, 0.75, 0.25], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    W = _square("random_walk", "affinity", affinity)
    degree = W.sum(axis=1)
    if not (degree > 0).all():
        raise DataError(f"random_walk: row {int(degree.argmin())} of affinity has no weight, so no step leaves it")
    return np.asarray(W / degree[:, None])


@checked()
def stationary_distribution(P: Rows) -> Array:
    """The stationary distribution of a Markov chain with one closed class: pi with pi'P = pi' and sum 1.

    For the random walk on a graph, pi is proportional to the degrees.

    >>> stationary_distribution([[0.5, 0.5], [0.25, 0.75]]).round(6).tolist()
    [0.333333, 0.666667]
    """
    table = _chain("stationary_distribution", P)
    n = len(table)
    system = np.vstack([table.T - np.eye(n), np.ones(n)])
    found, _, rank, _ = interruptibly(np.linalg.lstsq, system, np.append(np.zeros(n), 1.0), rcond=None)
    if rank < n:
        raise DataError(
            "stationary_distribution: the chain has several closed classes, and so several stationary distributions; "
            "give one connected component"
        )
    return np.asarray(np.maximum(found, 0.0) / np.maximum(found, 0.0).sum())


@checked()
def detailed_balance(P: Rows, stationary: Rows | None = None) -> float:
    """How far a chain is from reversible: the largest violation of detailed balance, 0 for a random walk on a graph.

    max over i, j    |pi_i P_ij - pi_j P_ji|

    >>> detailed_balance([[0.5, 0.5], [0.25, 0.75]]) < 1e-12
    True
    """
    table = _chain("detailed_balance", P)
    pi = stationary_distribution(table) if stationary is None else np.asarray(stationary, dtype=np.float64)
    if pi.shape != (len(table),):
        raise DataError(f"detailed_balance: stationary must have an entry for each of the {len(table)} states")
    flow = pi[:, None] * table
    return float(np.abs(flow - flow.T).max())


@checked()
def spectral_expansion(P: Rows) -> SpectralExpansion:
    """The eigenvalues and the left and right eigenvectors of a reversible chain.

    Pi^(1/2) P Pi^(-1/2) = sum_k lambda_k u_k u_k' is symmetric;    phi_k = Pi^(-1/2) u_k,  psi_k = Pi^(1/2) u_k

    >>> spectral_expansion([[0.5, 0.5], [0.25, 0.75]]).eigenvalues.round(6).tolist()
    [1.0, 0.25]
    """
    table = _chain("spectral_expansion", P)
    pi = stationary_distribution(table)
    if detailed_balance(table, pi) > ROUNDING * float(pi.max()) or not (pi > 0).all():
        raise DataError(
            "spectral_expansion: the chain is not reversible: pi_i P_ij differs from pi_j P_ji, or a state has "
            "probability 0; random walks on undirected graphs are reversible"
        )
    root = np.sqrt(pi)
    symmetric = root[:, None] * table / root
    values, vectors = interruptibly(np.linalg.eigh, (symmetric + symmetric.T) / 2)
    vectors = upright(vectors[:, ::-1].T).T
    return SpectralExpansion(values[::-1], vectors / root[:, None], vectors * root[:, None], pi)


@checked(t=limits(at_least=0))
def diffusion_distance(P: Rows, t: int = 1) -> Array:
    """Diffusion distances of all states of a reversible chain after `t` steps.

    D_t(i, j)^2 = sum_k (P^t_ik - P^t_jk)^2 / pi_k = sum_k lambda_k^(2t) (phi_k(i) - phi_k(j))^2

    >>> diffusion_distance([[0.5, 0.5], [0.25, 0.75]]).round(4).tolist()
    [[0.0, 0.5303], [0.5303, 0.0]]
    """
    table = _chain("diffusion_distance", P)
    from scipy.spatial.distance import cdist

    profiles = np.linalg.matrix_power(table, t) / np.sqrt(stationary_distribution(table))
    return np.asarray(cdist(profiles, profiles))
