"""A fitted binary decision tree as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.declare import registry
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ...core.validate.targets import is_sparse
from .binary_nodes import BinaryNodes
from .nodes import ColumnNodes
from .split_conditions import Condition, OneOf, Range
from .tree_checks import flaw_of_arrays, flaw_of_children, flaw_of_ranges, flaw_of_statistics, flaw_of_values

KINDS = {
    "children_left": np.int32, "children_right": np.int32, "feature": np.int32, "threshold": np.float64,
    "missing_go_to_left": np.uint8,
}  # fmt: skip


@registry.value
@dataclass(frozen=True)
class Tree(BinaryNodes, ColumnNodes):
    """A fitted tree as arrays with an entry for each node; a child of -1 marks a leaf.

    A row goes left if its value is at most the threshold, or its category is in the set of the node: bit c of the words
    from `set_start[node]` to `set_start[node + 1]` for category c. Missing values go left where `missing_go_to_left`.
    """

    children_left: Array
    children_right: Array
    feature: Array
    threshold: Array
    missing_go_to_left: Array
    set_start: Array
    set_words: Array
    impurity: Array
    n_node_samples: Array
    weighted_n_node_samples: Array
    value: Array

    def flaw(self) -> str:
        """The defect of a tree read from a file; empty if it is valid."""
        count = len(self.children_left)
        return (
            flaw_of_arrays(vars(self), KINDS, count)
            or flaw_of_children(self.children_left, self.children_right, np.array([0, count]))
            or flaw_of_ranges(self.set_start, len(self.set_words))
            or flaw_of_arrays(vars(self), {"set_words": np.uint64}, len(self.set_words))
            or ("" if len(self.set_start) == count + 1 else "every node needs a set of categories")
            or flaw_of_statistics(vars(self), count)
            or flaw_of_values(self.value, count, 3)
            or ("" if (self.feature[self.children_left >= 0] >= 0).all() else "a split has no column")
        )

    def apply(self, X: Any) -> Array:
        """The leaf of each row."""
        if is_sparse(X):
            X = np.ascontiguousarray(X.toarray(), dtype=np.float64)
        leaf = np.empty(len(X), dtype=np.int64)
        kernels.find_leaves(
            self.children_left,
            self.children_right,
            self.feature,
            self.threshold,
            self.missing_go_to_left,
            self.set_start,
            self.set_words,
            X,
            leaf,
        )
        return leaf

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return int(self.value.shape[1])

    @property
    def max_n_classes(self) -> int:
        """Number of classes of the target that has most; 1 in regression."""
        return int(self.value.shape[2])

    @property
    def n_classes(self) -> Array:
        """Number of classes that are counted for each target; 1 in regression."""
        return np.full(self.n_outputs, self.max_n_classes)

    def branches(self, node: int) -> list[tuple[int, Condition]]:
        """The children of a node, each with the condition that leads to it."""
        left, right = int(self.children_left[node]), int(self.children_right[node])
        if left < 0:
            return []
        column, words = int(self.feature[node]), self.set_words[self.set_start[node] : self.set_start[node + 1]]
        missing = bool(self.missing_go_to_left[node])
        if len(words) == 0:
            cut = float(self.threshold[node])
            return [
                (left, Range(column, high=cut, missing=missing)),
                (right, Range(column, low=cut, missing=not missing)),
            ]
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        inside = frozenset(np.flatnonzero(bits).tolist())
        return [(left, OneOf(column, inside, False, missing)), (right, OneOf(column, inside, True, not missing))]

    def pruned(self, keep: Array) -> Tree:
        """The tree without the nodes outside `keep`, whose parents become leaves; the order of nodes stays."""
        new_index = np.cumsum(keep) - 1
        inner = keep & (self.children_left >= 0)
        inner[inner] = keep[self.children_left[inner]]
        left, right = (
            np.where(inner, new_index[children], -1)[keep].astype(np.int32)
            for children in (self.children_left, self.children_right)
        )
        words = [self.set_words[a:b] for a, b in zip(self.set_start[:-1], self.set_start[1:], strict=True)]
        sets = [word if splits else word[:0] for word, splits in zip(words, inner, strict=True)]
        sets = [word for word, kept in zip(sets, keep, strict=True) if kept]
        return Tree(
            left,
            right,
            np.where(inner, self.feature, -2)[keep].astype(np.int32),
            np.where(inner, self.threshold, -2.0)[keep],
            np.where(inner, self.missing_go_to_left, 0)[keep].astype(np.uint8),
            np.cumsum([0, *map(len, sets)]).astype(np.int64),
            np.concatenate(sets).astype(np.uint64),
            self.impurity[keep],
            self.n_node_samples[keep],
            self.weighted_n_node_samples[keep],
            self.value[keep],
        )
