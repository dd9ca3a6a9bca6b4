"""Scores of fitted models on scans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import Array, Classifier, DataError
from ..core.roles.regressor import NumberPredictor
from ._task import RawBlock

if TYPE_CHECKING:
    from .scans import Scan


def score_on_scan(rows: Scan, model: Any) -> float:
    """The `score` of a fitted model: accuracy of classifiers, R² of regressors, else the weighted mean of scores."""
    final = getattr(model, "_final", model)  # of pipelines
    if isinstance(final, Classifier):
        correct: WeightedMean = rows.total_of(correct_in, model)
        return correct.mean
    if isinstance(final, NumberPredictor):
        sums: Squares = rows.total_of(squares_in, model)
        return sums.r_squared()
    raise DataError(f"{type(model).__name__}.score cannot take a scan; predict it, and score the predictions")


class WeightedMean(NamedTuple):
    """A weighted sum and its weight."""

    total: float
    weight: float

    @property
    def mean(self) -> float:
        """The weighted mean."""
        return float(self.total / self.weight)


def correct_in(block: RawBlock, model: Any) -> WeightedMean:
    """How many predictions of a block are correct."""
    weight = weights_of(block, model)
    return WeightedMean(float(model.score(block.X, block.y, sample_weight=weight) * weight.sum()), float(weight.sum()))


@dataclass(frozen=True)
class Squares:
    """Weight, mean and squares of targets about it, and squared errors of the predictions."""

    weight: float
    mean: Array
    spread: Array
    errors: Array

    def __add__(self, other: Squares) -> Squares:
        weight = self.weight + other.weight
        fraction, apart = other.weight / weight, other.mean - self.mean
        return Squares(
            weight,
            self.mean + fraction * apart,
            self.spread + other.spread + self.weight * fraction * apart * apart,
            self.errors + other.errors,
        )

    def r_squared(self) -> float:
        """The coefficient of determination, averaged over targets; 0 or 1 for constant targets, as in memory."""
        constant = self.spread == 0
        score = np.where(
            constant, np.where(self.errors == 0, 1.0, 0.0), 1 - self.errors / np.where(constant, 1, self.spread)
        )
        return float(score.mean())


def squares_in(block: RawBlock, model: Any) -> Squares:
    """The squares of a block."""
    weight = weights_of(block, model)
    y = np.asarray(block.y, dtype=np.float64).reshape(block.rows, -1)
    predicted = np.asarray(model.predict(block.X), dtype=np.float64).reshape(block.rows, -1)
    total = float(weight.sum())
    if total == 0:
        return None  # type: ignore[return-value]  # nothing to add
    mean = weight @ y / total
    return Squares(total, mean, weight @ (y - mean) ** 2, weight @ (y - predicted) ** 2)


def weights_of(block: RawBlock, model: Any) -> Array:
    """The weights of a block, ones without any."""
    return np.ones(block.rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
