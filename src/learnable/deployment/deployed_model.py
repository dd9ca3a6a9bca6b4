"""A fitted model with everything that is needed to use it on new tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare import registry
from ..core.validate.sparse_input import ChecksSparse
from .expected_column import ExpectedColumn

Task = Literal["regression", "binary", "multi-class"]


def conformal_reach(misses: Array, share: float) -> float:
    """The ceil((n + 1) share)-th smallest of n misses, but for rounding; without end if there are fewer.

    >>> conformal_reach(np.arange(1.0, 100.0), 0.55)
    55.0
    """
    place = math.ceil(round((len(misses) + 1) * share, 9))
    return float(np.sort(misses)[place - 1]) if place <= len(misses) else np.inf


@registry.value
@dataclass(frozen=True)
class DeployedModel(ChecksSparse):
    """A fitted model, the columns that it expects, and how far its answers were off for rows that it had not seen.

    interval:  f(x) - q <= y <= f(x) + q,   q the ceil((n + 1) share)-th smallest of |y_i - f_{-i}(x_i)|
    set:       all classes k with 1 - p_k(x) <= q,   q the same of 1 - p_{y_i}(x_i)

    `misses` are those n numbers, from models that had not seen row i. If new rows come from where the training rows
    came from, intervals and sets hold the truth for about `share` of them. [Vovk, Gammerman and Shafer, 2005; Barber
    and others, 2021]

    `missing` are marks that mean no value beyond the usual ones, such as -999, in training rows and so in new ones.
    Made by `learnable study`, kept in `model.learnable`, read by `learnable.load`. A table may have more columns than
    are expected, in any order.

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
        """The number for each row, or the class that its probabilities decide."""
        return np.asarray(self.model.predict(X)) if self.task == "regression" else self.decided(self.predict_proba(X))

    def decided(self, chances: Array) -> Array:
        """The likeliest class of each row; where a threshold was chosen, the positive class from that probability on.

        Of classes that are equally likely it is the first one, and the positive class counts as the last.
        """
        if self.task != "binary" or self.positive is None:
            return np.asarray(self.classes_[chances.argmax(axis=1)])
        place = int(np.argmax(self.classes_ == self.positive))
        here, other = chances[:, place], chances[:, 1 - place]
        chosen = here > other if self.threshold is None else here >= self.threshold
        return np.asarray(self.classes_[np.where(chosen, place, 1 - place)])

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        return np.asarray(self.model.predict_proba(X))

    def interval(self, X: Any, share: float = 0.9) -> Array:
        """Two columns: between which numbers the answer lies, for about a share of all rows."""
        answer, reach = self.predict(X), self.reach(share)
        return np.column_stack([answer - reach, answer + reach])

    def sets(self, X: Any, share: float = 0.9) -> Array:
        """A column of yes and no for each class: which classes are plausible, the likeliest one among them."""
        chances = self.predict_proba(X)
        found = 1 - chances <= self.reach(share)
        found[np.arange(len(chances)), chances.argmax(axis=1)] = True
        return np.asarray(found)

    def reach(self, share: float) -> float:
        """The miss that a share of unseen rows does not exceed; beyond the largest nothing is known."""
        if not 0 < share < 1:
            raise ParameterError(f"share must be a share of the rows, between 0 and 1; got {share!r}")
        return conformal_reach(self.misses, share)

    def strange(self, columns: dict[str, Array]) -> Array:
        """A column of yes and no for each expected one: which entries are unlike those of all training rows."""
        if missing := [name for name in self.names if name not in columns]:
            raise DataError(f"the table has no column {missing[0]!r}; the model expects {', '.join(self.names)}")
        return np.column_stack([column.strange(columns[column.name]) for column in self.columns])

    def flaw(self) -> str:
        """What is wrong with a model that came from a file; empty if nothing is."""
        if not hasattr(self.model, "predict"):
            return "it holds nothing that predicts"
        if not all(isinstance(column, ExpectedColumn) for column in self.columns):
            return "an expected column is none"
        if not all(isinstance(mark, str) for mark in self.missing):
            return "a mark of missing values is no text"
        if not isinstance(self.misses, np.ndarray) or self.misses.ndim != 1 or self.misses.dtype.kind != "f":
            return "misses must be a row of numbers"
        if np.isnan(self.misses).any() or (self.misses < 0).any():
            return "misses must be 0 or more"
        return "" if self.task == "regression" or hasattr(self.model, "predict_proba") else "it gives no probabilities"
