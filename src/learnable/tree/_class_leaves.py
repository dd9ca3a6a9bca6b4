"""Leaves that tell classes apart, of one tree or of many."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, ProbabilisticClassifier, declaring, learned, param
from ..engines.trees.classification_target import ClassTargets


@declaring
class ClassLeaves(ProbabilisticClassifier):
    """A classifier of one or several targets, whose leaves hold the shares of classes."""

    criterion: Literal["gini", "entropy", "log_loss"] = param("gini", "what a division removes most of")
    classes_: Array | list[Array] = learned("the classes, sorted; a list if there are several targets")
    n_classes_: int | list[int] = learned("number of classes; a list for several targets")

    def _labels(self) -> list[Array]:
        """The classes of each target."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _class_targets(self, y: Array) -> ClassTargets:
        """What trees are to tell apart."""
        targets = ClassTargets.of(y, self._labels(), self.criterion)
        self.n_classes_ = targets.sizes if isinstance(self.classes_, list) else targets.sizes[0]
        return targets

    def _shares(self, found: Array) -> Any:
        """The shares of classes as they are told, from values of (rows, targets, classes)."""
        if not isinstance(self.classes_, list):
            return found[:, 0]
        return [found[:, t, : len(labels)] for t, labels in enumerate(self.classes_)]
