"""Numbers as the target of regression trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.errors import DataError
from ...core.scaling import power_of_two_scale
from ...core.validate.features import Array
from .builder import clip_to_bounds, forest_from_arrays
from .forest import Forest

SQUARED_ERROR = ("squared_error", "friedman_mse")  # two names of the same criterion


@dataclass(frozen=True)
class RegressionTarget:
    """Targets, a column for each, and the impurity: "squared_error", "poisson" or "absolute_error"."""

    y: Array
    criterion: str = "squared_error"

    def constraint(self, monotonic_cst: list[int], owner: str) -> list[int]:
        """A monotonic constraint of the predictions."""
        return monotonic_cst

    def row_gains(self) -> Array:
        """The gain of each row as a node of its own."""
        if self.criterion == "absolute_error":
            return np.asarray(np.abs(self.y).sum(axis=1))
        return self._gain(self.y)

    def grow(self, training: Any, constrained: bool) -> Forest:
        """Trees whose leaves hold means, or medians for absolute errors."""
        if self.criterion == "absolute_error":
            return self._grow_medians(training)
        criterion = "poisson" if self.criterion == "poisson" else "squares"
        found = training.grow_regression(np.ascontiguousarray(self.y), criterion)
        sums = found["sums"].reshape(-1, self.y.shape[1] + 2)
        weight, mean = sums[:, 0], sums[:, 1:-1] / sums[:, :1]
        impurity = np.maximum(sums[:, -1] / weight - self._gain(mean), 0) / self.y.shape[1]
        return forest_from_arrays(found, impurity, weight.copy(), clip_to_bounds(mean, found)[:, :, None])

    def _grow_medians(self, training: Any) -> Forest:
        ranked = [np.unique(column, return_inverse=True) for column in self.y.T]
        ranks = np.stack([rank for _, rank in ranked], axis=1).astype(np.uint32)
        found = training.grow_absolute_error(ranks, [levels for levels, _ in ranked])
        sums = found["sums"].reshape(-1, self.y.shape[1] + 3)
        weight, medians, deviation = sums[:, 0], sums[:, 1:-2], -sums[:, -2]
        impurity = deviation / weight / self.y.shape[1]
        return forest_from_arrays(found, impurity, weight.copy(), clip_to_bounds(medians, found)[:, :, None])

    def _gain(self, y: Array) -> Array:
        """y^2, or y log y for the Poisson deviance, summed over the targets."""
        if self.criterion == "poisson":
            return np.asarray((y * np.log(np.where(y > 0, y, 1.0))).sum(axis=1))
        return np.asarray((y**2).sum(axis=1))


@dataclass(frozen=True)
class ScaledTarget(RegressionTarget):
    """Targets as `centre + scale * y`, so that their squares neither overflow nor lose precision."""

    centre: Array | float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, y: Array, criterion: str, owner: str) -> ScaledTarget:
        """The targets of some rows, checked for the criterion."""
        scale = 1 / power_of_two_scale(y)
        centre = np.zeros(y.shape[1])
        if criterion == "poisson" and ((y < 0).any() or not y.sum() > 0):
            raise DataError(
                f"{owner}: the Poisson criterion needs targets that are not negative and not all zero; use "
                "criterion='squared_error'"
            )
        if criterion in SQUARED_ERROR:
            smallest = np.abs(y).argmin(axis=0)  # centring there keeps the precision of targets far from zero
            centre = y[smallest, np.arange(y.shape[1])] / scale
        return cls(y / scale - centre, criterion, centre, scale)

    @property
    def power(self) -> int:
        """The power of the target that the impurity is."""
        return 2 if self.criterion in SQUARED_ERROR else 1

    @property
    def unit(self) -> float:
        """The gain of an impurity of one, per weight, in the builder."""
        return float(self.y.shape[1] / self.scale**self.power)

    def grow(self, training: Any, constrained: bool) -> Forest:
        """Trees on the original scale of the targets."""
        found = super().grow(training, constrained)
        value = (found.stack.value + self.centre) * self.scale
        return replace(found, stack=replace(found.stack, value=value), impurity=found.impurity * self.scale**self.power)
