"""Trees made smaller by the errors that they make on rows they have not seen."""

from __future__ import annotations

import copy
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.errors import not_fitted
from ..engines.pruning import pruned, pruning_path
from ..engines.validation_pruning import ErrorPruning, errors_of_nodes, pessimistic

Method = Literal["reduced_error", "bottom_up", "replacement", "pessimistic", "cost_complexity"]
METHODS = ("reduced_error", "bottom_up", "replacement", "pessimistic", "cost_complexity")


def prune(
    model: Any, X: Any = None, y: Any = None, *, method: Method = "reduced_error", threshold: float = 0.0,
    confidence: float = 0.25, sample_weight: Any = None,
) -> Any:  # fmt: skip
    """A copy of a fitted tree in which nodes became leaves, by the errors on rows `X` and `y` that it has not seen.

    cut at node t if    errors of t as a leaf  <=  errors of the leaves below t  (+ threshold of all weight)

    "reduced_error" cuts the node first whose cut lowers the errors most, and ends when every cut would raise them;
    "replacement" goes on as long as a cut raises them by no more than `threshold`, a share of all weight or of all
    squares; "bottom_up" looks only at nodes with leaves below them, again and again; "cost_complexity" takes the best
    of the weakest-link sequence. Errors are wrong answers, of numbers squares. "pessimistic" needs no rows: it takes
    the upper `confidence` limit of the errors made in training. [Quinlan, 1987]

    >>> from learnable import DecisionTreeClassifier
    >>> noisy = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 0])
    >>> prune(noisy, [[0.1], [1.1], [2.1]], [0, 0, 0]).get_n_leaves()
    1
    """
    if not hasattr(model, "tree_"):
        raise not_fitted(model)
    if method not in METHODS:
        raise ParameterError(f"prune: method must be one of {', '.join(METHODS)}; got {method!r}")
    smaller = copy.copy(model)
    if method == "pessimistic":
        if getattr(model, "classes_", None) is None or model.tree_.value.shape[1] > 1:
            raise DataError("prune: pessimistic pruning is for trees of one target of classes; give rows instead")
        smaller.tree_ = pessimistic(model.tree_, confidence)
        return smaller
    if X is None or y is None:
        raise DataError(f"prune: {method} pruning needs rows X and y that the tree has not seen")
    if method == "cost_complexity" and not hasattr(model.tree_, "children_left"):
        raise DataError("prune: cost_complexity pruning is for trees of two branches; take another method")
    own = _own_errors(model, X, y, sample_weight)
    smaller.tree_ = _best_of_sequence(model.tree_, own) if method == "cost_complexity" else _cut(
        model.tree_, own, method, threshold
    )  # fmt: skip
    return smaller


def _cut(tree: Any, own: Array, method: Method, threshold: float) -> Any:
    pruning = ErrorPruning(tree, own)
    if method == "bottom_up":
        pruning.cut_bottom_up()
    else:
        allowed = threshold * own[0] if method == "replacement" else 0.0
        pruning.cut_best_first(allowed + 1e-12 * (1 + own[0]))
    return pruning.kept()


def _own_errors(model: Any, X: Any, y: Any, sample_weight: Any) -> Array:
    """What each node would get wrong as a leaf."""
    way = model.decision_path(X)
    weight = model._door.weights(sample_weight, way.shape[0])
    weight = np.ones(way.shape[0]) if weight is None else weight
    value, classes = model.tree_.value, getattr(model, "classes_", None)
    if classes is None:
        target = model._door.target(y, way.shape[0], np.float64, True).reshape(way.shape[0], -1)
        return errors_of_nodes(way, target, value[:, :, 0], weight)
    if isinstance(classes, list):
        raise DataError("prune: trees of several targets of classes are not pruned; fit one tree for each")
    target = model._door.any_target(y, way.shape[0], False)
    return errors_of_nodes(way, target, classes[value[:, 0].argmax(axis=1)], weight)


def _best_of_sequence(tree: Any, own: Array) -> Any:
    """The smallest tree of the weakest-link sequence that makes fewest errors."""
    best, fewest = tree, np.inf
    for price in pruning_path(tree)[0]:
        candidate = pruned(tree, float(price))
        kept = _kept_leaves(tree, candidate)
        errors = float(own[kept].sum())
        if errors <= fewest + 1e-12 * (1 + own[0]):
            best, fewest = candidate, errors
    return best


def _kept_leaves(tree: Any, candidate: Any) -> Array:
    """The nodes of a tree that are the leaves of a pruned one, found by going down both."""
    found, both = [], [(0, 0)]
    while both:
        node, other = both.pop()
        if candidate.children_left[other] < 0:
            found.append(node)
            continue
        both += [
            (int(tree.children_left[node]), int(candidate.children_left[other])),
            (int(tree.children_right[node]), int(candidate.children_right[other])),
        ]
    return np.array(found)
