"""Decision rules of a tree in words, and the rule behind the prediction of a row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, Estimator, Matrix
from ..core.printable import printable
from ..engines.trees.split_conditions import Condition, Naming, merge_conditions
from ._feature_names import column_names


@dataclass(frozen=True)
class Rule:
    """A leaf as a decision rule: the conjunction of its conditions, the prediction and the training rows behind it.

    `share` is the fraction of the weight in the predicted class; None for regression.
    """

    leaf: int
    conditions: list[str]
    prediction: Any
    rows: int
    share: float | None = None

    def __str__(self) -> str:
        when = " and ".join(self.conditions) or "always"
        fraction = "" if self.share is None else f", {self.share:.0%}"
        return f"if {when} then {printable(str(self.prediction))}   ({self.rows} rows{fraction})"


class ExplainableTree(Estimator):
    """Base class of decision trees that can be described by rules: `tree_` has `branches` and leaf values."""

    tree_: Any

    @property
    def impurity_measure(self) -> str:
        """The name of the impurity of a node: that of the criterion, unless a class overrides it."""
        return str(getattr(self, "criterion", "impurity"))

    def _categories(self) -> list[Array | None] | None:
        """The category values of columns that hold codes."""
        return None

    def _naming(self, names: Any = None, decimals: int = 2) -> Naming:
        """Names of the columns: as given, as in the table of `fit`, or x0, x1, ..."""
        self._fitted_tree()
        return Naming(column_names(self, names, "x{}"), self._categories(), decimals)

    def rules(self, *, feature_names: Any = None, decimals: int = 2) -> list[Rule]:
        """The tree as decision rules, one for each leaf; exactly one of them holds for a row without missing values.

        `explain` gives the rule for other rows.
        """
        naming = self._naming(feature_names, decimals)
        return [self._rule(node, path, naming) for node, path in self._paths() if not self.tree_.branches(node)]

    def explain(self, X: Any, *, feature_names: Any = None, decimals: int = 2) -> list[Rule]:
        """The decision rule behind the prediction of each row of `X`: that of the leaf, or the node, in which it ends.

        Conditions on a missing value state the branch of missing values.
        """
        naming, ends = self._naming(feature_names, decimals), self.apply(X).tolist()
        reached = set(ends)
        paths = {node: path for node, path in self._paths() if node in reached}
        missing = [frozenset(np.flatnonzero(row).tolist()) for row in np.isnan(self._coded(self._read(X)))]
        cases = list(zip(ends, missing, strict=True))
        rules = {
            case: self._rule(case[0], paths[case[0]], replace(naming, missing_columns=case[1])) for case in set(cases)
        }
        return [rules[case] for case in cases]

    def _paths(self) -> Iterator[tuple[int, list[Condition]]]:
        """The nodes in depth-first order, left before right, with the conditions on the path to each."""
        open_nodes: list[tuple[int, list[Condition]]] = [(0, [])]
        while open_nodes:
            node, path = open_nodes.pop()
            yield node, path
            open_nodes += [(child, [*path, condition]) for child, condition in reversed(self.tree_.branches(node))]

    @abstractmethod
    def _coded(self, X: Matrix) -> Array:
        """Rows as the tree reads them: numbers, categories by their codes, NaN for missing values."""

    @abstractmethod
    def apply(self, X: Any) -> Array:
        """The leaf of each row of `X`."""

    def _fitted_tree(self) -> Any:
        """The fitted tree; an error before `fit`."""
        self._require_fit()
        return self.tree_

    def get_depth(self) -> int:
        """Depth of the tree: the maximum number of splits from the root to a leaf."""
        return int(self._fitted_tree().max_depth)

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        return int(self._fitted_tree().n_leaves)

    def _rule(self, node: int, path: list[Condition], naming: Naming) -> Rule:
        prediction, fraction = prediction_of(self, node)
        conditions = [" ".join(condition.describe(naming).split()) for condition in merge_conditions(path)]
        return Rule(node, conditions, prediction, int(self.tree_.n_node_samples[node]), fraction)


def prediction_of(model: Any, node: int) -> tuple[Any, float | None]:
    """The prediction of a node, and the fraction of its weight in the predicted class; None for regression."""
    value, classes = model.tree_.value[node], getattr(model, "classes_", None)
    if classes is None:
        return (float(value[0, 0]) if len(value) == 1 else value[:, 0].tolist()), None
    if isinstance(classes, list):
        predicted = [labels[int(np.argmax(of_target))] for labels, of_target in zip(classes, value, strict=True)]
        return [_plain(label) for label in predicted], float(np.prod([of_target.max() for of_target in value]))
    return _plain(classes[int(np.argmax(value[0]))]), float(value[0].max())


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
