"""Text and colour of the nodes of a tree diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import ParameterError
from ...engines.trees.split_conditions import Naming
from ...parts.palette import ORANGE, class_colour, tint
from .._feature_names import column_names, given_class_names
from .._single_tree import single_tree


@dataclass(frozen=True)
class NodeText:
    """Formats the text of nodes: scikit-learn's options, and the names of columns and classes."""

    model: Any
    naming: Naming
    class_names: list[str] | None
    label: str = "all"
    impurity: bool = True
    node_ids: bool = False
    proportion: bool = False

    @classmethod
    def of(
        cls, owner: str, model: Any, feature_names: Any, class_names: Any, precision: int, **options: Any
    ) -> NodeText:
        """The formatter for a fitted tree; invalid options raise an error."""
        single_tree(model, owner)
        if options.get("label", "all") not in ("all", "root", "none"):
            raise ParameterError(f"{owner}: label must be 'all', 'root' or 'none'; got {options['label']!r}")
        naming = Naming(column_names(model, feature_names, "x[{}]"), model._categories(), precision)
        return cls(model, naming, _class_names(owner, model, class_names), **options)

    def lines(self, node: int) -> list[str]:
        """The lines of text of a node."""
        tree, label = self.model.tree_, self.label == "all" or (self.label == "root" and node == 0)
        found = [f"node #{node}" if label else f"#{node}"] if self.node_ids else []
        condition = self.split_text(node)
        found += [condition] if condition else []
        if self.impurity:
            found.append(_line(self.model.impurity_measure, self._rounded(tree.impurity[node]), label))
        rows = tree.n_node_samples[node]
        percentage = f"{round(100.0 * rows / tree.n_node_samples[0], 1)}%"
        found.append(_line("samples", percentage if self.proportion else str(rows), label))
        found.append(_line("value", self._value(node), label))
        if self.class_names is not None and len(tree.value[node]) == 1:
            found.append(_line("class", self.class_names[int(np.argmax(tree.value[node][0]))], label))
        return found

    def split_text(self, node: int) -> str:
        """The split of a node: the condition of the left of two branches, or the column of a multiway split."""
        branches = self.model.tree_.branches(node)
        if not branches:
            return ""
        if len(branches) > 2 or not hasattr(branches[0][1], "high"):
            return self._categorical_split(branches)
        condition = branches[0][1]
        if condition.high == np.inf:
            return str(condition.describe(self.naming))
        return f"{self.naming.columns[condition.column]} <= {self._rounded(condition.high)}"

    def _categorical_split(self, branches: Any) -> str:
        if len(branches) == 2:
            return " ".join(str(branches[0][1].describe(self.naming)).split())
        return str(self.naming.columns[branches[0][1].column])

    def _value(self, node: int) -> str:
        tree = self.model.tree_
        value = tree.value[node]
        if self._has_classes and not self.proportion:
            value = value * tree.weighted_n_node_samples[node]
            if np.allclose(value, np.round(value), rtol=0, atol=1e-9):
                return _format_values(np.round(value).astype(int), False)
        return _format_values(np.around(value, self.naming.decimals), not self._has_classes and len(value) == 1)

    def _rounded(self, value: float) -> str:
        return str(round(float(value), self.naming.decimals))

    @property
    def _has_classes(self) -> bool:
        return hasattr(self.model, "classes_")

    def colour(self, node: int) -> str:
        """Colour of the majority class, paler for mixed nodes; in regression, paler for low values."""
        tree = self.model.tree_
        value = tree.value[node]
        if self._has_classes and len(value) == 1:
            proba = np.sort(value[0])[::-1]
            purity = (proba[0] - proba[1]) / (1 - proba[1]) if len(proba) > 1 and proba[1] < 1 else 0.0
            return tint(class_colour(int(np.argmax(value[0]))), float(purity))
        measure = tree.value[:, 0, 0] if len(value) == 1 else -tree.impurity
        extent = float(measure.max() - measure.min())
        return tint(ORANGE, float((measure[node] - measure.min()) / extent) if extent > 0 else 0.0)


def _class_names(owner: str, model: Any, given: Any) -> list[str] | None:
    """Names of the classes; y[0], y[1], ... for True, no names for None or False."""
    classes = getattr(model, "classes_", None)
    if classes is None or isinstance(classes, list) or given is None or given is False:
        return None
    return [f"y[{k}]" for k in range(len(classes))] if given is True else given_class_names(owner, classes, given)


def _line(name: str, value: str, label: bool) -> str:
    return f"{name} = {value}" if label else value


def _format_values(value: Array, bare: bool) -> str:
    rows = ["[" + ", ".join(str(number) for number in row) + "]" for row in value.tolist()]
    if bare:
        return rows[0][1:-1]
    return rows[0] if len(rows) == 1 else "[" + "\n".join(rows) + "]"
