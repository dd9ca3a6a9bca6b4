"""Groups from a table of merges: the merges are undone from the last one on until enough groups are there."""

from __future__ import annotations

from heapq import heappush, heappushpop
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import checked, limits
from ..core.validate.features import FeatureValidator


def groups_below(children: Array, count: int) -> Array:
    """The group of each row when the last `count` - 1 merges are undone; `children` names the two groups of each merge.

    >>> groups_below(np.array([[0, 1], [2, 3], [4, 5]]), 2).tolist()
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


def rising(children: Array, heights: Array) -> tuple[Array, Array]:
    """The same tree with merges in the order of the highest merge inside each, and these heights.

    Centroids and midpoints may merge lower than a merge before them: a group is then as high as its highest merge.

    >>> merges = np.array([[0, 1], [2, 4], [3, 5]])
    >>> [part.tolist() for part in rising(merges, np.array([1.0, 3.0, 2.0]))]
    [[[0, 1], [2, 4], [3, 5]], [1.0, 3.0, 3.0]]
    """
    if (np.diff(heights) >= 0).all():
        return children, heights
    rows, highest = len(children) + 1, np.append(np.zeros(len(children) + 1), heights)
    for merge, (left, right) in enumerate(children.tolist()):
        highest[rows + merge] = max(highest[left], highest[right], highest[rows + merge])
    order = np.argsort(highest[rows:], kind="stable")  # a merge stays behind those inside it, which are no higher
    number = np.arange(2 * rows - 1)
    number[rows + order] = np.arange(rows, 2 * rows - 1)
    return number[children[order]], highest[rows + order]


def table_of_merges(owner: str, merges: Any) -> Array:
    """A table of merges, checked: two groups that are there and in no other merge, their distance, and their rows."""
    table, _ = FeatureValidator(owner).matrix(merges)
    groups = table[:, :2]
    known = table.shape[1] == 4 and (groups < len(table) + 1 + np.arange(len(table))[:, None]).all()
    if not known or not np.array_equal(np.sort(groups, axis=None), np.arange(2 * len(table))):
        raise DataError(
            f"{owner}: merges must be a table as linkage returns it: two groups of which each merges once, their "
            "distance, and how many rows they have"
        )
    return np.asarray(table)


@checked(n_clusters=limits(at_least=1))
def cut_linkage(merges: Any, n_clusters: int | None = None, height: float | None = None) -> Array:
    """The group of each row in a table of merges: as many as wanted, or those that merge up to a height.

    Groups are numbered by their first rows. `n_clusters` undoes the last merges; a `height` undoes all merges above it
    and what merged with those, also where centroids merged lower than before.

    >>> from learnable.cluster import linkage
    >>> cut_linkage(linkage([[0.0], [1.0], [6.0], [9.0]]), n_clusters=2).tolist()
    [0, 0, 1, 1]
    >>> cut_linkage(linkage([[0.0], [1.0], [6.0], [9.0]]), height=2.0).tolist()
    [0, 0, 1, 2]
    """
    table = table_of_merges("cut_linkage", merges)
    if (n_clusters is None) == (height is None):
        raise ParameterError("cut_linkage: give either n_clusters or height")
    children, count = table[:, :2].astype(np.int64), n_clusters
    if count is None:
        children, heights = rising(children, table[:, 2])
        count = int((heights > height).sum()) + 1
    if not 1 <= count <= len(table) + 1:
        raise ParameterError(f"cut_linkage: n_clusters must be from 1 to {len(table) + 1}, the rows; got {count}")
    _, first, code = np.unique(groups_below(children, count), return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[code])
