"""Models of XGBoost, from the JSON files that it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, ModelFileError
from ..engines.trees.tree import Tree
from .tree_model import UNREADABLE, Link, TreeModel, reason

LINKS: dict[str, Link] = {
    "reg:squarederror": "identity", "reg:absoluteerror": "identity", "reg:pseudohubererror": "identity",
    "reg:squaredlogerror": "identity", "reg:quantileerror": "identity", "rank:pairwise": "identity",
    "rank:ndcg": "identity", "rank:map": "identity", "binary:logitraw": "identity", "binary:logistic": "sigmoid",
    "reg:logistic": "sigmoid", "multi:softprob": "softmax", "multi:softmax": "class",
    "count:poisson": "exp", "reg:gamma": "exp", "reg:tweedie": "exp",
}  # fmt: skip
MOST_CATEGORIES = 2**24  # XGBoost keeps categories as numbers of single precision


def read_xgboost(path: Any) -> TreeModel:
    """A model of gradient boosted trees that XGBoost has saved as JSON, with the same answers up to its rounding.

    x goes left if x < c, which for numbers of single precision is x <= the number before c

    Trees of numbers and of categories, DART's weights, one output or one for each class or target, by trees of their
    own or by vectors in leaves; where boosting stopped early, those up to the best iteration, by which its estimators
    answer. XGBoost adds up in single precision, we in double.

    >>> read_xgboost("nowhere.json")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.json'
    """
    data = Path(path).read_bytes()
    try:
        return _model(json.loads(data.decode())["learner"])
    except UNREADABLE as error:
        raise ModelFileError(
            f"read_xgboost: {path} is no model of trees that XGBoost saved as JSON (by save_model to a name in .json): "
            f"{reason(error)}"
        ) from error


def _model(learner: dict[str, Any]) -> TreeModel:
    booster, objective = learner["gradient_booster"], learner["objective"]["name"]
    if objective not in LINKS:
        raise ValueError(f"the objective {objective!r} is not known")
    weights = booster.get("weight_drop")  # of DART
    model = booster["gbtree"]["model"] if "gbtree" in booster else booster["model"]
    link, settings = LINKS[objective], learner["learner_model_param"]
    outputs = max(int(settings.get(name, 1)) for name in ("num_class", "num_target")) or 1
    count = _count(model, learner.get("attributes", {}))
    factors = weights if weights is not None else [1.0] * len(model["trees"])
    trees = [_tree(entry, factor) for entry, factor in zip(model["trees"], factors, strict=True)][:count]
    output = [int(k) for k in model["tree_info"]][:count]
    if not all(0 <= k < outputs for k in output):
        raise ValueError(f"a tree adds to an output beyond the {outputs} that there are")
    widths = {tree.value.shape[1] for tree in trees}
    if widths not in ({1}, {outputs}):
        raise ValueError(f"its leaves hold vectors that are not of the {outputs} outputs")
    return TreeModel.of(
        trees, output, base=_base(settings, link, max(max(output) + 1, *widths)),
        scale=1.0, link=link, columns=int(settings["num_feature"]), single=True,
        names=learner.get("feature_names") or None,
    )  # fmt: skip


def _count(model: dict[str, Any], attributes: dict[str, str]) -> int:
    """How many trees answer: all, or those up to the best iteration."""
    trees, best = len(model["trees"]), attributes.get("best_iteration")
    if best is None:
        return trees
    if "iteration_indptr" in model:
        return int(model["iteration_indptr"][int(best) + 1])
    stage = (max(map(int, model["tree_info"])) + 1) * int(model["gbtree_model_param"].get("num_parallel_tree", 1))
    return min(trees, (int(best) + 1) * stage)


def _base(settings: dict[str, str], link: Link, outputs: int) -> Array:
    """The score before the first tree; files hold the answer that belongs to it."""
    given = np.atleast_1d(np.asarray(json.loads(settings["base_score"]), dtype=np.float64))
    with np.errstate(all="ignore"):  # what is no number is refused by the model
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
    swapped = np.array([len(word) > 0 for word in words])  # there, categories in the set go right
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
    """The values of leaves, a column for each output; vectors stand in order, or at the nodes in older files."""
    width = int(entry["tree_param"].get("size_leaf_vector", 1))
    if width <= 1:
        return np.where(leaf, condition, 0.0)[:, None]
    listed = "leaf_weights" in entry
    vectors = np.asarray(entry["leaf_weights" if listed else "base_weights"], dtype=np.float64).reshape(-1, width)
    places = np.asarray(entry["right_children"])[leaf] if listed else np.flatnonzero(leaf)
    if len(places) and (places.min() < 0 or places.max() >= len(vectors)):
        raise ValueError("a leaf has no vector")
    found = np.zeros((len(leaf), width))
    found[leaf] = vectors[places]
    return found


def _sets(entry: dict[str, Any], nodes: int) -> list[Array]:
    """The categories of each node that divides by them, as bits."""
    found = [np.zeros(0, dtype=np.uint64) for _ in range(nodes)]
    parts = zip(entry["categories_nodes"], entry["categories_segments"], entry["categories_sizes"], strict=True)
    for node, first, size in parts:
        codes = np.array(entry["categories"][first : first + size], dtype=np.int64)
        if codes.min() < 0 or codes.max() >= MOST_CATEGORIES:
            raise ValueError(f"a category is not between 0 and {MOST_CATEGORIES}")
        bits = np.zeros((int(codes.max()) // 64 + 1) * 64, dtype=np.uint8)
        bits[codes] = 1
        found[node] = np.packbits(bits, bitorder="little").view(np.uint64)
    return found
