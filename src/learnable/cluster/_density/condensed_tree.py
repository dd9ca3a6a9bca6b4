"""The condensed tree of HDBSCAN: the single-linkage tree without clusters that are too small, and its stabilities.

Going down from the root, a cluster lives until it splits into several that are large enough; smaller pieces are rows
that leave it. Merges of one height are one split: mutual reachability distances are often equal, and the order in which
their merges were found has no meaning. The density level is one over the distance (lambda): the stability of a cluster
is the sum over its rows of the range of levels for which they belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...core import Array

DENSEST = 1e200  # density level of rows at distance zero
ROUNDING = 1e-12  # relative difference of stabilities that count as equal

Selection = Literal["eom", "leaf"]


@dataclass(frozen=True)
class CondensedTree:
    """Clusters (parent, birth level, size), the first is the root; last cluster and leaving level of each row."""

    parent: Array
    birth: Array
    size: Array
    cluster: Array
    leave: Array

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.parent)

    def stability(self) -> Array:
        """The stability of each cluster: sum over its rows of leaving level minus birth level."""
        found = np.bincount(self.cluster, self.leave - self.birth[self.cluster], self.count)
        inner = np.arange(1, self.count)
        above = self.parent[inner]
        return np.asarray(
            found + np.bincount(above, (self.birth[inner] - self.birth[above]) * self.size[inner], self.count)
        )

    def densest(self) -> Array:
        """The highest level at which rows or child clusters leave each cluster."""
        found = np.zeros(self.count)
        np.maximum.at(found, self.cluster, self.leave)
        np.maximum.at(found, self.parent[1:], self.birth[1:])
        return found

    def below(self, chosen: Array) -> Array:
        """The topmost selected cluster that contains each cluster; -1 if none."""
        inside = np.where(chosen, np.arange(self.count), -1)
        for k in range(1, self.count):
            if inside[self.parent[k]] >= 0:
                inside[k] = inside[self.parent[k]]
        return inside


def condense_tree(merges: Array, min_size: int) -> CondensedTree:
    """The condensed tree of a linkage matrix, with clusters of at least `min_size` rows."""
    rows = len(merges) + 1
    children: list[list[int]] = merges[:, :2].astype(np.int64).tolist()
    sizes = np.append(np.ones(rows), merges[:, 3]).astype(np.int64).tolist()
    density = np.where(merges[:, 2] > 1 / DENSEST, 1 / np.maximum(merges[:, 2], 1 / DENSEST), DENSEST).tolist()
    owner, fallen = [0] * (2 * rows - 1), [-1.0] * (2 * rows - 1)
    parent, birth, size = [-1], [0.0], [rows]
    for merge, pieces in _splits(children, density):
        node = rows + merge
        large = [piece for piece in pieces if sizes[piece] >= min_size]
        for piece in pieces:
            owner[piece] = owner[node]
            fallen[piece] = density[merge] if fallen[node] < 0 and sizes[piece] < min_size else fallen[node]
        if fallen[node] >= 0 or len(large) < 2:
            continue
        for piece in large:
            owner[piece] = len(parent)
            parent.append(owner[node])
            birth.append(density[merge])
            size.append(sizes[piece])
    return CondensedTree(
        np.array(parent), np.array(birth), np.array(size), np.array(owner[:rows]), np.array(fallen[:rows])
    )


def _splits(children: list[list[int]], density: list[float]) -> Iterator[tuple[int, list[int]]]:
    """Connected merges of one height as one split, the highest first: its last merge, and all pieces it joins."""
    rows, inside = len(children) + 1, [False] * len(children)
    for merge in range(rows - 2, -1, -1):
        if inside[merge]:
            continue
        waiting, pieces = [merge], []
        while waiting:
            for child in children[waiting.pop()]:
                if child >= rows and density[child - rows] == density[merge]:
                    inside[child - rows] = True
                    waiting.append(child - rows)
                else:
                    pieces.append(child)
        yield merge, pieces


@dataclass(frozen=True)
class ClusterSelection:
    """Selection of clusters of a condensed tree: by excess of mass (most stable), or the leaves.

    Clusters of more than `most` rows are not selected; clusters born at a distance below `epsilon` are replaced by
    their first ancestor born beyond it. The root is a cluster only if `whole`.
    """

    method: Selection
    whole: bool
    most: float
    epsilon: float

    def of(self, tree: CondensedTree) -> Array:
        """Mask of the selected clusters; none of these contains another."""
        if tree.count == 1:
            return np.array([self.whole])
        chosen = self._leaves(tree) if self.method == "leaf" else self._most_stable(tree)
        if self.epsilon > 0 and not (self.whole and chosen[0]):
            chosen = self._beyond(tree, chosen)
        return chosen

    def _leaves(self, tree: CondensedTree) -> Array:
        leaves = np.ones(tree.count, dtype=bool)
        leaves[tree.parent[1:]] = False
        return leaves

    def _most_stable(self, tree: CondensedTree) -> Array:
        best, chosen = tree.stability(), np.ones(tree.count, dtype=bool)
        below = np.zeros(tree.count)
        for k in range(tree.count - 1, -1, -1):
            if k == 0 and not self.whole:
                chosen[0] = False
            elif below[k] > best[k] * (1 + ROUNDING) or tree.size[k] > self.most:
                chosen[k], best[k] = False, below[k]
            if k > 0:
                below[tree.parent[k]] += best[k]
        inside = tree.below(chosen)
        return np.asarray(chosen & (inside == np.arange(tree.count)))

    def _beyond(self, tree: CondensedTree, chosen: Array) -> Array:
        """The selected clusters, replaced by their ancestors that are born beyond epsilon."""
        raised = np.zeros(tree.count, dtype=bool)
        for k in np.flatnonzero(chosen).tolist():
            while tree.birth[k] * self.epsilon > 1 and (tree.parent[k] > 0 or self.whole):
                k = int(tree.parent[k])
            raised[k] = True
        return np.asarray(raised & (tree.below(raised) == np.arange(tree.count)))


def label_rows(tree: CondensedTree, choice: ClusterSelection) -> tuple[Array, Array]:
    """The label of each row, -1 for noise, and its membership probability."""
    chosen = choice.of(tree)
    inside = tree.below(chosen)[tree.cluster]
    if chosen[0]:  # one cluster of all rows, but for those that leave it early
        limit = 1 / choice.epsilon if choice.epsilon > 0 else tree.densest()[0]
        inside = np.where(tree.leave >= limit, inside, -1)
    number = np.cumsum(chosen) - 1
    labels = np.where(inside >= 0, number[np.maximum(inside, 0)], -1)
    densest = tree.densest()[np.maximum(inside, 0)]
    probability = np.divide(np.minimum(tree.leave, densest), densest, where=densest > 0, out=np.ones(len(labels)))
    return labels, np.where(labels >= 0, probability, 0.0)
