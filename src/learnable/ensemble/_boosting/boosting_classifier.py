"""Base class of boosted tree classifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core import Array, Data, Matrix, ProbabilisticClassifier, Traits, declaring, learned
from ...parts.class_weights import weighted
from ...parts.losses import Logistic, Multinomial
from .boosted_trees import BoostedTrees
from .heads import ClassificationHead


@declaring
class BoostedTreesClassifier(BoostedTrees, ProbabilisticClassifier):
    """Base class of classifiers with a score for each class, or for the second of two."""

    classes_: Array = learned("the classes, sorted", shape="classes")

    traits = Traits(warm_start_keeps_classes=True)

    def _head(self) -> ClassificationHead:
        loss = Logistic() if len(self.classes_) <= 2 else Multinomial()
        return ClassificationHead(self.classes_, loss, base_score=self.base_score)

    def _encode_target(self, data: Data) -> Array:
        return data.y.astype(np.float64)

    def _row_weights(self, data: Data) -> Array | None:
        """The weights of the rows times those of their classes."""
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None:
            return data.weight
        return weighted(class_weight, self.classes_, data.y, data.weight, type(self).__name__)

    def _probabilities(self, X: Matrix) -> Array:
        return self._head().proba(self._scores(X))

    def decision_function(self, X: Any) -> Array:
        """The score of each class, or of the second of two."""
        scores = self._scores(self._read(X))
        return self._head().decision(scores)

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """The scores after each stage."""
        rows = self._read(X)
        head = self._head()
        for scores in self._staged_scores(rows):
            yield head.decision(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """The class probabilities after each stage."""
        rows = self._read(X)
        head = self._head()
        for scores in self._staged_scores(rows):
            yield head.proba(scores)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predicted classes after each stage."""
        for proba in self.staged_predict_proba(X):
            yield self.classes_[proba.argmax(axis=1)]
