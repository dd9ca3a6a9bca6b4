"""Sufficient statistics of each column in each class, for columns of any distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.generative.class_statistics import class_weights_of, placed
from ..parts.distributions import FAMILIES, Sums
from ..parts.downdated_sums import left, refuse_strangers

WIDER = ("bernoulli", "categorical", "gaussian")
"""Kinds that are inferred automatically; each can represent the values of those before it."""


@dataclass(frozen=True, slots=True)
class MixedStatistics:
    """Weight of the rows of each class; sufficient statistics of each column and class for its distribution."""

    weight: Array
    columns: list[list[Sums]]
    kinds: list[str]

    def widened(self, kinds: list[str]) -> MixedStatistics:
        """The same for columns of wider kinds, each of which can represent the values of the former one."""
        columns = [
            sums if kind == former else [FAMILIES[kind].summary(*_seen(former, its)) for its in sums]
            for kind, former, sums in zip(kinds, self.kinds, self.columns, strict=True)
        ]
        return MixedStatistics(self.weight, columns, kinds)

    @property
    def _breadths(self) -> list[tuple[bool, int]]:
        """Width of the kind of each column, for comparison; lowest for columns without values."""
        both = zip(self.columns, self.kinds, strict=True)
        return [(any(its["weight"] > 0 for its in sums), _width(kind)) for sums, kind in both]

    @classmethod
    def of(cls, X: Array, codes: Array, classes: int, weight: Array | None, kinds: list[str]) -> MixedStatistics:
        """The statistics of the observed values."""
        every = np.ones(len(X)) if weight is None else weight
        rows = [np.flatnonzero(codes == k) for k in range(classes)]
        columns = []
        for j, kind in enumerate(kinds):
            there = [chosen[~np.isnan(X[chosen, j])] for chosen in rows]
            columns.append([FAMILIES[kind].summary(X[chosen, j], every[chosen]) for chosen in there])
        return cls(class_weights_of(codes, classes, weight), columns, kinds)

    def among(self, indices: Array, classes: int) -> MixedStatistics:
        """The same with class k at index indices[k] of `classes`."""
        columns = []
        for kind, sums in zip(self.kinds, self.columns, strict=True):
            empty = FAMILIES[kind].summary(np.empty(0), np.empty(0))
            wide = [dict(empty) for _ in range(classes)]
            for k, its in zip(indices.tolist(), sums, strict=True):
                wide[k] = its
            columns.append(wide)
        return MixedStatistics(placed(self.weight, indices, classes), columns, self.kinds)

    def __add__(self, other: MixedStatistics) -> MixedStatistics:
        pairs = zip(self.kinds, other.kinds, self._breadths, other._breadths, strict=True)
        kinds = [ours if own >= others else its for ours, its, own, others in pairs]
        columns = [
            [FAMILIES[kind].add(*pair) for pair in zip(ours, its, strict=True)]
            for kind, ours, its in zip(kinds, self.widened(kinds).columns, other.widened(kinds).columns, strict=True)
        ]
        return MixedStatistics(self.weight + other.weight, columns, kinds)

    def __sub__(self, part: MixedStatistics) -> MixedStatistics:
        wider = zip(part._breadths, self.kinds, strict=True)
        refuse_strangers([there and width > _width(kind) for (there, width), kind in wider])
        columns = [
            [FAMILIES[kind].subtract(*pair) for pair in zip(ours, its, strict=True)]
            for kind, ours, its in zip(self.kinds, self.columns, part.widened(self.kinds).columns, strict=True)
        ]
        return MixedStatistics(left(self.weight, part.weight), columns, self.kinds)


def _width(kind: str) -> int:
    return WIDER.index(kind) if kind in WIDER else 0


def _seen(kind: str, sums: Sums) -> tuple[Array, Array]:
    """The distinct values of a discrete column, and the weight of each."""
    if sums["weight"] == 0:
        return np.empty(0), np.empty(0)
    weight = np.array([sums["weight"] - sums["total"], sums["total"]]) if kind == "bernoulli" else sums["counts"]
    values = np.flatnonzero(weight > 0)
    return values.astype(np.float64), weight[values]
