"""Flat clusters from a linkage matrix: the last merges are undone."""

from __future__ import annotations

from heapq import heappush, heappushpop
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import checked, limits
from ..core.validate.features import FeatureValidator


def cut_tree(children: Array, count: int) -> Array:
    """The cluster of each row without the last `count` - 1 merges; `children` has the two clusters of each merge.

    >>> cut_tree(np.array([[0, 1], [2, 3], [4, 5]]), 2).tolist()
    [1, 1, 0, 0]
    """
    rows = len(children) + 1
    tops = [-(2 * rows - 2)]
    for _ in range(count - 1):
        left, right = children[-tops[0] - rows]
        heappush(tops, -int(left))
        heappushpop(tops, -int(right))
    above = np.arange(2 * rows - 1)
    kept = children[: rows - count]
    above[kept[:, 0]] = above[kept[:, 1]] = np.arange(rows, rows + len(kept))
    while (above[above] != above).any():
        above = above[above]
    label = np.empty(2 * rows - 1, dtype=np.int64)
    label[[-top for top in tops]] = np.arange(count)
    return np.asarray(label[above[:rows]])


def make_monotone(children: Array, heights: Array) -> tuple[Array, Array]:
    """The same tree with merges ordered by the highest merge inside each, and these heights.

    Centroid and median linkage have inversions: the height of a cluster is then that of its highest merge.

    >>> merges = np.array([[0, 1], [2, 4], [3, 5]])
    >>> [found.tolist() for found in make_monotone(merges, np.array([1.0, 3.0, 2.0]))]
    [[[0, 1], [2, 4], [3, 5]], [1.0, 3.0, 3.0]]
    """
    if (np.diff(heights) >= 0).all():
        return children, heights
    rows, highest = len(children) + 1, np.append(np.zeros(len(children) + 1), heights)
    for merge, (left, right) in enumerate(children.tolist()):
        highest[rows + merge] = max(highest[left], highest[right], highest[rows + merge])
    order = np.argsort(highest[rows:], kind="stable")  # a merge stays after those inside it, which are not higher
    number = np.arange(2 * rows - 1)
    number[rows + order] = np.arange(rows, 2 * rows - 1)
    return number[children[order]], highest[rows + order]


def check_linkage_matrix(owner: str, merges: Any) -> Array:
    """A linkage matrix, checked: every merge joins two existing clusters that are in no other merge."""
    table, _ = FeatureValidator(owner).matrix(merges)
    merged = table[:, :2]
    known = table.shape[1] == 4 and (merged < len(table) + 1 + np.arange(len(table))[:, None]).all()
    if not known or not np.array_equal(np.sort(merged, axis=None), np.arange(2 * len(table))):
        raise DataError(
            f"{owner}: merges must be a matrix as linkage returns it: two clusters of which each is merged once, "
            "their distance, and their number of rows"
        )
    return np.asarray(table)


@checked(n_clusters=limits(at_least=1))
def cut_linkage(merges: Any, n_clusters: int | None = None, height: float | None = None) -> Array:
    """Flat clusters of a linkage matrix: a given number of clusters, or those merged up to a height.

    Clusters are numbered by their first rows. `n_clusters` undoes the last merges; `height` undoes all merges above it
    and those that contain them, also where centroid linkage has inversions.

    >>> from learnable.cluster import linkage
    >>> cut_linkage(linkage([[0.0], [1.0], [6.0], [9.0]]), n_clusters=2).tolist()
    [0, 0, 1, 1]
    >>> cut_linkage(linkage([[0.0], [1.0], [6.0], [9.0]]), height=2.0).tolist()
    [0, 0, 1, 2]
    """
    table = check_linkage_matrix("cut_linkage", merges)
    if (n_clusters is None) == (height is None):
        raise ParameterError("cut_linkage: give either n_clusters or height")
    children, count = table[:, :2].astype(np.int64), n_clusters
    if count is None:
        children, heights = make_monotone(children, table[:, 2])
        count = int((heights > height).sum()) + 1
    if not 1 <= count <= len(table) + 1:
        raise ParameterError(
            f"cut_linkage: n_clusters must be from 1 to {len(table) + 1}, the number of rows; got {count}"
        )
    _, first, code = np.unique(cut_tree(children, count), return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[code])
