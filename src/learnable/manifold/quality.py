"""Measures of how well a map keeps the neighbourhoods of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ._faithfulness import Faithfulness, check_rows, distance_blocks, faithfulness_report, penalties


def _tables(owner: str, X: Any, X_embedded: Any) -> tuple[Matrix, Array]:
    given, _ = FeatureValidator(owner, sparse=True, storage="csr").matrix(X)
    found, _ = FeatureValidator(owner).matrix(X_embedded)
    return given, found


@checked(n_neighbors=limits(at_least=1))
def trustworthiness(X: Rows, X_embedded: Rows, *, n_neighbors: int = 5, metric: Any = "euclidean") -> float:
    """Trustworthiness.

    Whether neighbours in an embedding are neighbours in the data, 1 if all are, about 0.5 for a random embedding.

    T = 1 - 2 / (n k (2n - 3k - 1)) sum_i sum_{j in map neighbours of i} max(0, r(i, j) - k)

    r(i, j) is the rank of j by the distance of row i. [Venna and Kaski, 2001]

    >>> trustworthiness([[0.0], [1.0], [2.0], [3.0]], [[0.0], [1.0], [2.0], [3.0]], n_neighbors=1)
    1.0
    """
    given, found = _tables("trustworthiness", X, X_embedded)
    check_rows("trustworthiness", given, found, n_neighbors)
    return float(penalties(given, found, n_neighbors, metric).mean())


@checked(n_neighbors=limits(at_least=1))
def continuity(X: Rows, X_embedded: Rows, *, n_neighbors: int = 5, metric: Any = "euclidean") -> float:
    """Continuity: whether neighbours in the data are neighbours in an embedding, 1 if all are.

    C = 1 - 2 / (n k (2n - 3k - 1)) sum_i sum_{j in neighbours of i} max(0, s(i, j) - k)

    s(i, j) is the rank of j by the distance from i in the map. [Venna and Kaski, 2001]

    >>> continuity([[0.0], [1.0], [2.0], [3.0]], [[0.0], [1.0], [2.0], [3.0]], n_neighbors=1)
    1.0
    """
    given, found = _tables("continuity", X, X_embedded)
    check_rows("continuity", given, found, n_neighbors)
    return float(penalties(found, given, n_neighbors, "euclidean", metric).mean())


@checked()
def coranking_matrix(X: Rows, X_embedded: Rows, *, metric: Any = "euclidean") -> Array:
    """The co-ranking matrix of a map: how many pairs of rows have rank k in the data and rank l in the map.

    Q_kl = number of (i, j) with r(i, j) = k and s(i, j) = l,  k, l = 1 ... n - 1

    A perfect map has n on the diagonal. [Lee and Verleysen, 2009]

    >>> coranking_matrix([[0.0], [1.0], [3.0]], [[0.0], [1.0], [3.0]]).tolist()
    [[3, 0], [0, 3]]
    """
    given, found = _tables("coranking_matrix", X, X_embedded)
    check_rows("coranking_matrix", given, found, 0)
    n = len(found)
    counts = np.zeros((n - 1) ** 2, dtype=np.int64)
    for (block, one), (_, other) in zip(
        distance_blocks(given, metric), distance_blocks(found, "euclidean"), strict=True
    ):
        codes = _ranks(one, block.start) * (n - 1) + _ranks(other, block.start)
        counts += np.bincount(codes.ravel(), minlength=len(counts))
    return counts.reshape(n - 1, n - 1)


def _ranks(table: Array, first: int) -> Array:
    """The rank of every other row by the distances of each row, from 0 on, in the order of the rows."""
    n = table.shape[1]
    others = table[np.arange(n) != (first + np.arange(len(table)))[:, None]].reshape(len(table), n - 1)
    order = np.argsort(others, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(n - 1), axis=1)
    return ranks


@checked(n_neighbors=limits(at_least=1))
def faithfulness(X: Rows, X_embedded: Rows, *, n_neighbors: int = 12, metric: Any = "euclidean") -> Faithfulness:
    """The report on a map: trustworthiness and continuity with intervals, stress, correlation of distances.

    stress^2 = min over c    sum (d_ij - c e_ij)^2 / sum d_ij^2,    distances d of the rows, e in the map

    Intervals are of 95 %, by a jackknife: each tenth of the rows is left out once.

    >>> faithfulness([[0.0], [1.0], [2.0], [4.0]], [[0.0], [2.0], [4.0], [8.0]]).stress
    0.0
    """
    given, found = _tables("faithfulness", X, X_embedded)
    check_rows("faithfulness", given, found, 0)
    return faithfulness_report(given, found, metric, n_neighbors)
