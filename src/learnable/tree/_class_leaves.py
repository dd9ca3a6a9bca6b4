"""Base class of classifiers whose leaves hold class proportions: trees and forests."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, ProbabilisticClassifier, declaring, learned, param


@declaring
class TreeClassifierLeaves(ProbabilisticClassifier):
    """Base class of tree and forest classifiers of one or several targets."""

    criterion: Literal["gini", "entropy", "log_loss"] = param("gini", "impurity that a split reduces")
    classes_: Array | list[Array] = learned("the classes, sorted; a list if there are several targets")
    n_classes_: int | list[int] = learned("number of classes; a list for several targets")

    def _labels(self) -> list[Array]:
        """The classes of each target."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _split_targets(self, proba: Array) -> Any:
        """Class probabilities of one target, or a list for several, from an array (rows, targets, classes)."""
        if not isinstance(self.classes_, list):
            return proba[:, 0]
        return [proba[:, t, : len(labels)] for t, labels in enumerate(self.classes_)]
