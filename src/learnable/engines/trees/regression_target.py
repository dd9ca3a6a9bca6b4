"""Numbers as trees of numbers take them: about a centre, and so scaled that their squares are numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...core.errors import DataError
from ...core.validate.features import Array
from ..matrix_products import power_of_two_scale
from .builder import TreeBuilder
from .forest import Forest

SQUARES = ("squared_error", "friedman_mse")  # two names of one thing


@dataclass(frozen=True)
class RegressionTarget:
    """Targets, a column for each, as `centre + scale * y`."""

    y: Array
    centre: Array
    scale: float
    criterion: str

    @classmethod
    def of(cls, y: Array, criterion: str, owner: str) -> RegressionTarget:
        """The targets of rows, checked for what the criterion asks of them."""
        scale = 1 / power_of_two_scale(y)
        centre = np.zeros(y.shape[1])
        if criterion == "poisson" and ((y < 0).any() or not y.sum() > 0):
            raise DataError(
                f"{owner}: the Poisson criterion needs targets that are not negative and not all zero; use "
                "criterion='squared_error'"
            )
        if criterion in SQUARES:
            smallest = np.abs(y).argmin(axis=0)  # about it, targets far from zero get digits and no other loses any
            centre = y[smallest, np.arange(y.shape[1])] / scale
        return cls(y / scale - centre, centre, scale, criterion)

    @property
    def power(self) -> int:
        """The power of the target that an impurity is."""
        return 2 if self.criterion in SQUARES else 1

    @property
    def unit(self) -> float:
        """What an impurity of one is worth to the grower for each unit of weight."""
        return float(self.y.shape[1] / self.scale**self.power)

    def forest(self, grower: TreeBuilder) -> Forest:
        """Trees of these targets, one for each seed, that answer on their own scale."""
        if self.criterion == "absolute_error":
            found = grower.forest_of_deviations(self.y)
        else:
            found = grower.forest_of_numbers(self.y, "squares" if self.criterion in SQUARES else "poisson")
        value = (found.stack.value + self.centre) * self.scale
        return replace(found, stack=replace(found.stack, value=value), impurity=found.impurity * self.scale**self.power)
