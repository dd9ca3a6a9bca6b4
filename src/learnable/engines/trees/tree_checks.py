"""Validation of trees read from a file: compiled code follows their arrays without bounds checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.validate.features import Array

STATISTICS = ("impurity", "n_node_samples", "weighted_n_node_samples")


def flaw_of_statistics(arrays: Mapping[str, Array], length: int, names: tuple[str, ...] = ()) -> str:
    """The first array that does not hold a number for each node; empty if none."""
    for name in names or STATISTICS:
        part = arrays[name]
        if part.dtype.kind not in "fiub" or part.shape != (length,):
            return f"{name} must be {length} numbers"
        if name == "n_node_samples" and not np.isfinite(part).all():
            return f"{name} must be finite"
    return ""


def flaw_of_arrays(arrays: Mapping[str, Array], kinds: Mapping[str, Any], length: int) -> str:
    """The first array whose type differs from `kinds` or whose length is wrong; empty if none."""
    for name, kind in kinds.items():
        if arrays[name].dtype != kind or arrays[name].shape != (length,):
            return f"{name} must have {length} entries of type {np.dtype(kind)}"
    return ""


def flaw_of_values(value: Array, length: int, axes: int) -> str:
    """Why `value` is not an array of numbers with an entry for each of `length` nodes; empty if it is."""
    numbers = value.dtype.kind == "f" and value.ndim == axes and len(value) == length
    return "" if numbers and 0 not in value.shape else "every node needs a table of values"


def flaw_of_columns(feature: Array, columns: int) -> str:
    """Why nodes cannot split rows of this number of columns; empty if they can."""
    return "a tree splits on a column that X does not have" if (feature >= columns).any() else ""


def flaw_of_labels(labels: Any, targets: int, width: int) -> str:
    """Why leaf values of this shape are not class proportions of each target; empty if they are."""
    arrays = isinstance(labels, list) and all(isinstance(one, np.ndarray) and one.ndim == 1 for one in labels)
    valid = arrays and len(labels) == targets and max(map(len, labels)) == width and min(map(len, labels)) > 0
    return (
        "" if valid else f"classes_ must hold the classes of {targets} targets, at most {width} each, as the leaves do"
    )


def flaw_of_categories(categories: Any) -> str:
    """Why a list does not hold the categories of columns, None for numeric ones; empty if it does."""
    valid = isinstance(categories, (list, tuple)) and all(
        values is None or (isinstance(values, np.ndarray) and values.ndim == 1) for values in categories
    )
    return "" if valid else "categories_ must hold the categories of each column, None for a numeric one"


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
    """Why a walk along these edges among `length` nodes may not end; empty if it always does.

    Nodes that cannot be reached from a root could form a cycle, in which every node has one parent. There is no cycle
    if children come after their parents, or if all nodes can be reached from roots.
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
    return "" if reached == length else "nodes form a cycle"


def flaw_of_ranges(start: Array, length: int) -> str:
    """Why `start` is not a partition of `length` entries into consecutive ranges; empty if it is."""
    valid = start.dtype == np.int64 and start.ndim == 1 and len(start) > 0
    if not valid or start[0] != 0 or start[-1] != length or (np.diff(start) < 0).any():
        return f"the starts of ranges must be integers that increase from 0 to {length}"
    return ""
