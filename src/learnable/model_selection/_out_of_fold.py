"""Predictions for rows by models that did not see them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.errors import warn
from ..core.roles.estimator import cloned
from ..core.sklearn_api.estimator_type import is_pairwise
from ..engines.folds import Fold
from ..engines.parallel import each
from ._evaluation import FitArguments, fitted

LABELLED = ("predict_proba", "predict_log_proba", "decision_function")


def gathered(sample: FitArguments, parts: list[Fold], estimator: Any, method: str, n_jobs: int | None) -> Any:
    """The predictions of all folds in the order of the rows; a row must be tested exactly once."""
    tested = np.concatenate([test for _, test in parts])
    if not np.array_equal(np.sort(tested), np.arange(sample.n)):
        raise DataError("cross_val_predict: cross_val_predict only works for partitions: each row must be tested once")
    if not hasattr(estimator, method):
        raise ParameterError(f"cross_val_predict: {type(estimator).__name__} has no method {method!r}")
    classes = None
    if method in LABELLED and sample.y is not None:
        classes = np.unique(np.asarray(sample.y)) if np.ndim(sample.y) == 1 else None
    predictions: list[Any] = [None] * len(parts)
    for place, prediction in each(_predict_fold, (sample, estimator, method, classes), parts, n_jobs):
        predictions[place] = prediction
    order = np.argsort(tested, kind="stable")
    if isinstance(predictions[0], list):  # a prediction per target
        return [
            np.concatenate([prediction[t] for prediction in predictions])[order] for t in range(len(predictions[0]))
        ]
    if hasattr(predictions[0], "tocsr"):
        from scipy import sparse

        return sparse.vstack(predictions, format=predictions[0].format)[order]
    return np.concatenate([np.asarray(prediction) for prediction in predictions])[order]


def _predict_fold(sample: FitArguments, estimator: Any, method: str, classes: Array | None, fold: Fold) -> Any:
    """The predictions for one test fold, with a column for every class of the whole table."""
    train, test = fold
    columns = train if is_pairwise(estimator) else None
    model = fitted(cloned(estimator), sample.part(train, columns))
    prediction = getattr(model, method)(sample.part(test, columns).X)
    known = getattr(model, "classes_", None)
    if classes is None or known is None or isinstance(prediction, list) or len(known) == len(classes):
        return prediction
    return _widened(prediction, known, classes, method)


def _widened(prediction: Array, known: Array, classes: Array, method: str) -> Array:
    """Columns for classes that the training rows lack: probability zero, or the lowest score there is."""
    if method == "decision_function" and (prediction.ndim == 1 or prediction.shape[1] != len(known)):
        raise DataError(
            f"cross_val_predict: a fold trains on {len(known)} of {len(classes)} classes, and scores of the others "
            "would be missing; use StratifiedKFold"
        )
    warn(
        f"A fold trains on {len(known)} of {len(classes)} classes; the columns of the others are filled up: use "
        "StratifiedKFold",
        RuntimeWarning,
    )
    lowest = {
        "predict_proba": 0.0,
        "predict_log_proba": np.finfo(prediction.dtype).min,
        "decision_function": np.finfo(prediction.dtype).min,
    }
    wide = np.full((len(prediction), len(classes)), lowest[method], dtype=prediction.dtype)
    wide[:, np.searchsorted(classes, known)] = prediction
    return wide
