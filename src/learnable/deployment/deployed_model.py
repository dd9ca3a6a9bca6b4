"""Deployed models: fitted models with the description of their columns and calibrated uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare import registry
from ..core.validate.sparse_input import ChecksSparse
from .column_histogram import ColumnHistogram, drifted_columns
from .expected_column import ExpectedColumn

Task = Literal["regression", "binary", "multi-class"]


def conformal_reach(scores: Array, share: float) -> float:
    """The conformal quantile: the ceil((n + 1) share)-th smallest of n scores; infinite if there are fewer.

    >>> conformal_reach(np.arange(1.0, 100.0), 0.55)
    55.0
    """
    rank = math.ceil(round((len(scores) + 1) * share, 9))
    return float(np.sort(scores)[rank - 1]) if rank <= len(scores) else np.inf


@registry.value
@dataclass(frozen=True)
class DeployedModel(ChecksSparse):
    """A fitted model, its expected columns, and its nonconformity scores on out-of-fold rows.

    interval:  f(x) - q <= y <= f(x) + q,   q the ceil((n + 1) share)-th smallest of |y_i - f_{-i}(x_i)|
    set:       all classes k with 1 - p_k(x) <= q,   q the same of 1 - p_{y_i}(x_i)

    `misses` are these n nonconformity scores, each from a model not trained on row i. If new rows are exchangeable with
    the training rows, intervals and sets cover the true value of about `share` of them.
    [Vovk, Gammerman and Shafer, 2005; Barber and others, 2021]

    `missing` are additional marks of missing values, such as -999, in training rows and new rows.
    Created by `learnable study`, saved in `model.learnable`, read by `learnable.load`. A table may have more columns
    than expected, in any order.

    >>> import learnable
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> columns = [ExpectedColumn.of("x", np.array([0.0, 1.0, 2.0, 3.0]))]
    >>> model = DeployedModel(learnable.LinearRegression().fit(X, y), "regression", "y", columns, np.array([0.1, 0.2]))
    >>> model.interval([[1.5]], 0.5).round(2).tolist()
    [[1.3, 1.7]]
    """

    model: Any
    task: Task
    target: str
    columns: list[ExpectedColumn]
    misses: Array
    positive: Any = None
    threshold: float | None = None
    card: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The columns that a table must have."""
        return [column.name for column in self.columns]

    @property
    def classes_(self) -> Array:
        """The classes, in the order of `predict_proba`."""
        return np.asarray(self.model.classes_)

    def predict(self, X: Any) -> Array:
        """The predicted number of each row, or the class that follows from its probabilities."""
        return np.asarray(self.model.predict(X)) if self.task == "regression" else self.decided(self.predict_proba(X))

    def decided(self, proba: Array) -> Array:
        """The most probable class of each row; with a threshold, the positive class from that probability on.

        Ties go to the first class, where the positive class counts as the last.
        """
        if self.task != "binary" or self.positive is None:
            return np.asarray(self.classes_[proba.argmax(axis=1)])
        index = int(np.argmax(self.classes_ == self.positive))
        positive, other = proba[:, index], proba[:, 1 - index]
        chosen = positive > other if self.threshold is None else positive >= self.threshold
        return np.asarray(self.classes_[np.where(chosen, index, 1 - index)])

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        return np.asarray(self.model.predict_proba(X))

    def interval(self, X: Any, share: float = 0.9) -> Array:
        """Prediction intervals with coverage `share`, as two columns: lower and upper ends."""
        prediction, reach = self.predict(X), self.reach(share)
        return np.column_stack([prediction - reach, prediction + reach])

    def sets(self, X: Any, share: float = 0.9) -> Array:
        """Prediction sets with coverage `share`: a Boolean column for each class, true for the most probable one."""
        proba = self.predict_proba(X)
        found = 1 - proba <= self.reach(share)
        found[np.arange(len(proba)), proba.argmax(axis=1)] = True
        return np.asarray(found)

    def reach(self, share: float) -> float:
        """The conformal quantile of the scores at coverage `share`; infinite beyond the largest score."""
        if not 0 < share < 1:
            raise ParameterError(f"share must be a fraction of the rows, between 0 and 1; got {share!r}")
        return conformal_reach(self.misses, share)

    def strange(self, columns: dict[str, Array]) -> Array:
        """A Boolean column for each expected column: entries outside the range or the categories of training rows."""
        if missing := [name for name in self.names if name not in columns]:
            raise DataError(f"the table has no column {missing[0]!r}; the model expects {', '.join(self.names)}")
        return np.column_stack([column.strange(columns[column.name]) for column in self.columns])

    @property
    def histograms(self) -> dict[str, ColumnHistogram]:
        """The histograms of the training rows, of the columns that have one."""
        return {column.name: column.histogram for column in self.columns if column.histogram is not None}

    def drifted(self, columns: dict[str, Array]) -> list[str]:
        """The columns of new rows that do not follow the distribution of the training rows, most different first."""
        known = {name: histogram for name, histogram in self.histograms.items() if name in columns}
        return drifted_columns(known, {name: histogram.counted(columns[name]) for name, histogram in known.items()})

    def flaw(self) -> str:
        """The defect of a model from a file; empty if it is valid."""
        if not hasattr(self.model, "predict"):
            return "its model has no predict method"
        if not all(isinstance(column, ExpectedColumn) for column in self.columns):
            return "an expected column is not an ExpectedColumn"
        if not all(isinstance(histogram, ColumnHistogram) for histogram in self.histograms.values()):
            return "a histogram is not a ColumnHistogram"
        if not all(isinstance(mark, str) for mark in self.missing):
            return "a mark of missing values is not a text"
        if not isinstance(self.misses, np.ndarray) or self.misses.ndim != 1 or self.misses.dtype.kind != "f":
            return "misses must be a vector of numbers"
        if np.isnan(self.misses).any() or (self.misses < 0).any():
            return "misses must be 0 or more"
        return (
            ""
            if self.task == "regression" or hasattr(self.model, "predict_proba")
            else "its classifier has no predict_proba"
        )
