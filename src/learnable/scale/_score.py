"""Scores of fitted models on scans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import Array, Classifier, DataError
from ..core.errors import warn
from ..core.roles.regressor import NumberPredictor
from ._locate import Located
from ._task import RawBlock

if TYPE_CHECKING:
    from .scans import Scan


def score_on_scan(rows: Scan, model: Any) -> float:
    """The `score` of a fitted model: accuracy of classifiers, R² of regressors, else the weighted mean of scores."""
    final, owner = getattr(model, "_final", model), type(model).__name__  # of pipelines
    if isinstance(final, Classifier | NumberPredictor):
        if rows.view(rows.first_block()).y is None:
            raise DataError(
                f"{owner}.score requires y, but the scan has no target; name it, as in scan(source, target='price')"
            )
        summarise = correct_in if isinstance(final, Classifier) else squares_in
        sums: WeightedMean | Squares | None = rows.total_of(summarise, model)
        if sums is None:
            raise DataError(f"{owner}.score: sample_weight is zero for every row; at least one sample must count")
        return sums.value
    raise DataError(f"{type(model).__name__}.score cannot take a scan; predict it, and score the predictions")


class WeightedMean(NamedTuple):
    """A weighted sum and its weight."""

    total: float
    weight: float

    @property
    def value(self) -> float:
        """The weighted mean."""
        return float(self.total / self.weight)


def correct_in(block: RawBlock, model: Any) -> WeightedMean | None:
    """How many predictions of a block are correct; None where all rows have weight zero."""
    weight = weights_of(block, model)
    if not weight.any():
        return None
    return WeightedMean(float(model.score(block.X, block.y, sample_weight=weight) * weight.sum()), float(weight.sum()))


@dataclass(frozen=True)
class Squares:
    """Weight, mean and squares of targets about it, and squared errors of the predictions."""

    weight: float
    mean: Array
    spread: Array
    errors: Array
    rows: int

    def __add__(self, other: Squares) -> Squares:
        weight = self.weight + other.weight
        fraction, apart = other.weight / weight, other.mean - self.mean
        return Squares(
            weight,
            self.mean + fraction * apart,
            self.spread + other.spread + self.weight * fraction * apart * apart,
            self.errors + other.errors,
            self.rows + other.rows,
        )

    @property
    def value(self) -> float:
        """The coefficient of determination, averaged over targets; 0 or 1 for constant targets, as in memory."""
        if self.rows < 2:
            warn("R² needs at least two rows; it is NaN otherwise.", UserWarning)
            return float("nan")
        constant = self.spread == 0
        score = np.where(
            constant, np.where(self.errors == 0, 1.0, 0.0), 1 - self.errors / np.where(constant, 1, self.spread)
        )
        return float(score.mean())


def squares_in(block: RawBlock, model: Any) -> Squares | None:
    """The squares of a block; None where all rows have weight zero."""
    weight = weights_of(block, model)
    y = np.asarray(block.y, dtype=np.float64).reshape(block.rows, -1)
    with Located(block):
        check_numbers(y, f"{type(model).__name__}.score: y", "drop the rows without a target")
    predicted = np.asarray(model.predict(block.X), dtype=np.float64).reshape(block.rows, -1)
    total = float(weight.sum())
    if total == 0:
        return None
    mean = weight @ y / total
    return Squares(total, mean, weight @ (y - mean) ** 2, weight @ (y - predicted) ** 2, block.rows)


def weights_of(block: RawBlock, model: Any) -> Array:
    """The weights of a block, ones without any."""
    if block.weight is None:
        return np.ones(block.rows)
    weight = np.asarray(block.weight, dtype=np.float64)
    with Located(block):
        check_numbers(weight, f"{type(model).__name__}.score: sample_weight", "give every row a weight")
        if (weight < 0).any():
            raise DataError(
                f"{type(model).__name__}.score: sample_weight is {weight.min():g} in row {weight.argmin()}; weights "
                "count rows"
            )
    return weight


def check_numbers(values: Array, name: str, remedy: str) -> None:
    """Refuse values that are not finite."""
    bad = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if bad.any():
        raise DataError(f"{name} contains NaN or infinity in row {bad.argmax()}; {remedy}")
