"""The groups of new rows by those of the training rows that are nearest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..core import Array, Matrix
from ..engines.neighbours import Comparison, Search
from ..metrics.distances import covariance
from ..neighbors._metrics import column_ranges, comparison, effective


def is_given(metric: Any) -> bool:
    """Whether tables hold distances instead of columns."""
    return isinstance(metric, str) and metric == "precomputed"


def settled(metric: Any, options: dict[str, Any], X: Matrix, owner: str) -> tuple[Any, dict[str, Any]]:
    """A metric with the options that it would take from the rows it compares, so that new rows are compared alike.

    >>> settled("gower", {}, np.array([[0.0], [4.0]]), "KMedoids")
    ('gower', {'ranges': array([4.])})
    """
    if metric == "gower":
        return metric, {"ranges": column_ranges(X), **options}
    if metric not in ("seuclidean", "mahalanobis") or options:
        return metric, options
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    return metric, {"V": np.var(rows, axis=0, ddof=1) if metric == "seuclidean" else covariance(rows, owner)}


def labels_of_known(X: Matrix, known: Matrix, labels: Array, others: Array) -> Array:
    """The labels of rows that equal a known one, the first of equals, and `others` for all other rows.

    A table of what is between rows need not say that a row is near itself: of training rows, what is known counts.

    >>> labels_of_known(np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([[0.0, 2.0]]), np.array([3]), np.array([0, 1]))
    array([3, 1])
    """
    first: dict[bytes, Any] = {}
    for row, label in zip(_contents(known), labels, strict=True):
        first.setdefault(row, label)
    return np.array([first.get(row, label) for row, label in zip(_contents(X), others, strict=True)], others.dtype)


def _contents(X: Matrix) -> Iterator[bytes]:
    """What is in each row."""
    if not hasattr(X, "indptr"):
        yield from (row.tobytes() for row in np.ascontiguousarray(X))
        return
    columns = X.indices.astype(np.int64)
    for begin, end in pairwise(X.indptr.tolist()):
        yield columns[begin:end].tobytes() + X.data[begin:end].tobytes()


def reach_of(X: Matrix, how: Comparison, others: int) -> Array:
    """How far each row is from the last of so many nearest others.

    Rows are compared column by column, as where they are linked: the reach of a row is the length of one of its links,
    and lengths that are equal must be so to the last bit.
    """
    search = Search.of(X, how, "auto" if how.power is None else "kd_tree")
    return np.ascontiguousarray(search.nearest_others(others)[0][:, -1])


def group_of_nearest(
    X: Matrix, rows: Matrix, labels: Array, metric: Any, owner: str, options: dict[str, Any] | None = None
) -> Array:
    """The group of the training row that is nearest to each row of `X`, of equals the first."""
    if is_given(metric):
        return np.asarray(labels[np.argmin(X, axis=1)])
    if callable(metric):
        table = np.asarray(metric(np.vstack([X, rows])))[: len(X), len(X) :]
        return np.asarray(labels[np.argmin(table, axis=1)])
    search = Search.of(rows, comparison(*effective(metric, 2.0, options), rows, owner))
    return np.asarray(labels[search.nearest(X, 1)[1][:, 0]])
