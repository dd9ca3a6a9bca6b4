"""Import of LightGBM models from their text files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, ModelFileError
from ..engines.trees.tree import Tree
from .tree_model import MAX_CATEGORY_WORDS, UNREADABLE, Link, TreeModel, read_failure

LINKS: dict[str, Link] = {
    "regression": "identity", "regression_l1": "identity", "huber": "identity", "fair": "identity",
    "quantile": "identity", "mape": "identity", "lambdarank": "identity", "binary": "sigmoid",
    "cross_entropy": "sigmoid", "multiclass": "softmax", "multiclassova": "sigmoid", "rank_xendcg": "identity",
    "poisson": "exp", "gamma": "exp", "tweedie": "exp",
}  # fmt: skip
CATEGORIES, MISSING_LEFT, MISSING_IS_NAN = 1, 2, 2  # bits of decision_type, and the missing type above them


def read_lightgbm(path: Any) -> TreeModel:
    """Read a LightGBM model saved as text; predictions are the same.

    x goes left if x <= c, or if its category is in the set of the node

    Numeric and categorical splits, one output or one for each class, also averaged ensembles. Linear trees and
    zero_as_missing are not supported.

    >>> read_lightgbm("nowhere.txt")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.txt'
    """
    data = Path(path).read_bytes()
    try:
        return _model(data.decode())
    except UNREADABLE as error:
        raise ModelFileError(
            f"read_lightgbm: {path} is not a tree model saved by LightGBM as text: {read_failure(error)}"
        ) from error


def _model(text: str) -> TreeModel:
    head, *blocks = text.partition("end of trees")[0].split("\nTree=")
    if not head.startswith("tree") or not blocks:
        raise ValueError("it does not begin with 'tree', or has no trees")
    settings = _settings(head)
    words = settings.get("objective", "regression").split()
    if words[0] not in LINKS or "sqrt" in words or any(w.startswith("sigmoid:") and w != "sigmoid:1" for w in words):
        raise ValueError(f"the objective {' '.join(words)!r} is not supported")
    outputs = int(settings["num_tree_per_iteration"])
    if not 1 <= outputs <= len(blocks):
        raise ValueError(f"it has {len(blocks)} trees, and num_tree_per_iteration is {outputs}")
    trees = [_tree(_settings("Tree=" + block)) for block in blocks]
    averaged = "average_output" in head.split()
    return TreeModel.of(
        trees, [k % outputs for k in range(len(trees))], base=np.zeros(outputs),
        scale=outputs / len(trees) if averaged else 1.0, link=LINKS[words[0]],
        columns=int(settings["max_feature_idx"]) + 1, single=False, names=settings["feature_names"].split(),
    )  # fmt: skip


def _settings(block: str) -> dict[str, str]:
    pairs = (line.split("=", 1) for line in block.splitlines() if "=" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def _numbers(entry: dict[str, str], name: str, kind: Any) -> Array:
    return np.array(entry.get(name, "").split(), dtype=kind)


def _tree(entry: dict[str, str]) -> Tree:
    """One tree: inner nodes first, then leaves; a negative child is the leaf -1 - child."""
    if entry.get("is_linear", "0") != "0":
        raise ValueError("its leaves are linear")
    leaves, leaf_value = int(entry["num_leaves"]), _numbers(entry, "leaf_value", np.float64)
    if leaves != len(leaf_value):
        raise ValueError(f"a tree has {leaves} leaves but {len(leaf_value)} leaf values")
    inner, ends = leaves - 1, np.full(leaves, -1, dtype=np.int64)
    count = np.concatenate([_numbers(entry, "internal_count", np.float64), _numbers(entry, "leaf_count", np.float64)])
    if inner == 0:
        return _build_tree(ends, ends, _Splits.empty(), np.ones(1), leaf_value)
    left, right = (_numbers(entry, f"{side}_child", np.int64) for side in ("left", "right"))
    left, right = (np.where(children >= 0, children, inner - 1 - children) for children in (left, right))
    value = np.concatenate([np.zeros(inner), leaf_value])
    return _build_tree(np.concatenate([left, ends]), np.concatenate([right, ends]), _splits(entry), count, value)


@dataclass(frozen=True)
class _Splits:
    """Splits of the inner nodes: column, threshold or categories that go left, and direction of missing values."""

    feature: Array
    cut: Array
    missing_left: Array
    sets: list[Array]

    @classmethod
    def empty(cls) -> _Splits:
        nothing = np.zeros(0)
        return cls(nothing, nothing, nothing, [])


def _splits(entry: dict[str, str]) -> _Splits:
    kind, cut = _numbers(entry, "decision_type", np.int64), _numbers(entry, "threshold", np.float64)
    numeric = (kind & CATEGORIES) == 0
    missing = kind >> 2 & 3
    if (numeric & (missing == 1)).any():
        raise ValueError("zero_as_missing is not supported")
    to_left = np.where(missing == MISSING_IS_NAN, (kind & MISSING_LEFT) > 0, cut >= 0) & numeric
    return _Splits(_numbers(entry, "split_feature", np.int64), cut, to_left, _sets(entry, numeric, cut))


_NONE = np.zeros(0, dtype=np.uint64)


def _sets(entry: dict[str, str], numeric: Array, cut: Array) -> list[Array]:
    """The categories that go left at each inner node, as bits."""
    bounds, words = _numbers(entry, "cat_boundaries", np.int64), _numbers(entry, "cat_threshold", np.uint32)
    found, total = [_NONE] * len(numeric), 0
    for node in np.flatnonzero(~numeric):
        index = int(cut[node])
        bits = words[bounds[index] : bounds[index + 1]]
        total += len(bits)
        if total > 2 * MAX_CATEGORY_WORDS:
            raise ValueError("the sets of categories of a tree need too much memory")
        found[node] = np.append(bits, np.zeros(len(bits) % 2, dtype=np.uint32)).view(np.uint64)
    return found


def _build_tree(left: Array, right: Array, splits: _Splits, count: Array, value: Array) -> Tree:
    """The tree of these nodes, inner ones first; leaves have no split."""
    leaves = len(left) - len(splits.feature)
    sets = [*splits.sets, *[_NONE] * leaves]
    return Tree(
        left.astype(np.int32),
        right.astype(np.int32),
        np.concatenate([splits.feature, np.full(leaves, -2)]).astype(np.int32),
        np.concatenate([splits.cut, np.full(leaves, -2.0)]),
        np.concatenate([splits.missing_left, np.zeros(leaves)]).astype(np.uint8),
        np.cumsum([0, *map(len, sets)]).astype(np.int64),
        np.concatenate(sets).astype(np.uint64),
        np.zeros(len(left)),
        count.astype(np.int64),
        count.astype(np.float64),
        value[:, None, None],
    )
