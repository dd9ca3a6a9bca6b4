"""Base classes of classifiers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..declare import params
from ..errors import DataError
from ..runtime.trace import Trace
from ..validate.features import Array, Data, Matrix
from ..validate.range_errors import check_predictions
from .estimator import Estimator
from .traits import Traits


class Classifier(Estimator):
    """An estimator that predicts one of several classes.

    `_fit` sees the classes as integer codes: `data.y` holds the index of each row's label in the sorted `classes_`,
    which a class declares as a learned attribute and finds set. With `multi_target`, a `y` of several columns makes
    `classes_` a list with the labels of each, and `data.y` has those columns too. With `multi_label`, a `y` of zeros
    and ones in several columns makes `classes_` the numbers of these, and `data.y` is what it was.
    """

    traits = Traits(task="classification")

    classes_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and their classes `y`; a weight of 3 counts a row as three copies."""
        params.check(self)
        return self._fit_entered(*self._enter_to_learn(X, sample_weight), y, sample_weight)

    def _fit_entered(self, matrix: Matrix, names: list[str] | None, y: Any, sample_weight: Any, **options: Any) -> Self:
        """Fit to rows that have been validated; `options` are passed on to `_fit`."""
        if "n_features_in_" in self.__dict__ and getattr(self, "warm_start", False):
            self._check_columns(matrix, names)
        rows = matrix.shape[0]
        classes, codes = self._classes(y, rows)
        if self.traits.warm_start_keeps_classes and getattr(self, "warm_start", False):
            self._check_classes(classes)
        data = Data(matrix, codes, self._validator.weights(sample_weight, rows), names)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(matrix, names)
            self.classes_ = classes
            self._fit(data, trace, **options)
        return self

    def _block_data(self, X: Any, y: Any, sample_weight: Any) -> Data:
        """The validated rows of one block of a row source, with the class of each as an index into `classes_`."""
        matrix, names = self._enter_to_learn(X, sample_weight)
        labels, codes = self._validator.classes(y, matrix.shape[0])
        present = np.searchsorted(self.classes_, labels)[codes]
        return Data(matrix, present, self._validator.weights(sample_weight, matrix.shape[0]), names)

    def _classes(self, y: Any, rows: int) -> tuple[Any, Array]:
        """The new `classes_`, and the class of each row as an index into it."""
        validator = self._validator
        if self.traits.multi_target:
            return validator.classes_of_each(y, rows)
        return validator.labels(y, rows) if self.traits.multi_label else validator.classes(y, rows)

    def _check_classes(self, classes: Any) -> None:
        """Refuse a warm start with other classes."""
        both = (self.__dict__.get("classes_", classes), classes)
        before, now = ([labels.tolist() for labels in (each if isinstance(each, list) else [each])] for each in both)
        if before != now:
            raise DataError(
                f"{type(self).__name__}: warm_start adds to what was learned of the classes {str(before)[1:-1]:.80}, "
                f"and y has {str(now)[1:-1]:.80}; bring rows of all of them and no others, or set warm_start=False"
            )

    def predict(self, X: Any) -> Array:
        """The predicted class of each row of `X`; where there are several targets, of each."""
        codes = self._classify(self._read(X))
        if isinstance(self.classes_, list):
            return np.column_stack([labels[codes[:, t]] for t, labels in enumerate(self.classes_)])
        return codes if codes.ndim == 2 else np.asarray(self.classes_[codes])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the predictions for `X`; with several targets or labels, all of a row must be correct."""
        return accuracy_of(self, self.predict(X), y, sample_weight)

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _classify(self, X: Matrix) -> Array:
        """The index in `classes_` of each row's predicted class; zeros and ones where rows have several labels."""


def accuracy_of(model: Estimator, predicted: Array, y: Any, sample_weight: Any = None) -> float:
    """Accuracy of predictions; with several targets or labels, all of a row must be correct."""
    truth = model._validator.any_target(y, len(predicted), predicted.ndim == 2)
    if truth.shape != predicted.shape:
        raise DataError(f"{type(model).__name__}: y has shape {truth.shape}, the predictions {predicted.shape}")
    correct = (truth == predicted).reshape(len(predicted), -1).all(axis=1)
    return float(np.average(correct, weights=model._validator.weights(sample_weight, len(predicted))))


class ProbabilisticClassifier(Classifier):
    """A classifier that predicts class probabilities."""

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, a column per entry of `classes_`, for the rows of `X`; a list if those are."""
        rows = self._read(X)
        return check_predictions(self, self._probabilities(rows), rows)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of `predict_proba(X)`."""
        found = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(of_target) for of_target in found] if isinstance(found, list) else np.log(found)

    def _classify(self, X: Matrix) -> Array:
        found = check_predictions(self, self._probabilities(X), X)
        if isinstance(found, list):
            return np.column_stack([of_target.argmax(axis=1) for of_target in found])
        return np.asarray(np.argmax(found, axis=1))

    @abstractmethod
    def _probabilities(self, X: Matrix) -> Any:
        """The probabilities of the classes, a column each; a list with those of each target if there are several."""
