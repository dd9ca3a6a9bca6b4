"""Products of pairs of columns of each class without rounding errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.errors import DataError
from ...core.validate.features import Array
from ..exact_moments import ExactMoments
from ..exact_sums import ExactSums
from .exact_class_sums import ExactClassSums


@dataclass(frozen=True, slots=True)
class ExactClassProducts(ExactClassSums):
    """For each class the sums of an `ExactMoments` of its rows, in reversed order: the weight comes first."""

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None) -> ExactClassProducts:
        """The products of the columns of a dense `X`."""
        whole = cls(classes, X.shape[1], *_nothing(classes, X.shape[1]))
        for k in range(classes):
            its = codes == k
            moments = ExactMoments.of(X[its], None, None if weight is None else weight[its])
            one = cls(1, X.shape[1], moments.sums.powers, moments.sums.digits[:, ::-1])
            whole += one.among(np.array([k]), classes)
        return whole

    @property
    def width(self) -> int:
        """The number of sums of a class."""
        return (self.columns + 1) * (self.columns + 2) // 2

    def moments(self, k: int) -> ExactMoments:
        """The moments of the rows of class k."""
        sums = self.chosen(np.array([k])).sums
        return ExactMoments(self.columns, ExactSums(sums.powers, sums.digits[:, ::-1]))

    def refuse_contradictions(self) -> None:
        """Raise a `DataError` if no rows can have these sums, as after the subtraction of others."""
        for k in range(self.classes):
            if reason := self.moments(k).contradiction():
                raise DataError(f"rows that were never learned cannot be removed: of class number {k}, {reason}")


def _nothing(classes: int, columns: int) -> tuple[Array, Array]:
    empty = ExactSums.zeros(classes * (columns + 1) * (columns + 2) // 2)
    return empty.powers, empty.digits
