"""Weakest-link pruning: the subtrees of a tree that are best for a price on leaves."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from ....core.validate.features import Array
from ..tree import Tree
from .pruned_tree import Cuts


@dataclass
class WeakestLinks(Cuts):
    """Nodes turned into leaves one by one, always the one that costs least impurity per leaf saved.

    g(t) = (R(t) - R(T_t)) / (|T_t| - 1), R the impurity times the share of the weight. [Breiman et al., 1984]
    """

    impurity: float = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        tree = self.tree
        self._own = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        self._below, self._leaves = np.where(self.leaf, self._own, 0.0), self.leaf.astype(float)
        for node in range(tree.node_count - 1, 0, -1):  # children come after their parents
            self._below[self.above[node]] += self._below[node]
            self._leaves[self.above[node]] += self._leaves[node]
        self.impurity = float(self._below[0])
        self._links = [(self._price(node), node) for node in np.flatnonzero(~self.leaf).tolist()]
        heapq.heapify(self._links)

    def _price(self, node: int) -> float:
        return float((self._own[node] - self._below[node]) / (self._leaves[node] - 1))

    def weakest(self) -> tuple[float, int] | None:
        """The price and the node of the next cut; None if only the first node is left."""
        while self._links:
            price, node = self._links[0]
            if self.is_there(node) and price == self._price(node):
                return price, node
            heapq.heappop(self._links)
        return None

    def cut(self, node: int) -> None:
        """Make a leaf of a node."""
        impurity, leaves = self._own[node] - self._below[node], self._leaves[node] - 1
        self.leaf[node] = True
        for above in self.ways_up(node):
            self._below[above] += impurity
            self._leaves[above] -= leaves
            heapq.heappush(self._links, (self._price(above), above))
        self.impurity += float(impurity)


def pruned(tree: Tree, price: float) -> Tree:
    """The smallest subtree that is best if a leaf costs `price`."""
    links = WeakestLinks(tree)
    while (next_link := links.weakest()) is not None and next_link[0] <= price:
        links.cut(next_link[1])
    kept: Tree = links.kept()
    return kept


def pruning_path(tree: Tree) -> tuple[Array, Array]:
    """The prices at which the best subtree changes, from zero, and its impurity from there on."""
    links = WeakestLinks(tree)
    prices, impurities = [0.0], [links.impurity]
    while (next_link := links.weakest()) is not None:
        links.cut(next_link[1])
        prices.append(next_link[0])
        impurities.append(links.impurity)
    return np.array(prices), np.array(impurities)
