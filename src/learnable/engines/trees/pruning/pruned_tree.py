"""Trees that are cut back: nodes turned into leaves, one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....core.validate.features import Array


@dataclass
class Cuts:
    """A tree and which of its nodes are leaves by now; what is below a leaf is gone."""

    tree: Any
    leaf: Array = field(init=False)
    above: Array = field(init=False)

    def __post_init__(self) -> None:
        self.above = self.tree.parents()
        self.leaf = np.ones(self.tree.node_count, dtype=bool)
        self.leaf[self.above[1:]] = False

    def ways_up(self, node: int) -> list[int]:
        """The nodes above one, from the nearest to the first."""
        found, above = [], int(self.above[node])
        while above >= 0:
            found.append(above)
            above = int(self.above[above])
        return found

    def is_there(self, node: int) -> bool:
        """Whether a node still divides."""
        return not self.leaf[node] and not any(self.leaf[above] for above in self.ways_up(node))

    def kept(self) -> Any:
        """The tree that is left."""
        keep = np.ones(self.tree.node_count, dtype=bool)
        for node in range(1, self.tree.node_count):  # children come after their parents
            keep[node] = keep[self.above[node]] and not self.leaf[self.above[node]]
        return self.tree.pruned(keep)
