"""Trees made smaller by the errors that they make on rows they have not seen."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Certificate, DataError, ParameterError
from ..core.validate.sparse_input import checks_sparse
from ..engines.trees.pruning.cost_complexity import pruned, pruning_path
from ..engines.trees.pruning.error_pruning import ErrorPruning, errors_of_nodes, pessimistic
from ._single_tree import single_tree

Method = Literal["reduced_error", "bottom_up", "replacement", "pessimistic", "cost_complexity"]
METHODS = ("reduced_error", "bottom_up", "replacement", "pessimistic", "cost_complexity")


@checks_sparse
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
    tree = single_tree(model, "prune")
    if method not in METHODS:
        raise ParameterError(f"prune: method must be one of {', '.join(METHODS)}; got {method!r}")
    if not threshold >= 0:
        raise ParameterError(f"prune: threshold, by which errors may rise, must be at least 0; got {threshold!r}")
    if not 0 < confidence <= 0.5:
        raise ParameterError(f"prune: confidence must be above 0 and at most 0.5; got {confidence!r}")
    smaller = copy.copy(model)
    if method == "pessimistic":
        if getattr(model, "classes_", None) is None or tree.value.shape[1] > 1:
            raise DataError("prune: pessimistic pruning is for trees of one target of classes; give rows instead")
        smaller.tree_ = pessimistic(tree, confidence)
        said = f"leaves are nodes of the tree before, {smaller.tree_.n_leaves} in place of {tree.n_leaves}"
        smaller.certificate_ = Certificate("leaves", smaller.tree_.n_leaves, tree.n_leaves, f"{said}.")
        return smaller
    if X is None or y is None:
        raise DataError(f"prune: {method} pruning needs rows X and y that the tree has not seen")
    if method == "cost_complexity" and not hasattr(tree, "children_left"):
        raise DataError("prune: cost_complexity pruning is for trees of two branches; take another method")
    judged = _judged(model, X, y, sample_weight)
    allowed = threshold * judged.whole if method == "replacement" else 0.0
    smaller.tree_ = _best_of_sequence(tree, judged.own) if method == "cost_complexity" else _cut(
        tree, judged.own, method, allowed
    )  # fmt: skip
    smaller.certificate_ = _errors_compared(judged, _judged(smaller, X, y, sample_weight), allowed)
    return smaller


def _cut(tree: Any, own: Array, method: Method, allowed: float) -> Any:
    pruning = ErrorPruning(tree, own)
    if method == "bottom_up":
        pruning.cut_bottom_up()
    else:
        pruning.cut_best_first(allowed + 1e-12 * (1 + own[0]))
    return pruning.kept()


@dataclass(frozen=True)
class Judged:
    """A tree on rows that it has not seen: what each node would get wrong as a leaf, and how much there is at all."""

    own: Array
    leaf: Array
    whole: float

    @property
    def errors(self) -> float:
        """What the leaves get wrong, as a share."""
        return float(self.own[self.leaf].sum()) / self.whole if self.whole > 0 else 0.0


def _errors_compared(before: Judged, after: Judged, allowed: float) -> Certificate:
    """What the cuts have done to the errors on the rows given, counted anew."""
    cuts = int(before.leaf.sum() - after.leaf.sum())
    most = before.errors + (allowed / before.whole * cuts if before.whole > 0 else 0.0)
    said = f"of the rows given, the tree gets {after.errors:.4g} wrong, and got {before.errors:.4g} wrong before"
    return Certificate("errors", after.errors, most + 1e-9, f"{said} {cuts} of its leaves were taken away.")


def _judged(model: Any, X: Any, y: Any, sample_weight: Any) -> Judged:
    """The errors of the nodes of a tree: the weight of wrong answers, or squares if it answers with numbers."""
    way = model.decision_path(X)
    weight = model._validator.weights(sample_weight, way.shape[0])
    weight = np.ones(way.shape[0]) if weight is None else weight
    tree, classes = model.tree_, getattr(model, "classes_", None)
    leaf = np.ones(tree.node_count, dtype=bool)
    leaf[tree.parents()[1:]] = False
    if classes is None:
        target = model._validator.target(y, way.shape[0], np.float64, True).reshape(way.shape[0], -1)
        own = errors_of_nodes(way, target, tree.value[:, :, 0], weight)
        return Judged(own, leaf, float(own[0]))
    if isinstance(classes, list):
        raise DataError("prune: trees of several targets of classes are not pruned; fit one tree for each")
    target = model._validator.any_target(y, way.shape[0], False)
    own = errors_of_nodes(way, target, classes[tree.value[:, 0].argmax(axis=1)], weight)
    return Judged(own, leaf, float(weight.sum()))


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
