"""Coordinates of a dendrogram."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Column, checked
from .flat_clusters import check_linkage_matrix


@checked()
def dendrogram(merges: Any, labels: Column | None = None) -> dict[str, Any]:
    """The dendrogram of a linkage matrix: coordinates of the leaves and of the bracket of every merge.

    icoord[k], dcoord[k] = four points: up from the left cluster, across at the height of the merge, down to the right

    Leaves are at 5, 15, 25, ... from left to right; `leaves` are their row indices, `ivl` their labels.
    The names are SciPy's; `learnable.plot.DendrogramDisplay` draws it.

    >>> from learnable.cluster import linkage
    >>> drawn = dendrogram(linkage([[0.0], [5.0], [1.0]]))
    >>> drawn["leaves"], drawn["dcoord"]
    ([1, 0, 2], [[0.0, 1.0, 1.0, 0.0], [0.0, 4.0, 4.0, 1.0]])
    """
    table = check_linkage_matrix("dendrogram", merges)
    rows, children = len(table) + 1, table[:, :2].astype(np.int64)
    names = [str(i) for i in range(rows)] if labels is None else [str(name) for name in labels]
    if len(names) != rows:
        raise DataError(f"dendrogram: labels must name each of the {rows} rows; got {len(names)}")
    leaves, order = _walk(children)
    position, height = np.empty(2 * rows - 1), np.zeros(2 * rows - 1)
    position[leaves] = 5.0 + 10.0 * np.arange(rows)
    across, up = [], []
    height[rows:] = table[:, 2]
    for merge in order:
        left, right = children[merge]
        position[rows + merge] = (position[left] + position[right]) / 2
        top = float(table[merge, 2])
        across.append([float(position[left])] * 2 + [float(position[right])] * 2)
        up.append([float(height[left]), top, top, float(height[right])])
    return {"icoord": across, "dcoord": up, "leaves": leaves, "ivl": [names[i] for i in leaves], "merges": order}


def _walk(children: Array) -> tuple[list[int], list[int]]:
    """The leaves from left to right, and the merges ordered so that both clusters of a merge come before it."""
    rows = len(children) + 1
    leaves: list[int] = []
    order: list[int] = []
    waiting = [2 * rows - 2]
    while waiting:
        node = waiting.pop()
        if node < rows:
            leaves.append(node)
        else:
            order.append(node - rows)
            waiting += [int(children[node - rows, 1]), int(children[node - rows, 0])]
    return leaves, order[::-1]
