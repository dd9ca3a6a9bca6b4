"""Minimal cost-complexity pruning: the sequence of subtrees that are optimal for a cost alpha per leaf."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from ....core.validate.features import Array
from ..tree import Tree
from .pruned_tree import PruningState


@dataclass
class WeakestLinkPruning(PruningState):
    """Weakest-link pruning: nodes become leaves in order of the impurity increase per leaf removed.

    g(t) = (R(t) - R(T_t)) / (|T_t| - 1), R the impurity times the fraction of the weight. [Breiman et al., 1984]
    """

    impurity: float = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        tree = self.tree
        self._own = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        self._below, self._leaves = np.where(self.leaf, self._own, 0.0), self.leaf.astype(float)
        for node in range(tree.node_count - 1, 0, -1):  # children come after their parents
            self._below[self.parent[node]] += self._below[node]
            self._leaves[self.parent[node]] += self._leaves[node]
        self.impurity = float(self._below[0])
        self._links = [(self._effective_alpha(node), node) for node in np.flatnonzero(~self.leaf).tolist()]
        heapq.heapify(self._links)

    def _effective_alpha(self, node: int) -> float:
        return float((self._own[node] - self._below[node]) / (self._leaves[node] - 1))

    def weakest(self) -> tuple[float, int] | None:
        """The effective alpha and the node of the weakest link; None if only the root is left."""
        while self._links:
            alpha, node = self._links[0]
            if self.is_split(node) and alpha == self._effective_alpha(node):
                return alpha, node
            heapq.heappop(self._links)
        return None

    def cut(self, node: int) -> None:
        """Turn a node into a leaf."""
        impurity, leaves = self._own[node] - self._below[node], self._leaves[node] - 1
        self.leaf[node] = True
        for ancestor in self.ancestors(node):
            self._below[ancestor] += impurity
            self._leaves[ancestor] -= leaves
            heapq.heappush(self._links, (self._effective_alpha(ancestor), ancestor))
        self.impurity += float(impurity)


def prune_by_cost_complexity(tree: Tree, ccp_alpha: float) -> Tree:
    """The smallest subtree that minimises impurity + `ccp_alpha` x number of leaves."""
    links = WeakestLinkPruning(tree)
    while (next_link := links.weakest()) is not None and next_link[0] <= ccp_alpha:
        links.cut(next_link[1])
    smaller: Tree = links.pruned_tree()
    return smaller


def pruning_path(tree: Tree) -> tuple[Array, Array]:
    """The effective alphas at which the optimal subtree changes, from zero, and the impurity of each subtree."""
    links = WeakestLinkPruning(tree)
    alphas, impurities = [0.0], [links.impurity]
    while (next_link := links.weakest()) is not None:
        links.cut(next_link[1])
        alphas.append(next_link[0])
        impurities.append(links.impurity)
    return np.array(alphas), np.array(impurities)
