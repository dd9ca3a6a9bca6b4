"""Training targets in the leaves of a forest, for quantile regression forests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.declare import registry
from ...core.validate.features import Array
from .tree_checks import flaw_of_arrays, flaw_of_ranges
from .tree_stack import TreeStack

CELLS = 2**22  # weights in memory at once


@registry.value
@dataclass(frozen=True)
class LeafTargets:
    """Training rows by leaf: those of a node from `start[node]` to `start[node + 1]`, with their weights `share`.

    `share` sums to one in each leaf. `rank` is the index of a row's target among the sorted `targets`. Nodes of all
    trees are numbered one after the other, and `first` is the first node of each tree.
    """

    first: Array
    start: Array
    rank: Array
    share: Array
    targets: Array

    @classmethod
    def of(cls, stack: TreeStack, X: Array, y: Array, weight: Array, counts: Array | None) -> LeafTargets:
        """The targets of the training rows, with the weight that each tree gave them, by leaf."""
        nodes = stack.leaves(X) + stack.start[:-1]
        weights = np.broadcast_to(weight[:, None], nodes.shape) if counts is None else counts.T
        targets, rank = np.unique(y, return_inverse=True)
        seen, of_tree = np.nonzero(weights > 0)
        node = nodes[seen, of_tree]
        order = np.argsort(node, kind="stable")
        node, seen, of_tree = node[order], seen[order], of_tree[order]
        share = weights[seen, of_tree].astype(np.float64)
        total = np.bincount(node, weights=share, minlength=len(stack.left))
        start = np.searchsorted(node, np.arange(len(stack.left) + 1))
        return cls(stack.start[:-1], start, rank[seen].astype(np.int32), share / total[node], targets)

    def flaw(self) -> str:
        """The defect of targets read from a file; empty if they are valid."""
        nodes, entries = len(self.start) - 1, len(self.rank)
        if flaw := flaw_of_ranges(self.start, entries) or flaw_of_arrays(vars(self), {"share": np.float64}, entries):
            return flaw
        if self.rank.dtype != np.int32 or self.first.dtype != np.int64 or (self.rank.ndim, self.first.ndim) != (1, 1):
            return "ranks and first nodes must be integers"
        if ((self.first < 0) | (self.first >= nodes)).any():
            return "the first node of a tree is out of range"
        if self.targets.dtype.kind not in "fiu" or self.targets.ndim != 1 or not len(self.targets):
            return "targets must be numbers"
        return "a rank is out of range" if ((self.rank < 0) | (self.rank >= len(self.targets))).any() else ""

    def quantiles(self, leaves: Array, levels: Array) -> Array:
        """Weighted quantiles of the targets, a row for each row of `leaves` and a column for each level."""
        rows = max(1, CELLS // len(self.targets))
        chunks = [self._quantiles(leaves[at : at + rows], levels) for at in range(0, len(leaves), rows)]
        return np.concatenate(chunks) if chunks else np.empty((0, len(levels)))

    def _quantiles(self, leaves: Array, levels: Array) -> Array:
        nodes = (leaves + self.first).ravel()
        sizes = self.start[nodes + 1] - self.start[nodes]
        before = np.cumsum(sizes) - sizes
        entries = np.arange(sizes.sum()) + np.repeat(self.start[nodes] - before, sizes)
        query = np.repeat(np.arange(len(nodes)) // leaves.shape[1], sizes)
        cells = query * len(self.targets) + self.rank[entries]
        weight = np.bincount(cells, weights=self.share[entries], minlength=len(leaves) * len(self.targets))
        cumulative: Array = np.cumsum(weight.reshape(len(leaves), -1), axis=1)
        cumulative = cumulative / cumulative[:, -1:]
        index = [(cumulative < level * (1 - 1e-12)).sum(axis=1) for level in levels]
        return np.asarray(self.targets[np.minimum(np.stack(index, axis=1), len(self.targets) - 1)])
