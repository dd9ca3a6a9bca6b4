"""Decision stumps for changing weights, over columns that are sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array
from .builder import RankedColumns
from .tree import Tree


@dataclass(frozen=True)
class Stumps:
    """Trees of one split for two classes, 0 and 1, over columns without missing values."""

    X: Array
    codes: Array
    by_error: bool = False

    @cached_property
    def _columns(self) -> Any:
        ranked = RankedColumns.of(self.X)
        assert ranked.ranks is not None
        counts = np.array([len(levels) for levels in ranked.levels], dtype=np.int64)
        return kernels.StumpColumns(ranked.ranks, counts, (self.codes == 1).astype(np.uint8))

    def best(self, weight: Array) -> Tree:
        """The stump of minimum weighted Gini impurity, or of minimum weighted error if `by_error`; a leaf if no column
        varies.
        """
        feature, count, last, after, (left, ones), total = self._columns.best(weight, self.by_error)
        if feature < 0:
            return _leaf(np.array(total), len(weight))
        low, high = float(self.X[last, feature]), float(self.X[after, feature])
        middle = low / 2 + high / 2
        threshold = middle if low <= middle < high else low
        weights = np.array([total[0], left, total[0] - left])
        proba = np.clip(np.array([total[1], ones, total[1] - ones]) / weights, 0.0, 1.0)
        rows = np.array([len(weight), count, len(weight) - count], dtype=np.int64)
        return Tree(
            np.array([1, -1, -1], dtype=np.int32),
            np.array([2, -1, -1], dtype=np.int32),
            np.array([feature, -2, -2], dtype=np.int32),
            np.array([threshold, -2.0, -2.0]),
            np.array([2 * count > len(weight), 0, 0], dtype=np.uint8),
            np.zeros(4, dtype=np.int64),
            np.zeros(0, dtype=np.uint64),
            2 * proba * (1 - proba),
            rows,
            weights,
            np.stack([1 - proba, proba], axis=1)[:, None, :],
        )


def _leaf(total: Array, rows: int) -> Tree:
    proba = total[1] / total[0]
    return Tree(
        np.array([-1], dtype=np.int32),
        np.array([-1], dtype=np.int32),
        np.array([-2], dtype=np.int32),
        np.array([-2.0]),
        np.zeros(1, dtype=np.uint8),
        np.zeros(2, dtype=np.int64),
        np.zeros(0, dtype=np.uint64),
        np.array([2 * proba * (1 - proba)]),
        np.array([rows], dtype=np.int64),
        total[:1].copy(),
        np.array([[[1 - proba, proba]]]),
    )
