"""Weakest-link pruning: the subtrees of a tree that are best for a price on leaves."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from ..core.data import Array
from .trees import Tree


@dataclass
class WeakestLinks:
    """Nodes turned into leaves one by one, always the one that costs least impurity per leaf saved.

    g(t) = (R(t) - R(T_t)) / (|T_t| - 1), R the impurity times the share of the weight. [Breiman et al., 1984]
    """

    tree: Tree
    leaf: Array = field(init=False)
    impurity: float = field(init=False)

    def __post_init__(self) -> None:
        tree = self.tree
        self._own = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        self._below, self._leaves = self._own.copy(), np.ones(tree.node_count)
        for node in range(tree.node_count - 1, -1, -1):  # children come after their parents
            left, right = tree.children_left[node], tree.children_right[node]
            if left >= 0:
                self._below[node] = self._below[left] + self._below[right]
                self._leaves[node] = self._leaves[left] + self._leaves[right]
        self._above = tree.parents()
        self.leaf = tree.children_left < 0
        self.impurity = float(self._below[0])
        self._links = [(self._price(node), node) for node in np.flatnonzero(~self.leaf).tolist()]
        heapq.heapify(self._links)

    def _price(self, node: int) -> float:
        return float((self._own[node] - self._below[node]) / (self._leaves[node] - 1))

    def weakest(self) -> tuple[float, int] | None:
        """The price and the node of the next cut; None if only the first node is left."""
        while self._links:
            price, node = self._links[0]
            if not self.leaf[node] and not self._gone(node) and price == self._price(node):
                return price, node
            heapq.heappop(self._links)
        return None

    def _gone(self, node: int) -> bool:
        above = self._above[node]
        while above >= 0:
            if self.leaf[above]:
                return True
            above = self._above[above]
        return False

    def cut(self, node: int) -> None:
        """Make a leaf of a node."""
        impurity, leaves = self._own[node] - self._below[node], self._leaves[node] - 1
        self.leaf[node] = True
        above = self._above[node]
        while above >= 0:
            self._below[above] += impurity
            self._leaves[above] -= leaves
            heapq.heappush(self._links, (self._price(above), int(above)))
            above = self._above[above]
        self.impurity += float(impurity)

    def kept(self) -> Tree:
        """The tree that is left."""
        keep = np.ones(self.tree.node_count, dtype=bool)
        for node in range(1, self.tree.node_count):
            above = self._above[node]
            keep[node] = keep[above] and not self.leaf[above]
        return self.tree.pruned(keep)


def pruned(tree: Tree, price: float) -> Tree:
    """The smallest subtree that is best if a leaf costs `price`."""
    links = WeakestLinks(tree)
    while (next_link := links.weakest()) is not None and next_link[0] <= price:
        links.cut(next_link[1])
    return links.kept()


def pruning_path(tree: Tree) -> tuple[Array, Array]:
    """The prices at which the best subtree changes, from zero, and its impurity from there on."""
    links = WeakestLinks(tree)
    prices, impurities = [0.0], [links.impurity]
    while (next_link := links.weakest()) is not None:
        links.cut(next_link[1])
        prices.append(next_link[0])
        impurities.append(links.impurity)
    return np.array(prices), np.array(impurities)
