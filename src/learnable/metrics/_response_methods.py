"""Predictions of a fitted estimator in the shape that a metric takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ..core.sklearn_api.estimator_type import decides_pairs, is_classifier

Methods = str | Sequence[str]


def response_method_of(estimator: Any, methods: Methods) -> Any:
    """The first of `methods` that the estimator has."""
    requested = [methods] if isinstance(methods, str) else list(methods)
    for name in requested:
        method = getattr(estimator, name, None)
        if method is not None:
            return method
    raise AttributeError(f"{type(estimator).__name__} has no {', '.join(requested)}.")


def response_values(estimator: Any, X: Any, methods: Methods, pos_label: Any = None) -> tuple[Any, Any]:
    """Predictions for the rows of `X` and the positive class: one number a row where there are two classes.

    A table of two probabilities becomes the column of `pos_label`, or of the last class; a decision function changes
    its sign where the first class is the positive one.
    """
    method = response_method_of(estimator, methods)
    if not is_classifier(estimator):
        return method(X), None
    classes = estimator.classes_
    several = isinstance(classes, list) or np.ndim(classes) > 1
    binary = not several and len(classes) <= 2
    if binary:
        pos_label = _positive(classes, pos_label)
    predictions = method(X)
    name = method.__name__
    if name in ("predict_proba", "predict_log_proba"):
        return _probabilities(predictions, classes, pos_label, binary), pos_label
    if name == "decision_function" and binary and pos_label == classes[0]:
        return -1 * predictions, pos_label
    if name == "decision_function" and decides_pairs(estimator):
        raise ParameterError(
            f"{type(estimator).__name__} scores pairs of classes, but a metric needs a score for each class; set "
            "decision_function_shape='ovr'"
        )
    return predictions, pos_label


def binary_response(estimator: Any, X: Any, methods: Methods = "auto", pos_label: Any = None) -> tuple[Array, Any, str]:
    """Scores of the positive class from a classifier of two classes, that class, and the method that gave them."""
    owner = type(estimator).__name__
    if not is_classifier(estimator):
        raise ParameterError(f"A classifier of two classes is needed; {owner} is not a classifier.")
    if not hasattr(estimator, "classes_"):
        from ..core.errors import not_fitted

        raise not_fitted(estimator)
    if len(estimator.classes_) != 2:
        raise ParameterError(
            f"A classifier of two classes is needed; this one has {len(estimator.classes_)}. Take one class at a time: "
            "y == c against the column of predict_proba for c."
        )
    if methods == "auto":
        methods = ("predict_proba", "decision_function")
    values, pos_label = response_values(estimator, X, methods, pos_label)
    return np.asarray(values), pos_label, response_method_of(estimator, methods).__name__


def _positive(classes: Any, pos_label: Any) -> Any:
    if pos_label is None:
        return classes[-1]
    if pos_label not in np.asarray(classes).tolist():
        raise ParameterError(f"pos_label={pos_label} is not one of the classes {classes}; choose one of them")
    return pos_label


def _probabilities(predictions: Any, classes: Any, pos_label: Any, binary: bool) -> Any:
    if isinstance(predictions, list):  # one table for each of several labels
        return np.vstack([table[:, -1] for table in predictions]).T
    if not binary:
        return predictions
    if predictions.shape[1] < 2:
        raise ParameterError(f"A classifier of two classes is needed; predict_proba has the shape {predictions.shape}.")
    return predictions[:, np.flatnonzero(np.asarray(classes) == pos_label)[0]]
