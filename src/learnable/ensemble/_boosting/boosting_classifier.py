"""What classifiers of boosted trees share: from scores to classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core import Array, Matrix, ProbabilisticClassifier, Traits, declaring, learned
from ...core.errors import DataError
from ...engines.trees.boosting import TrainingSet
from ...parts.losses import Logistic, Multinomial
from .boosted_trees import BoostedTrees
from .validation_split import PredictionSnapshot


@declaring
class BoostedTreesClassifier(BoostedTrees, ProbabilisticClassifier):
    """A score for each class, or for the second of two: log-odds that trees add up to."""

    classes_: Array = learned("the classes, sorted", shape="classes")

    traits = Traits(warm_start_keeps_classes=True)

    def _log_loss(self) -> Any:
        return Logistic() if len(self.classes_) <= 2 else Multinomial()

    def _start(self, lesson: TrainingSet) -> Array:
        """The scores that suit all rows best."""
        y = lesson.y if lesson.rows is None else lesson.y[lesson.rows]
        weight = lesson.weights(lesson.rows)
        if len(self.classes_) <= 2:
            return np.array([Logistic().best_constant(y, weight)])
        shares = Multinomial().best_constant(y, weight, len(self.classes_))
        return np.asarray(shares - shares.mean())

    def _validation_target(self, y: Any, rows: int) -> Array:
        labels = self._validator.any_target(y, rows)
        places = np.searchsorted(self.classes_, labels)
        places = np.minimum(places, len(self.classes_) - 1)
        if not (self.classes_[places] == labels).all():
            strange = labels[self.classes_[places] != labels][0]
            raise DataError(f"{type(self).__name__}: y_val has the class {strange!r}, which y has not")
        return places.astype(np.float64)

    def _snapshot(self, scores: Array) -> PredictionSnapshot:
        chances = self._proba(scores)
        answer = self.classes_[chances.argmax(axis=1)]
        return PredictionSnapshot(self.traits.task, self.classes_, answer, chances, self._decision(scores))

    def _proba(self, scores: Array) -> Array:
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if len(self.classes_) > 2:
            return Multinomial().predict(scores)
        from scipy.special import expit

        found = np.empty((len(scores), 2))  # one call for each class: a single row is answered in microseconds
        expit(-scores[:, 0], out=found[:, 0])
        expit(scores[:, 0], out=found[:, 1])
        return found

    def _decision(self, scores: Array) -> Array:
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _probabilities(self, X: Matrix) -> Array:
        return self._proba(self._scores(X))

    def decision_function(self, X: Any) -> Array:
        """The score of each class, or of the second of two."""
        return self._decision(self._scores(self._read(X)))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """The scores after each stage."""
        for scores in self._staged_scores(self._read(X)):
            yield self._decision(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """The probabilities after each stage."""
        for scores in self._staged_scores(self._read(X)):
            yield self._proba(scores)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The predicted classes after each stage."""
        for chances in self.staged_predict_proba(X):
            yield self.classes_[chances.argmax(axis=1)]
