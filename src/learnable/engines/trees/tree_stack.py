"""Trees packed for prediction: forests and boosting sum the leaf values of all trees in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ...core.declare import registry
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from .tree import Tree
from .tree_checks import flaw_of_arrays, flaw_of_children, flaw_of_ranges, flaw_of_values


@registry.value
@dataclass(frozen=True)
class TreeStack:
    """The nodes of several trees one after the other: those of tree t from `start[t]` to `start[t + 1]`.

    Children are numbered from the root of their tree. Where `value` has one column, tree t adds its value to column
    `output[t]` of the score.
    """

    start: Array
    left: Array
    right: Array
    feature: Array
    threshold: Array
    missing_left: Array
    set_start: Array
    set_words: Array
    value: Array
    output: Array

    @classmethod
    def of(cls, trees: Sequence[Tree], output: Sequence[int] | Array | None = None) -> TreeStack:
        """The stack of some trees, at least one; all of their values have the same shape."""
        sizes = [len(tree.feature) for tree in trees]
        words = np.cumsum([0, *(len(tree.set_words) for tree in trees)])
        starts = [tree.set_start[:-1] + before for tree, before in zip(trees, words[:-1], strict=True)]
        return cls(
            np.cumsum([0, *sizes]).astype(np.int64),
            _joined([tree.children_left for tree in trees], np.int32),
            _joined([tree.children_right for tree in trees], np.int32),
            _joined([tree.feature for tree in trees], np.int32),
            _joined([tree.threshold for tree in trees], np.float64),
            _joined([tree.missing_go_to_left for tree in trees], np.uint8),
            _joined([*starts, words[-1:]], np.int64),
            _joined([tree.set_words for tree in trees], np.uint64),
            _joined([tree.value.reshape(len(tree.feature), -1) for tree in trees], np.float64),
            np.zeros(len(trees), dtype=np.int32) if output is None else np.asarray(output, dtype=np.int32),
        )

    def flaw(self) -> str:
        """The defect of a stack read from a file; empty if it is valid."""
        count = len(self.left)
        return (
            flaw_of_arrays(vars(self), KINDS, count)
            or flaw_of_children(self.left, self.right, self.start)
            or flaw_of_ranges(self.set_start, len(self.set_words))
            or flaw_of_arrays(vars(self), {"output": np.int32}, len(self))
            or flaw_of_arrays(vars(self), {"set_words": np.uint64}, len(self.set_words))
            or ("" if len(self.set_start) == count + 1 else "every node needs a set of categories")
            or flaw_of_values(self.value, count, 2)
            or ("" if (self.output >= 0).all() and (self.output <= len(self)).all() else "an output is out of range")
            or ("" if (self.feature[self.left >= 0] >= 0).all() else "a split has no column")
        )

    def __len__(self) -> int:
        return len(self.start) - 1

    def __add__(self, more: TreeStack) -> TreeStack:
        """The trees of both."""
        joined = {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in NODE_ARRAYS}
        start = np.concatenate([self.start, self.start[-1] + more.start[1:]])
        set_start = np.concatenate([self.set_start, self.set_start[-1] + more.set_start[1:]])
        return TreeStack(start=start, set_start=set_start, **joined)

    @cached_property
    def _packed(self) -> Any:
        return kernels.TreeStack(*(getattr(self, field.name) for field in fields(self)))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def sums(self, X: Array, first: int | None = None, after: int = 0) -> Array:
        """The leaf values of each row summed over the `first` trees, or all; without the first `after`."""
        packed = self._packed
        found = np.empty((len(X), packed.outputs))
        packed.sums(X, after, len(self) if first is None else first, found)
        return found

    def leaves(self, X: Array) -> Array:
        """The leaf of each row in each tree, by its index in that tree."""
        found = np.empty((len(X), len(self)), dtype=np.int64)
        self._packed.leaves(X, found)
        return found

    def categories(self, node: int) -> Array:
        """The categories that go left at a node; none if it splits by a threshold."""
        words = self.set_words[self.set_start[node] : self.set_start[node + 1]]
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))

    def go_left(self, nodes: Array, entries: Array) -> Array:
        """Whether each of some entries goes left, a row for each of some nodes."""
        left = entries <= self.threshold[nodes, None]
        for k in np.flatnonzero(np.diff(self.set_start)[nodes]):
            left[k] = np.isin(np.floor(entries), self.categories(nodes[k]))
        return np.where(np.isnan(entries), self.missing_left[nodes, None] > 0, left)


KINDS = {
    "left": np.int32, "right": np.int32, "feature": np.int32, "threshold": np.float64, "missing_left": np.uint8,
}  # fmt: skip
NODE_ARRAYS = ("left", "right", "feature", "threshold", "missing_left", "set_words", "value", "output")


def _joined(parts: Sequence[Array], kind: Any) -> Array:
    return np.ascontiguousarray(np.concatenate(parts), dtype=kind)
