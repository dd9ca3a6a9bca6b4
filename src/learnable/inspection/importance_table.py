"""Feature importances of a model by several measures, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import checks_sparse
from ..engines.trees.additive_trees import is_tree_sum
from ._perturbed_tables import as_table, names_of
from .permutation import permutation_importance
from .shapley import shap_values


@dataclass(frozen=True)
class ImportanceTable:
    """Feature importances, sorted: `shuffled` with `low` and `high`, `impurity` and `shapley` where known.

    `shuffled` is the score lost when a column is shuffled, with a 95% interval over the shuffles; `impurity` the share
    of the impurity removed in training, `shapley` the mean size of Shapley values.
    """

    names: list[str]
    shuffled: Array
    low: Array
    high: Array
    impurity: Array | None = None
    shapley: Array | None = None

    def __str__(self) -> str:
        wide = max(6, *map(len, self.names))
        parts = {"shuffled": self.shuffled, "low": self.low, "high": self.high}
        parts |= {name: part for name in ("impurity", "shapley") if (part := getattr(self, name)) is not None}
        lines = [" " * wide + "".join(f"{name:>11}" for name in parts)]
        for j, name in enumerate(self.names):
            lines.append(f"{name:<{wide}}" + "".join(f"{part[j]:11.4g}" for part in parts.values()))
        return "\n".join(lines)


@checks_sparse
def importances(
    model: Any, X: Any, y: Any, *, scoring: Any = None, n_repeats: int = 10, random_state: Any = None,
    sample_weight: Any = None, n_jobs: int | None = None,
) -> ImportanceTable:  # fmt: skip
    """Feature importances of a fitted model on the rows of `X`: by permutation, and its own where it has them.

    score(X, y) - mean score with the column shuffled;   impurity removed;   mean |Shapley value|

    Where the interval of the first includes zero, the score does not need the column. [Breiman, 2001]

    >>> from learnable import DecisionTreeRegressor
    >>> X, y = [[1.0, 5.0], [2.0, 1.0], [3.0, 4.0], [4.0, 2.0]], [1.0, 2.0, 3.0, 4.0]
    >>> importances(DecisionTreeRegressor().fit(X, y), X, y, random_state=0).names
    ['x0', 'x1']
    """
    found = permutation_importance(
        model, X, y, scoring=scoring, n_repeats=n_repeats, random_state=random_state, sample_weight=sample_weight,
        n_jobs=n_jobs,
    )  # fmt: skip
    order = np.argsort(-found.importances_mean, kind="stable")
    names = names_of(as_table(X))
    impurity, shapley = getattr(model, "feature_importances_", None), None
    if is_tree_sum(model):
        values = shap_values(model, X).values
        shapley = np.abs(values).reshape(len(values), len(names), -1).mean(axis=(0, 2))[order]
    return ImportanceTable(
        [names[j] for j in order], found.importances_mean[order], found.low[order], found.high[order],
        None if impurity is None else np.asarray(impurity)[order], shapley,
    )  # fmt: skip
