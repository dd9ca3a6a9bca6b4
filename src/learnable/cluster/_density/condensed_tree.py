"""Groups by how long they last: the tree of single linkage, from which groups that are too small fall out.

Going down from all rows together, a group lives until it parts in several that are large enough; rows that leave it in
smaller numbers have fallen out. Merges of one height happen at once: lengthened distances are often equal, and in which
order their merges were found means nothing. Density is one over distance: a group is stable by how much density its
rows see it through, summed over rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...core import Array

DENSEST = 1e200  # of rows that are no distance apart
ROUNDING = 1e-12  # by which stabilities that are equal may differ

Selection = Literal["eom", "leaf"]


@dataclass(frozen=True)
class Condensed:
    """Groups, the first all rows: parent, density where it begins, rows; and of rows the group and when they leave."""

    parent: Array
    birth: Array
    size: Array
    group: Array
    leave: Array

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self.parent)

    def stability(self) -> Array:
        """The sum over the rows of a group of how much density it lasts through."""
        found = np.bincount(self.group, self.leave - self.birth[self.group], self.count)
        inner = np.arange(1, self.count)
        above = self.parent[inner]
        return np.asarray(
            found + np.bincount(above, (self.birth[inner] - self.birth[above]) * self.size[inner], self.count)
        )

    def densest(self) -> Array:
        """The density at which the last rows, or groups, leave each group."""
        found = np.zeros(self.count)
        np.maximum.at(found, self.group, self.leave)
        np.maximum.at(found, self.parent[1:], self.birth[1:])
        return found

    def below(self, chosen: Array) -> Array:
        """The chosen group that each group is in, the highest one; -1 if none."""
        inside = np.where(chosen, np.arange(self.count), -1)
        for k in range(1, self.count):
            if inside[self.parent[k]] >= 0:
                inside[k] = inside[self.parent[k]]
        return inside


def condensed(merges: Array, least: int) -> Condensed:
    """The tree of merges with groups of at least so many rows."""
    rows = len(merges) + 1
    children: list[list[int]] = merges[:, :2].astype(np.int64).tolist()
    sizes = np.append(np.ones(rows), merges[:, 3]).astype(np.int64).tolist()
    density = np.where(merges[:, 2] > 1 / DENSEST, 1 / np.maximum(merges[:, 2], 1 / DENSEST), DENSEST).tolist()
    owner, fallen = [0] * (2 * rows - 1), [-1.0] * (2 * rows - 1)
    parent, birth, size = [-1], [0.0], [rows]
    for merge, pieces in _at_once(children, density):
        node = rows + merge
        large = [piece for piece in pieces if sizes[piece] >= least]
        for piece in pieces:
            owner[piece] = owner[node]
            fallen[piece] = density[merge] if fallen[node] < 0 and sizes[piece] < least else fallen[node]
        if fallen[node] >= 0 or len(large) < 2:
            continue
        for piece in large:
            owner[piece] = len(parent)
            parent.append(owner[node])
            birth.append(density[merge])
            size.append(sizes[piece])
    return Condensed(np.array(parent), np.array(birth), np.array(size), np.array(owner[:rows]), np.array(fallen[:rows]))


def _at_once(children: list[list[int]], density: list[float]) -> Iterator[tuple[int, list[int]]]:
    """The last of the merges of one height in each place, the highest first, and all pieces that it brings together."""
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
class Choice:
    """Which groups of a condensed tree count: the most stable ones, or those that do not part any more (leaf).

    Groups of more than `most` rows do not count; groups that begin at a distance below `epsilon` count as the first one
    above them that begins beyond it. All rows together are a group only if `whole`.
    """

    method: Selection
    whole: bool
    most: float
    epsilon: float

    def of(self, tree: Condensed) -> Array:
        """Whether each group counts; none of these is in another."""
        if tree.count == 1:
            return np.array([self.whole])
        chosen = self._leaves(tree) if self.method == "leaf" else self._most_stable(tree)
        if self.epsilon > 0 and not (self.whole and chosen[0]):
            chosen = self._beyond(tree, chosen)
        return chosen

    def _leaves(self, tree: Condensed) -> Array:
        leaves = np.ones(tree.count, dtype=bool)
        leaves[tree.parent[1:]] = False
        return leaves

    def _most_stable(self, tree: Condensed) -> Array:
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

    def _beyond(self, tree: Condensed, chosen: Array) -> Array:
        """The chosen groups, raised to those that begin beyond epsilon."""
        raised = np.zeros(tree.count, dtype=bool)
        for k in np.flatnonzero(chosen).tolist():
            while tree.birth[k] * self.epsilon > 1 and (tree.parent[k] > 0 or self.whole):
                k = int(tree.parent[k])
            raised[k] = True
        return np.asarray(raised & (tree.below(raised) == np.arange(tree.count)))


def labelled(tree: Condensed, choice: Choice) -> tuple[Array, Array]:
    """The group of each row, -1 for those in none, and how firmly it is in it, from 0 to 1."""
    chosen = choice.of(tree)
    inside = tree.below(chosen)[tree.group]
    if chosen[0]:  # one group of all rows, but for those that leave it early
        limit = 1 / choice.epsilon if choice.epsilon > 0 else tree.densest()[0]
        inside = np.where(tree.leave >= limit, inside, -1)
    number = np.cumsum(chosen) - 1
    labels = np.where(inside >= 0, number[np.maximum(inside, 0)], -1)
    densest = tree.densest()[np.maximum(inside, 0)]
    share = np.divide(np.minimum(tree.leave, densest), densest, where=densest > 0, out=np.ones(len(labels)))
    return labels, np.where(labels >= 0, share, 0.0)
