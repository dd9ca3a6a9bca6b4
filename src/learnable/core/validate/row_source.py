"""Rows that are read in blocks, as they exceed memory or are spread over a cluster: the methods that accept them.

`learnable.scale.scan` makes a row source of files, Dask collections and others. Public methods of estimators that take
a table take a row source too: `fit` learns in passes over the blocks, predictions and `transform` give another source.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from contextvars import ContextVar
from typing import Any

APPLIED = frozenset(
    {
        "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function", "transform",
        "inverse_transform", "score_samples",
    }
)  # fmt: skip
"""Methods that give as many rows as they are given."""
READ_BLOCKS = APPLIED | {"fit", "fit_transform", "fit_predict", "score"}
"""Methods that accept row sources."""
COLLECTIONS = ("dask", "dask_expr")
"""Packages whose arrays and frames are scanned where they are given to such a method."""

EXACT_SUMS: ContextVar[bool] = ContextVar("learnable_exact_sums", default=False)
"""Whether sums are to be free of rounding errors, where a method has such sums."""


class RowSource(ABC):
    """Rows that are read in blocks."""

    @abstractmethod
    def fit_estimator(self, estimator: Any, y: Any, sample_weight: Any) -> None:
        """Fit `estimator` to these rows; `y` and the weights are names of columns, or None for those of the source."""

    @abstractmethod
    def apply(self, model: Any, method: str) -> RowSource:
        """The rows that `method` of a fitted model gives for these, computed when they are read."""

    @abstractmethod
    def score_model(self, model: Any, y: Any, sample_weight: Any) -> float:
        """The `score` of a fitted model."""


def is_collection(X: Any) -> bool:
    """Whether it is an array or frame of a package that holds it in parts."""
    return type(X).__module__.partition(".")[0] in COLLECTIONS


def on_blocks(estimator: Any, method: str, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """What a method of an estimator gives for a row source or a collection."""
    if not isinstance(X, RowSource):
        X, y, sample_weight = importlib.import_module("learnable.scale.scans").scan_collection(X, y, sample_weight)
    if method == "score":
        return X.score_model(estimator, y, sample_weight)
    if method in APPLIED:
        return X.apply(estimator, method)
    X.fit_estimator(estimator, y, sample_weight)
    return estimator if method == "fit" else X.apply(estimator, method.removeprefix("fit_"))
