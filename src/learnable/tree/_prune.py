"""Post-pruning of fitted trees by a validation set or by pessimistic error estimates."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Certificate, DataError, ParameterError
from ..core.declare.checked_functions import Column, Model, Rows, checked, limits
from ..engines.trees.pruning.cost_complexity import prune_by_cost_complexity, pruning_path
from ..engines.trees.pruning.error_pruning import ErrorPruning, node_errors, prune_pessimistically
from ._single_tree import single_tree

Method = Literal["reduced_error", "bottom_up", "replacement", "pessimistic", "cost_complexity"]
METHODS = ("reduced_error", "bottom_up", "replacement", "pessimistic", "cost_complexity")


@checked(threshold=limits(at_least=0), confidence=limits(above=0, below=1))
def prune(
    model: Model, X: Rows | None = None, y: Column | None = None, *, method: Method = "reduced_error",
    threshold: float = 0.0, strict: bool = False,
    confidence: float = 0.25, sample_weight: Column | None = None,
) -> Any:  # fmt: skip
    """Post-pruning of a fitted tree: a copy with nodes turned into leaves, by the errors on a validation set `X`, `y`.

    prune at node t if    errors of t as a leaf  <=  errors of the leaves below t  (+ threshold of all weight)

    or, if `strict`, only where they are fewer.

    "reduced_error" prunes first where the validation errors fall most, and stops when every step would raise them;
    "replacement" continues while a step raises them by at most `threshold`, a fraction of the total weight or sum of
    squares; "bottom_up" considers only nodes whose children are leaves, repeatedly; "cost_complexity" takes the best
    subtree of the weakest-link sequence. Errors are misclassifications, or squared errors of a regression.
    "pessimistic" needs no validation set: it uses the upper `confidence` limit of the training errors. [Quinlan, 1987]

    >>> from learnable import DecisionTreeClassifier
    >>> noisy = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 0])
    >>> prune(noisy, [[0.1], [1.1], [2.1]], [0, 0, 0]).get_n_leaves()
    1
    """
    tree = single_tree(model, "prune")
    if method not in METHODS:
        raise ParameterError(f"prune: method must be one of {', '.join(METHODS)}; got {method!r}")
    if not threshold >= 0:
        raise ParameterError(f"prune: threshold, by which errors may rise, must be at least 0; got {threshold!r}")
    if strict and method not in ("reduced_error", "replacement", "bottom_up"):
        raise ParameterError(f"prune: strict is for pruning by validation errors, one node at a time; got {method!r}")
    if not 0 < confidence <= 0.5:
        raise ParameterError(f"prune: confidence must be above 0 and at most 0.5; got {confidence!r}")
    smaller = copy.copy(model)
    if method == "pessimistic":
        if getattr(model, "classes_", None) is None or tree.value.shape[1] > 1:
            raise DataError(
                "prune: pessimistic pruning is for single-output classification trees; pass validation rows X and y"
            )
        smaller.tree_ = prune_pessimistically(tree, confidence)
        count = smaller.tree_.n_leaves
        sentence = f"{count} leaves, all nodes of the given tree, which has {tree.n_leaves}."
        smaller.certificate_ = Certificate("leaves", count, tree.n_leaves, sentence)
        return smaller
    if X is None or y is None:
        raise DataError(f"prune: {method} pruning needs validation rows X and y that were not used to grow the tree")
    if method == "cost_complexity" and not hasattr(tree, "children_left"):
        raise DataError("prune: cost_complexity pruning is for binary trees; choose another method")
    before = _evaluate(model, X, y, sample_weight)
    allowed = threshold * before.total if method == "replacement" else 0.0
    smaller.tree_ = _best_of_sequence(tree, before.own) if method == "cost_complexity" else _cut(
        tree, before.own, method, allowed, strict
    )  # fmt: skip
    smaller.certificate_ = _compare_errors(before, _evaluate(smaller, X, y, sample_weight), allowed)
    return smaller


def _cut(tree: Any, own: Array, method: Method, allowed: float, strict: bool) -> Any:
    pruning, rounding = ErrorPruning(tree, own), 1e-12 * (1 + own[0])
    max_change = allowed - rounding if strict else allowed + rounding
    if method == "bottom_up":
        pruning.cut_bottom_up(max_change)
    else:
        pruning.cut_best_first(max_change)
    return pruning.pruned_tree()


@dataclass(frozen=True)
class ValidationErrors:
    """Errors of a tree on a validation set: those of each node as a leaf, the leaves, and the total weight."""

    own: Array
    leaf: Array
    total: float

    @property
    def errors(self) -> float:
        """Error rate of the leaves."""
        return float(self.own[self.leaf].sum()) / self.total if self.total > 0 else 0.0


def _compare_errors(before: ValidationErrors, after: ValidationErrors, allowed: float) -> Certificate:
    """The error rates before and after pruning, both evaluated on the validation set."""
    removed = int(before.leaf.sum() - after.leaf.sum())
    limit = before.errors + (allowed / before.total * removed if before.total > 0 else 0.0)
    rates = f"the validation error rate is {after.errors:.4g}, and was {before.errors:.4g}"
    return Certificate("errors", after.errors, limit + 1e-9, f"{rates} before {removed} leaves were pruned.")


def _evaluate(model: Any, X: Any, y: Any, sample_weight: Any) -> ValidationErrors:
    """The errors of the nodes of a tree on a validation set: misclassified weight, or squared errors."""
    path = model.decision_path(X)
    weight = model._validator.weights(sample_weight, path.shape[0])
    weight = np.ones(path.shape[0]) if weight is None else weight
    tree, classes = model.tree_, getattr(model, "classes_", None)
    leaf = np.ones(tree.node_count, dtype=bool)
    leaf[tree.parents()[1:]] = False
    if classes is None:
        target = model._validator.target(y, path.shape[0], np.float64, True).reshape(path.shape[0], -1)
        own = node_errors(path, target, tree.value[:, :, 0], weight)
        return ValidationErrors(own, leaf, float(own[0]))
    if isinstance(classes, list):
        raise DataError("prune: multi-output classification trees cannot be pruned; fit one tree for each target")
    target = model._validator.any_target(y, path.shape[0], False)
    own = node_errors(path, target, classes[tree.value[:, 0].argmax(axis=1)], weight)
    return ValidationErrors(own, leaf, float(weight.sum()))


def _best_of_sequence(tree: Any, own: Array) -> Any:
    """The smallest tree of the weakest-link sequence with the fewest validation errors."""
    best, fewest = tree, np.inf
    for alpha in pruning_path(tree)[0]:
        candidate = prune_by_cost_complexity(tree, float(alpha))
        kept = _remaining_leaves(tree, candidate)
        errors = float(own[kept].sum())
        if errors <= fewest + 1e-12 * (1 + own[0]):
            best, fewest = candidate, errors
    return best


def _remaining_leaves(tree: Any, candidate: Any) -> Array:
    """The nodes of a tree that are the leaves of a pruned copy, found by descending both."""
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
