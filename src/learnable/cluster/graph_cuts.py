"""Graph cuts: cut, ratio cut, its spectral lower bound, and graph Laplacians."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Column, Rows, checked, limits
from ..core.validate.features import FeatureValidator, Matrix
from ..engines.algebra.eigen import leading_eigenpairs
from ..engines.algebra.laplacian import Kind, laplacian
from ..engines.time_budget import within_budget


def _graph(owner: str, affinity: Any) -> Matrix:
    W, _ = FeatureValidator(owner, sparse=True, storage="csr").matrix(affinity)
    return check_graph(owner, W)


def check_graph(owner: str, W: Matrix) -> Matrix:
    """An affinity matrix, checked: square, symmetric and non-negative."""
    if W.shape[0] != W.shape[1]:
        raise DataError(f"{owner}: affinity must be a square matrix; its shape is {W.shape}")
    if W.min() < 0 or abs(W - W.T).max() > 1e-8 * abs(W).max():
        raise DataError(f"{owner}: affinity must be symmetric and non-negative; (W + W.T) / 2 makes it symmetric")
    return W


def _cut_weights(owner: str, affinity: Any, labels: Any) -> tuple[Array, Array]:
    """The weight of the edges that leave each cluster, and its number of rows."""
    W = _graph(owner, affinity)
    if len(labels) != W.shape[0]:
        raise DataError(f"{owner}: labels must have an entry for each of the {W.shape[0]} rows; it has {len(labels)}")
    code = np.unique(np.asarray(labels), return_inverse=True)[1]
    indicators = np.eye(code.max() + 1)[code]
    inside = indicators.T @ (W @ indicators)
    return inside.sum(axis=1) - np.diag(inside), indicators.sum(axis=0)


@checked()
def cut_value(affinity: Rows, labels: Column) -> float:
    """The cut of a graph: weight of all edges between different clusters, each counted once.

    cut = 1/2 sum_k cut(A_k, rest),    cut(A, B) = sum of w_ij over i in A, j in B

    >>> cut_value([[0, 3, 1], [3, 0, 0], [1, 0, 0]], [0, 0, 1])
    1.0
    """
    leaving, _ = _cut_weights("cut_value", affinity, labels)
    return float(leaving.sum() / 2)


@checked()
def ratio_cut(affinity: Rows, labels: Column) -> float:
    """The ratio cut of a graph: cut weight of each cluster over its size, which penalises small clusters.

    RatioCut = 1/2 sum_k cut(A_k, rest) / |A_k|

    >>> ratio_cut([[0, 3, 1], [3, 0, 0], [1, 0, 0]], [0, 0, 1])
    0.75
    """
    leaving, size = _cut_weights("ratio_cut", affinity, labels)
    return float((leaving / size).sum() / 2)


@checked(n_clusters=limits(at_least=1))
def ratio_cut_bound(affinity: Any, n_clusters: int) -> float:
    """Lower bound of the ratio cut into `n_clusters` clusters: half the sum of the smallest eigenvalues of L.

    1/2 sum of the k smallest eigenvalues of D - W  <=  RatioCut of any k clusters

    Equality holds if the cluster indicators are eigenvectors; spectral clustering approximates that.

    >>> ratio_cut_bound([[0, 3, 1], [3, 0, 0], [1, 0, 0]], 2) <= 0.75
    True
    """
    W = _graph("ratio_cut_bound", affinity)
    if not 1 <= n_clusters <= W.shape[0]:
        raise ParameterError(
            f"ratio_cut_bound: n_clusters must be from 1 to {W.shape[0]}, the number of rows; got {n_clusters}"
        )
    L = laplacian(W)
    scale = 2 * float(L.diagonal().max())
    with within_budget():
        found = leading_eigenpairs(-L, n_clusters, np.random.default_rng(0), 1e-9 * max(scale, 1e-300))
    return float(np.maximum(-found.values, 0.0).sum() / 2)


@checked()
def graph_laplacian(affinity: Any, kind: Kind = "plain") -> Matrix:
    """The Laplacian of a graph: D - W (plain), D^-1/2 (D - W) D^-1/2 (symmetric) or D^-1 (D - W) (random walk).

    v'Lv = sum over edges of w_ij (v_i - v_j)^2,    D = diag(sum_j w_ij)

    >>> graph_laplacian([[0, 1], [1, 0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    return laplacian(_graph("graph_laplacian", affinity), kind)
