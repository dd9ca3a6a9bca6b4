"""Export of decision trees as text, one line for each condition and each leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, checked, limits
from ..core.errors import ParameterError
from ..core.printable import printable
from ..engines.trees.split_conditions import Naming
from ._feature_names import column_names, given_class_names
from ._single_tree import single_tree


@checked(max_depth=limits(at_least=0), spacing=limits(at_least=1), decimals=limits(at_least=0))
def export_text(
    decision_tree: Any, *, feature_names: Column | None = None, class_names: Column | bool | None = None,
    max_depth: int = 10, spacing: int = 3,
    decimals: int = 2, show_weights: bool = False,
) -> str:  # fmt: skip
    """Export a decision tree as indented text; branches below `max_depth` are summarised by their depth.

    A line "|--- x <= t" for each branch, and "|--- class: c" or "|--- value: [v]" for each leaf

    Binary and multiway trees are accepted. `show_weights` adds the weight of each class.

    >>> from learnable import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
    >>> print(export_text(tree, feature_names=["size"]))
    |--- size <= 1.50
    |   |--- class: a
    |--- size >  1.50
    |   |--- class: b
    <BLANKLINE>
    """
    tree = single_tree(decision_tree, "export_text")
    for name, value, minimum in (("max_depth", max_depth, 0), ("spacing", spacing, 1), ("decimals", decimals, 0)):
        if value < minimum:
            raise ParameterError(f"export_text: {name} must be at least {minimum}; got {value!r}")
    names = column_names(decision_tree, feature_names, "feature_{}")
    naming = Naming(names, decision_tree._categories(), decimals)
    labels = class_labels(decision_tree, class_names)
    writer = _Writer(tree, naming, labels, max_depth, spacing, show_weights)
    writer.write()
    return "\n".join([*writer.lines, ""])


class _Writer:
    """Collects the lines of a tree from its root down."""

    def __init__(
        self, tree: Any, naming: Naming, labels: list[Any] | None, max_depth: int, spacing: int, weights: bool
    ) -> None:
        self.tree, self.naming, self.labels = tree, naming, labels
        self.max_depth, self.spacing, self.weights = max_depth, spacing, weights
        self.lines: list[str] = []

    def write(self) -> None:
        """Write the lines of all nodes in depth-first order, the condition of a node first."""
        waiting: list[tuple[int, int, Any]] = [(0, 1, None)]
        while waiting:
            node, depth, condition = waiting.pop()
            if condition is not None:
                self.lines.append(f"{self._indent(depth - 1)} {condition.describe(self.naming)}")
            branches = self.tree.branches(node)
            below = 1 if depth <= self.max_depth + 1 or not branches else _depth(self.tree, node)
            if not branches:
                self.lines.append(self._indent(depth) + self._leaf(node))
            elif below > 1:
                self.lines.append(f"{self._indent(depth)} truncated branch of depth {below}")
            else:
                waiting += [(child, depth + 1, condition) for child, condition in reversed(branches)]

    def _indent(self, depth: int) -> str:
        return ("|" + " " * self.spacing) * (depth - 1) + "|" + "-" * self.spacing

    def _leaf(self, node: int) -> str:
        value = self.tree.value[node]
        if self.labels is None:
            return f" value: {self._numbers(value[:, 0])}"
        proba = value[0] if len(value) == 1 else value[:, 0]
        weight = self.tree.weighted_n_node_samples[node]
        weights = f" weights: {self._numbers(proba * weight)}" if self.weights else ""
        predicted = int(np.argmax(proba))
        return f"{weights} class: {self.labels[predicted] if len(value) == 1 else predicted}"

    def _numbers(self, values: Array) -> str:
        return "[" + ", ".join(self.naming.number(value) for value in values) + "]"


def _depth(tree: Any, node: int) -> int:
    """Number of levels of a branch."""
    deepest, level = 0, [node]
    while level:
        deepest, level = deepest + 1, [child for at in level for child, _ in tree.branches(at)]
    return deepest


def class_labels(model: Any, given: Any) -> list[Any] | None:
    """Names of the classes, as given or as learned; None for a regression tree."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return None
    return (
        [printable(str(label)) for label in classes]
        if given is None
        else given_class_names("export_text", classes, given)
    )
