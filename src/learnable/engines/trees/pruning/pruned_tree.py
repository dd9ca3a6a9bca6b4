"""Base class of pruning methods: nodes turned into leaves, one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....core.validate.features import Array


@dataclass
class PruningState:
    """A tree and which of its nodes are leaves so far; the nodes below a leaf are pruned."""

    tree: Any
    leaf: Array = field(init=False)
    parent: Array = field(init=False)

    def __post_init__(self) -> None:
        self.parent = self.tree.parents()
        self.leaf = np.ones(self.tree.node_count, dtype=bool)
        self.leaf[self.parent[1:]] = False

    def ancestors(self, node: int) -> list[int]:
        """The ancestors of a node, from its parent to the root."""
        found, ancestor = [], int(self.parent[node])
        while ancestor >= 0:
            found.append(ancestor)
            ancestor = int(self.parent[ancestor])
        return found

    def is_split(self, node: int) -> bool:
        """Whether a node is still an inner node."""
        return not self.leaf[node] and not any(self.leaf[ancestor] for ancestor in self.ancestors(node))

    def pruned_tree(self) -> Any:
        """The pruned tree."""
        keep = np.ones(self.tree.node_count, dtype=bool)
        for node in range(1, self.tree.node_count):  # children come after their parents
            keep[node] = keep[self.parent[node]] and not self.leaf[self.parent[node]]
        return self.tree.pruned(keep)
