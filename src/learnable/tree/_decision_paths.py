"""What a tree can say of itself in words: its rules, and why a row got its answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, Estimator, Matrix
from ..core.printable import printable
from ..engines.trees.split_conditions import Condition, Naming, joined
from ._feature_names import column_names


@dataclass(frozen=True)
class Rule:
    """A leaf in words: conditions that all hold, the answer, the rows behind it and how sure it is.

    `share` is the weight of the answered class among the rows of the leaf; None for numbers.
    """

    leaf: int
    conditions: list[str]
    answer: Any
    rows: int
    share: float | None = None

    def __str__(self) -> str:
        when = " and ".join(self.conditions) or "always"
        sure = "" if self.share is None else f", {self.share:.0%}"
        return f"if {when} then {printable(str(self.answer))}   ({self.rows} rows{sure})"


class Telling(Estimator):
    """A fitted estimator whose `tree_` has `branches`, and whose leaves have values."""

    tree_: Any

    @property
    def impurity_measure(self) -> str:
        """What the impurity of a node is called: that of the criterion, unless a class knows better."""
        return str(getattr(self, "criterion", "impurity"))

    def _categories(self) -> list[Array | None] | None:
        """The values of columns that hold codes."""
        return None

    def _naming(self, names: Any = None, decimals: int = 2) -> Naming:
        """What columns are called: as given, as in the table of `fit`, or x0, x1, ..."""
        self._grown()
        return Naming(column_names(self, names, "x{}"), self._categories(), decimals)

    def rules(self, *, feature_names: Any = None, decimals: int = 2) -> list[Rule]:
        """The tree as rules, one for each leaf, of which exactly one holds for a row without missing entries.

        Which one holds for other rows, `explain` tells.
        """
        naming = self._naming(feature_names, decimals)
        return [self._rule(node, way, naming) for node, way in self._ways() if not self.tree_.branches(node)]

    def explain(self, X: Any, *, feature_names: Any = None, decimals: int = 2) -> list[Rule]:
        """Why each row of `X` got its answer: the rule of the leaf, or the node without a branch for it, it ends in.

        Where an entry of the row is missing, conditions on its column say so.
        """
        naming, ends = self._naming(feature_names, decimals), self.apply(X).tolist()
        requested = set(ends)
        ways = {node: way for node, way in self._ways() if node in requested}
        gaps = [frozenset(np.flatnonzero(row).tolist()) for row in np.isnan(self._coded(self._read(X)))]
        cases = list(zip(ends, gaps, strict=True))
        rules = {case: self._rule(case[0], ways[case[0]], replace(naming, gaps=case[1])) for case in set(cases)}
        return [rules[case] for case in cases]

    def _ways(self) -> Iterator[tuple[int, list[Condition]]]:
        """The nodes from the first down, left ones before right ones, with the conditions that lead to each."""
        open_nodes: list[tuple[int, list[Condition]]] = [(0, [])]
        while open_nodes:
            node, way = open_nodes.pop()
            yield node, way
            open_nodes += [(child, [*way, condition]) for child, condition in reversed(self.tree_.branches(node))]

    @abstractmethod
    def _coded(self, X: Matrix) -> Array:
        """Rows as the tree sees them: numbers, categories by their codes, NaN where nothing is known."""

    @abstractmethod
    def apply(self, X: Any) -> Array:
        """The leaf of each row of `X`."""

    def _grown(self) -> Any:
        """The tree, once it has grown."""
        self._require_fit()
        return self.tree_

    def get_depth(self) -> int:
        """How many divisions a row passes at most."""
        return int(self._grown().max_depth)

    def get_n_leaves(self) -> int:
        """How many leaves there are."""
        return int(self._grown().n_leaves)

    def _rule(self, node: int, way: list[Condition], naming: Naming) -> Rule:
        answer, share = answer_of(self, node)
        conditions = [" ".join(condition.words(naming).split()) for condition in joined(way)]
        return Rule(node, conditions, answer, int(self.tree_.n_node_samples[node]), share)


def answer_of(model: Any, node: int) -> tuple[Any, float | None]:
    """What a node answers, and the share of its rows that agree; None for numbers."""
    value, classes = model.tree_.value[node], getattr(model, "classes_", None)
    if classes is None:
        return (float(value[0, 0]) if len(value) == 1 else value[:, 0].tolist()), None
    if isinstance(classes, list):
        answers = [labels[int(np.argmax(of_target))] for labels, of_target in zip(classes, value, strict=True)]
        return [_plain(answer) for answer in answers], float(np.prod([of_target.max() for of_target in value]))
    return _plain(classes[int(np.argmax(value[0]))]), float(value[0].max())


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
