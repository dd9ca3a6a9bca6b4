"""Import of XGBoost models from their JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, ModelFileError
from ..engines.trees.tree import Tree
from .tree_model import MAX_CATEGORY_WORDS, UNREADABLE, Link, TreeModel, read_failure

LINKS: dict[str, Link] = {
    "reg:squarederror": "identity", "reg:absoluteerror": "identity", "reg:pseudohubererror": "identity",
    "reg:squaredlogerror": "identity", "reg:quantileerror": "identity", "rank:pairwise": "identity",
    "rank:ndcg": "identity", "rank:map": "identity", "binary:logitraw": "identity", "binary:logistic": "sigmoid",
    "reg:logistic": "sigmoid", "multi:softprob": "softmax", "multi:softmax": "class",
    "count:poisson": "exp", "reg:gamma": "exp", "reg:tweedie": "exp",
}  # fmt: skip
MAX_CATEGORIES = 2**24  # XGBoost stores categories in single precision


def read_xgboost(path: Any) -> TreeModel:
    """Read an XGBoost model of boosted trees saved as JSON; predictions agree up to the rounding of XGBoost.

    x goes left if x < c, which in single precision is x <= the largest number below c

    Numeric and categorical splits, DART weights, one output or one for each class or target, by separate trees or by
    vector leaves; after early stopping, the trees up to the best iteration, as its estimators predict. XGBoost sums
    leaf values in single precision, this model in double precision.

    >>> read_xgboost("nowhere.json")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.json'
    """
    data = Path(path).read_bytes()
    try:
        return _model(json.loads(data.decode())["learner"])
    except UNREADABLE as error:
        raise ModelFileError(
            f"read_xgboost: {path} is not a tree model saved by XGBoost as JSON (save_model to a name in .json): "
            f"{read_failure(error)}"
        ) from error


def _model(content: dict[str, Any]) -> TreeModel:
    booster, objective = content["gradient_booster"], content["objective"]["name"]
    if objective not in LINKS:
        raise ValueError(f"the objective {objective!r} is not supported")
    weights = booster.get("weight_drop")  # of DART
    model = booster["gbtree"]["model"] if "gbtree" in booster else booster["model"]
    link, settings = LINKS[objective], content["learner_model_param"]
    outputs = max(int(settings.get(name, 1)) for name in ("num_class", "num_target")) or 1
    count = _count(model, content.get("attributes", {}))
    factors = weights if weights is not None else [1.0] * len(model["trees"])
    trees = [_tree(entry, factor) for entry, factor in zip(model["trees"], factors, strict=True)][:count]
    output = [int(k) for k in model["tree_info"]][:count]
    if not all(0 <= k < outputs for k in output):
        raise ValueError(f"a tree adds to an output beyond the {outputs} outputs of the model")
    if max(output, default=0) >= len(trees):
        raise ValueError(f"it has {len(trees)} trees, too few for {max(output) + 1} outputs")
    widths = {tree.value.shape[1] for tree in trees}
    if widths not in ({1}, {outputs}):
        raise ValueError(f"its leaf vectors do not have {outputs} outputs")
    return TreeModel.of(
        trees, output, base=_base(settings, link, max(max(output) + 1, *widths)),
        scale=1.0, link=link, columns=int(settings["num_feature"]), single=True,
        names=content.get("feature_names") or None,
    )  # fmt: skip


def _count(model: dict[str, Any], attributes: dict[str, str]) -> int:
    """Number of trees that predict: all, or those up to the best iteration."""
    trees, best = len(model["trees"]), attributes.get("best_iteration")
    if best is None:
        return trees
    if "iteration_indptr" in model:
        return int(model["iteration_indptr"][int(best) + 1])
    stage = (max(map(int, model["tree_info"])) + 1) * int(model["gbtree_model_param"].get("num_parallel_tree", 1))
    return min(trees, (int(best) + 1) * stage)


def _base(settings: dict[str, str], link: Link, outputs: int) -> Array:
    """The score before the first tree; the file holds the prediction that belongs to it."""
    given = np.atleast_1d(np.asarray(json.loads(settings["base_score"]), dtype=np.float64))
    with np.errstate(all="ignore"):  # the model refuses values that are not finite
        if link == "sigmoid":
            given = np.log(given / (1 - given))
        if link == "exp":
            given = np.log(given)
    return np.resize(given, outputs)


def _tree(entry: dict[str, Any], factor: float) -> Tree:
    left, right = (np.array(entry[f"{side}_children"], dtype=np.int32) for side in ("left", "right"))
    inner, condition = left >= 0, np.array(entry["split_conditions"], dtype=np.float32)
    value = _values(entry, ~inner, condition) * factor
    right = np.where(inner, right, -1)
    missing_left = np.array(entry["default_left"], dtype=np.uint8)
    words = _sets(entry, len(left))
    swapped = np.array([len(word) > 0 for word in words])  # XGBoost sends categories in the set to the right
    left, right = np.where(swapped, right, left), np.where(swapped, left, right)
    missing_left = np.where(swapped, 1 - missing_left, missing_left).astype(np.uint8)
    cover = np.array(entry["sum_hessian"], dtype=np.float64)
    return Tree(
        left.astype(np.int32),
        right.astype(np.int32),
        np.where(inner, entry["split_indices"], -2).astype(np.int32),
        np.where(inner, np.nextafter(condition, np.float32(-np.inf)), -2.0).astype(np.float64),
        missing_left,
        np.cumsum([0, *map(len, words)]).astype(np.int64),
        np.concatenate(words).astype(np.uint64),
        np.zeros(len(left)),
        np.round(cover).astype(np.int64),
        cover,
        value[:, :, None],
    )


def _values(entry: dict[str, Any], leaf: Array, condition: Array) -> Array:
    """The leaf values, a column for each output; vectors are in leaf order, or by node in older files."""
    width = int(entry["tree_param"].get("size_leaf_vector", 1))
    if width <= 1:
        return np.where(leaf, condition, 0.0)[:, None]
    listed = "leaf_weights" in entry
    weights = np.asarray(entry["leaf_weights" if listed else "base_weights"], dtype=np.float64)
    if width > weights.size:
        raise ValueError(f"vectors of {width} leaf values are announced, and there are {weights.size} values")
    vectors = weights.reshape(-1, width)
    index = np.asarray(entry["right_children"])[leaf] if listed else np.flatnonzero(leaf)
    if len(index) and (index.min() < 0 or index.max() >= len(vectors)):
        raise ValueError("a leaf has no vector")
    found = np.zeros((len(leaf), width))
    found[leaf] = vectors[index]
    return found


def _sets(entry: dict[str, Any], nodes: int) -> list[Array]:
    """The categories of each categorical split, as bits."""
    found = [np.zeros(0, dtype=np.uint64) for _ in range(nodes)]
    segments = zip(entry["categories_nodes"], entry["categories_segments"], entry["categories_sizes"], strict=True)
    words, listed = 0, 0
    for node, first, size in segments:
        listed += size
        if not size or listed > len(entry["categories"]):
            raise ValueError("categories_sizes do not fit the categories")
        codes = np.array(entry["categories"][first : first + size], dtype=np.int64)
        if codes.min() < 0 or codes.max() >= MAX_CATEGORIES:
            raise ValueError(f"a category is not between 0 and {MAX_CATEGORIES}")
        words += int(codes.max()) // 64 + 1
        if words > MAX_CATEGORY_WORDS:
            raise ValueError("the sets of categories of a tree need too much memory")
        bits = np.zeros((int(codes.max()) // 64 + 1) * 64, dtype=np.uint8)
        bits[codes] = 1
        found[node] = np.packbits(bits, bitorder="little").view(np.uint64)
    return found
