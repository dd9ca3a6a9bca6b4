"""Tables of mixed columns as inputs of a network: robustly scaled numbers, quantile bins, and indicators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.declare import registry
from ..core.validate.mixed_table import Table
from ..engines.columns.bins import counted_quantiles
from ..engines.columns.table_encoding import coded, learned_categories

CLIP = 3.0  # beyond which scaled numbers are compressed
MIN_VALUES = 3  # different values of a column that has bins


@registry.value
@dataclass(frozen=True)
class TableEncoder:
    """What is learned from columns: the values of categories, the centre and scale of numbers, and their bins.

    A number becomes (x - median) / interquartile range, smoothly clipped, and one entry for each of its bins, which
    says how far x has come through it; where training rows lack it, an indicator is added. A category becomes an
    indicator for each frequent value.
    """

    categories: list[Array]
    categorical: Array
    frequent: list[Array]
    centre: Array
    scale: Array
    lacking: Array
    edges: list[Array]

    @classmethod
    def of(cls, table: Table, chosen: Array, weight: Array, bins: int, most: int, owner: str) -> TableEncoder:
        """Learn from a table whose `chosen` columns are categorical; numbers have at most `bins` bins."""
        known = learned_categories(table, chosen, with_missing=False, owner=owner)
        codes = coded(table, known, owner)
        frequent, edges = [], []
        centre, scale = np.zeros(len(known)), np.ones(len(known))
        for j, values in enumerate(known):
            present = ~np.isnan(codes[:, j]) & (weight > 0)
            own, heavy = codes[present, j], weight[present]
            if values is not None:
                counts = np.bincount(own.astype(np.int64), heavy, len(values))
                order = np.argsort(-counts, kind="stable")[:most]
                frequent.append(np.sort(order[counts[order] > 0]).astype(np.float64))
                edges.append(np.empty(0))
                continue
            frequent.append(np.empty(0))
            centre[j], scale[j] = _centre_and_scale(own, heavy)
            edges.append(_bin_edges(own, heavy, bins))
        lacking = np.isnan(codes[weight > 0]).any(axis=0) & ~chosen
        empty = [np.empty(0) if values is None else values for values in known]
        return cls(empty, chosen, frequent, centre, scale, lacking, edges)

    @property
    def width(self) -> int:
        """The number of inputs."""
        return sum(map(self._width, range(len(self.categories))))

    def _width(self, j: int) -> int:
        if self.categorical[j]:
            return len(self.frequent[j])
        return 1 + max(0, len(self.edges[j]) - 1) + int(self.lacking[j])

    def encode(self, table: Table, owner: str) -> Array:
        """The inputs for the rows of a table."""
        pairs = zip(self.categories, self.categorical, strict=True)
        codes = coded(table, [values if chosen else None for values, chosen in pairs], owner)
        found = np.zeros((len(codes), max(1, self.width)), dtype=np.float32)
        begin = 0
        for j in range(codes.shape[1]):
            own = found[:, begin : begin + self._width(j)]
            if self.categorical[j]:
                own[...] = codes[:, j, None] == self.frequent[j]
            else:
                self._encode_numbers(j, codes[:, j], own)
            begin += self._width(j)
        return found

    def content(self, table: Table, owner: str) -> Array:
        """Numbers that are equal for equal rows, without missing ones."""
        pairs = zip(self.categories, self.categorical, strict=True)
        codes = coded(table, [values if chosen else None for values, chosen in pairs], owner)
        return np.hstack([np.where(np.isnan(codes), 0.0, codes), np.isnan(codes)])

    def _encode_numbers(self, j: int, column: Array, own: Array) -> None:
        missing = np.isnan(column)
        x = np.where(missing, self.centre[j], column)
        with np.errstate(over="ignore"):
            scaled = np.clip((x - self.centre[j]) / self.scale[j], -1e6, 1e6)
        own[:, 0] = scaled / np.sqrt(1 + (scaled / CLIP) ** 2)
        edges = self.edges[j]
        if len(edges):
            low, high = edges[:-1], edges[1:]
            own[:, 1 : len(edges)] = np.clip((x[:, None] - low) / (high - low), 0, 1)
        if self.lacking[j]:
            own[:, -1] = missing

    def flaw(self) -> str:
        """What is wrong with an encoder from a file; nothing if it can encode."""
        columns = len(self.categories)
        lists = (self.categories, self.frequent, self.edges)
        arrays = (self.categorical, self.centre, self.scale, self.lacking)
        if any(len(one) != columns for one in (*lists, *arrays)):
            return "its parts are of different numbers of columns"
        sound = all(
            one.ndim == 1 and one.dtype.kind == "f" and len(one) != 1 and bool((np.diff(one) > 0).all())
            for one in self.edges
        )
        usual = all(one.ndim == 1 and one.dtype.kind == "f" for one in self.frequent)
        return "" if sound and usual and bool((self.scale > 0).all()) else "the bins of the encoder are not in order"


def _centre_and_scale(values: Array, weight: Array) -> tuple[float, float]:
    """The median and the interquartile range; where that is zero the range, or one."""
    if not len(values):
        return 0.0, 1.0
    low, median, high = counted_quantiles(values, np.array([0.25, 0.5, 0.75]), weight, True).tolist()
    scale = high - low or (float(values.max()) - float(values.min())) / 2
    return float(median), float(scale) if 0 < scale < np.inf else 1.0


def _bin_edges(values: Array, weight: Array, bins: int) -> Array:
    """The quantiles that bound the bins, without equal ones; none for columns of few values."""
    if bins < 2 or len(np.unique(values)) < MIN_VALUES:
        return np.empty(0)
    edges = np.unique(counted_quantiles(values, np.linspace(0, 1, bins + 1), weight, False))
    return edges if len(edges) > 2 and np.isfinite(np.diff(edges)).all() else np.empty(0)
