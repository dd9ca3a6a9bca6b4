"""A fitted classifier with the calibrators that turn its scores into probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError
from ..core.sklearn_api.estimator_type import decides_pairs
from ..core.validate.columns import take_columns
from ..parts.isotonic import fit_isotonic
from ..parts.platt import fit_sigmoid
from ..parts.temperature import TemperatureMap, fit_temperature

Method = Literal["sigmoid", "isotonic", "temperature"]
MIN_PROBABILITY = 1e-12


@dataclass(frozen=True)
class CalibratedClassifier:
    """A classifier and its calibrators: one for each class it knows (one for two classes), or one temperature for all.

    `rows` are those that it was fitted to, if tables hold comparisons with all of them.
    """

    estimator: Any
    calibrators: list[Any]
    classes: Array
    method: Method
    rows: Array | None = None

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        known = np.searchsorted(self.classes, self.estimator.classes_)
        known_to_it = X if self.rows is None else take_columns(X, self.rows)
        found = probabilities(scores_of(self.estimator, known_to_it), self.calibrators, self.method)
        spread = np.zeros((len(found), len(self.classes)))
        spread[:, known] = found
        return spread


def scores_of(model: Any, X: Any) -> tuple[Array, bool]:
    """Decision scores, a column per class or one for two classes; and whether they are probabilities."""
    are_probabilities = not hasattr(model, "decision_function")
    found = np.asarray(model.predict_proba(X) if are_probabilities else model.decision_function(X), dtype=np.float64)
    if are_probabilities and found.shape[1] == 2:
        found = found[:, 1]
    table, classes = found.reshape(len(found), -1), len(model.classes_)
    if table.shape[1] not in (1, classes) or (not are_probabilities and decides_pairs(model)):
        raise ParameterError(
            f"{type(model).__name__} has {table.shape[1]} decisions for {classes} classes, one for each pair, but "
            "calibration needs one for each class; set decision_function_shape='ovr'"
        )
    return table, are_probabilities


def curves(scores: tuple[Array, bool], codes: Array, weight: Array | None, classes: int, method: Method) -> list[Any]:
    """Calibration maps fitted to the scores of rows and the codes of their classes, numbered as in the classifier."""
    table, _ = scores
    if classes == 1:
        return []  # the only class has probability one
    if method == "temperature":
        return [TemperatureMap(fit_temperature(_logits(*scores), codes, weight))]
    indices = [classes - 1] if table.shape[1] == 1 else range(classes)
    fit = fit_sigmoid if method == "sigmoid" else _isotonic
    return [fit(column, codes == index, weight) for column, index in zip(table.T, indices, strict=True)]


def probabilities(scores: tuple[Array, bool], calibrators: list[Any], method: Method) -> Array:
    """The probabilities of the classes that the classifier knows."""
    table, _ = scores
    if not calibrators:
        return np.ones((len(table), 1))
    if method == "temperature":
        return np.asarray(calibrators[0](_logits(*scores)))
    found = np.column_stack([curve(column) for curve, column in zip(calibrators, table.T, strict=True)])
    if found.shape[1] == 1:
        return np.hstack([1 - found, found])
    total = found.sum(axis=1, keepdims=True)
    even = np.full_like(found, 1 / found.shape[1])
    return np.asarray(np.divide(found, total, out=even, where=total != 0))


def _isotonic(scores: Array, positive: Array, weight: Array | None) -> Any:
    return fit_isotonic(scores, positive.astype(np.float64), weight)


def _logits(table: Array, are_probabilities: bool) -> Array:
    """Scores whose softmax means probabilities: decision values as they are, probabilities by their logarithm."""
    if table.shape[1] == 1:
        table = np.hstack([1 - table, table]) if are_probabilities else np.hstack([-table, table])
    looks_like_probabilities = bool((table >= 0).all() and (table <= 1).all() and np.allclose(table.sum(axis=1), 1.0))
    return np.log(table + MIN_PROBABILITY) if looks_like_probabilities else table
