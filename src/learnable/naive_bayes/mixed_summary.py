"""Sums over the values of each column in each class, of whatever kind the column is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.class_summaries import class_weights_of, placed
from ..parts.distributions import FAMILIES, Sums


@dataclass(frozen=True, slots=True)
class MixedSummary:
    """Weight of the rows of each class; for each column the sums of each class that its kind needs."""

    weight: Array
    columns: list[list[Sums]]
    kinds: list[str]

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None, kinds: list[str]) -> MixedSummary:
        """The sums of the values that are there."""
        every = np.ones(len(X)) if weight is None else weight
        rows = [np.flatnonzero(codes == k) for k in range(classes)]
        columns = []
        for j, kind in enumerate(kinds):
            there = [chosen[~np.isnan(X[chosen, j])] for chosen in rows]
            columns.append([FAMILIES[kind].summary(X[chosen, j], every[chosen]) for chosen in there])
        return cls(class_weights_of(codes, classes, weight), columns, kinds)

    def among(self, places: Array, classes: int) -> MixedSummary:
        """The same where class k is number places[k] of `classes`."""
        columns = []
        for kind, sums in zip(self.kinds, self.columns, strict=True):
            nothing = FAMILIES[kind].summary(np.empty(0), np.empty(0))
            wide = [dict(nothing) for _ in range(classes)]
            for place, its in zip(places.tolist(), sums, strict=True):
                wide[place] = its
            columns.append(wide)
        return MixedSummary(placed(self.weight, places, classes), columns, self.kinds)

    def __add__(self, other: MixedSummary) -> MixedSummary:
        columns = [
            [FAMILIES[kind].joined(*pair) for pair in zip(ours, its, strict=True)]
            for kind, ours, its in zip(self.kinds, self.columns, other.columns, strict=True)
        ]
        return MixedSummary(self.weight + other.weight, columns, self.kinds)

    def __sub__(self, part: MixedSummary) -> MixedSummary:
        columns = [
            [FAMILIES[kind].parted(*pair) for pair in zip(ours, its, strict=True)]
            for kind, ours, its in zip(self.kinds, self.columns, part.columns, strict=True)
        ]
        return MixedSummary(np.maximum(self.weight - part.weight, 0.0), columns, self.kinds)
