"""Validation of trees read from a file: compiled code follows their arrays without bounds checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.validate.features import Array


def flaw_of_arrays(arrays: Mapping[str, Array], kinds: Mapping[str, Any], length: int) -> str:
    """The first array whose type differs from `kinds` or whose length is wrong; empty if none."""
    for name, kind in kinds.items():
        if arrays[name].dtype != kind or arrays[name].shape != (length,):
            return f"{name} must have {length} entries of type {np.dtype(kind)}"
    return ""


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
    parents = np.bincount(np.concatenate([first + child for child in children]), minlength=len(left))
    return "a node has two parents" if (parents > 1).any() else ""


def flaw_of_ranges(start: Array, length: int) -> str:
    """Why `start` is not a partition of `length` entries into consecutive ranges; empty if it is."""
    whole = start.dtype == np.int64 and start.ndim == 1 and len(start) > 0
    if not whole or start[0] != 0 or start[-1] != length or (np.diff(start) < 0).any():
        return f"the starts of ranges must be integers that increase from 0 to {length}"
    return ""
