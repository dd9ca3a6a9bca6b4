"""Validation of trees read from a file: compiled code follows their arrays without bounds checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.validate.features import Array

STATISTICS = ("impurity", "n_node_samples", "weighted_n_node_samples")


def flaw_of_statistics(arrays: Mapping[str, Array], length: int, names: tuple[str, ...] = ()) -> str:
    """Which of the arrays that say something of each node is not a number for each; empty if none."""
    for name in names or STATISTICS:
        part = arrays[name]
        if part.dtype.kind not in "fiub" or part.shape != (length,):
            return f"{name} must be {length} numbers"
    return ""


def flaw_of_arrays(arrays: Mapping[str, Array], kinds: Mapping[str, Any], length: int) -> str:
    """The first array whose type differs from `kinds` or whose length is wrong; empty if none."""
    for name, kind in kinds.items():
        if arrays[name].dtype != kind or arrays[name].shape != (length,):
            return f"{name} must have {length} entries of type {np.dtype(kind)}"
    return ""


def flaw_of_values(value: Array, length: int, axes: int) -> str:
    """What keeps `value` from giving each of `length` nodes numbers along the other axes; empty if nothing does."""
    numbers = value.dtype.kind == "f" and value.ndim == axes and len(value) == length
    return "" if numbers and 0 not in value.shape else "every node needs a table of values"


def flaw_of_columns(feature: Array, columns: int) -> str:
    """What keeps nodes from dividing rows of so many columns; empty if nothing does."""
    return "a tree asks for a column that X does not have" if (feature >= columns).any() else ""


def flaw_of_labels(labels: Any, targets: int, width: int) -> str:
    """What keeps leaves with values (targets, width) from holding shares of the classes of each target."""
    known = isinstance(labels, list) and all(isinstance(one, np.ndarray) and one.ndim == 1 for one in labels)
    sound = known and len(labels) == targets and max(map(len, labels)) == width and min(map(len, labels)) > 0
    return (
        "" if sound else f"classes_ must be those of {targets} targets, at most {width} each, as the leaves have them"
    )


def flaw_of_categories(categories: Any) -> str:
    """What keeps a list from holding the categories of columns, None for those of numbers; empty if nothing does."""
    sound = isinstance(categories, (list, tuple)) and all(
        values is None or (isinstance(values, np.ndarray) and values.ndim == 1) for values in categories
    )
    return "" if sound else "categories_ must hold the categories of each column, None for one of numbers"


def flaw_of_children(left: Array, right: Array, start: Array) -> str:
    """Why nodes with two children or none are not valid trees, whose roots are at `start`; empty if they are.

    A walk from the root ends if the root is not a child and no node has two parents. Children are numbered from the
    root of their tree.
    """
    if flaw := flaw_of_ranges(start, len(left)) or ("" if (np.diff(start) > 0).all() else "a tree has no nodes"):
        return flaw
    sizes, inner = np.diff(start), left >= 0
    if not np.array_equal(inner, right >= 0):
        return "a node has one child"
    first, size = np.repeat(start[:-1], sizes)[inner], np.repeat(sizes, sizes)[inner]
    children = [side[inner].astype(np.int64) for side in (left, right)]
    if any(((child < 1) | (child >= size)).any() for child in children):
        return "a child is outside its tree"
    child = np.concatenate([first + side for side in children])
    return flaw_of_walk(np.tile(np.flatnonzero(inner), 2), child, len(left))


def flaw_of_walk(parent: Array, child: Array, length: int) -> str:
    """What keeps a walk up or down these edges among `length` nodes from ending; empty if nothing does.

    Nodes that no root leads to could form a circle, in which every node has one parent. There is none where children
    come after their parents, and none where roots lead to all nodes.
    """
    parents = np.bincount(child, minlength=length)
    if (parents > 1).any():
        return "a node has two parents"
    if (child > parent).all():
        return ""
    order = np.argsort(parent, kind="stable")
    first = np.searchsorted(parent[order], np.arange(length + 1))
    level, reached = np.flatnonzero(parents == 0), 0
    while len(level):
        reached += len(level)
        count = first[level + 1] - first[level]
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        level = child[order[np.repeat(first[level], count) + offset]]
    return "" if reached == length else "nodes lead round in a circle"


def flaw_of_ranges(start: Array, length: int) -> str:
    """Why `start` is not a partition of `length` entries into consecutive ranges; empty if it is."""
    whole = start.dtype == np.int64 and start.ndim == 1 and len(start) > 0
    if not whole or start[0] != 0 or start[-1] != length or (np.diff(start) < 0).any():
        return f"the starts of ranges must be integers that increase from 0 to {length}"
    return ""
