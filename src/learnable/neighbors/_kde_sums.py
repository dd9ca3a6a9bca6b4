"""Sums of kernels centred at the training rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..engines.neighbours import BLOCK, PointTree, RowComparison

ROUNDING = 1e-14  # relative error of a sum that rounding makes anyway

SHAPES: dict[str, Callable[[Array], Array]] = {
    "tophat": lambda u: (u < 1).astype(np.float64),
    "epanechnikov": lambda u: np.maximum(1 - u * u, 0),
    "linear": lambda u: np.maximum(1 - u, 0),
    "cosine": lambda u: np.where(u < 1, np.cos(np.pi / 2 * np.minimum(u, 1)), 0),
}


class KernelSums:
    """Rows with their weights, in a tree where the metric has boxes, else in a table of distances."""

    def __init__(self, rows: Array, counts: Array | None, how: RowComparison) -> None:
        self.rows, self.how = rows, how
        self.counts = np.ones(len(rows)) if counts is None else counts
        self.whole = float(self.counts.sum())

    @cached_property
    def tree(self) -> PointTree:
        """The tree of all rows."""
        return PointTree.of(self.how.rows(self.rows))

    def logs(self, Q: Array, shape: str, width: float, relative: float, absolute: float) -> Array:
        """The logarithms of the sums of weight times kernel of this bandwidth, 1 at its centre, at each row of `Q`."""
        if self.how.power is None:
            return self._of_table(Q, shape, width)
        tree, out = self.tree, np.empty(len(Q))
        weight = np.where(tree.order >= 0, self.counts[tree.order], 0.0)
        with np.errstate(over="ignore"):
            parts = (tree.rows, tree.points / width, tree.order, tree.boxes / width)
            queries = np.require(self.how.rows(Q) / width, np.float64, "C")
        kernels.kernel_log_sums(
            parts, queries, self.how.power, shape, weight, max(relative, ROUNDING), min(absolute, 1e300), out
        )
        return out

    def _of_table(self, Q: Array, shape: str, width: float) -> Array:
        out, step = np.empty(len(Q)), max(1, BLOCK // len(self.rows))
        for begin in range(0, len(Q), step):
            part = slice(begin, begin + step)
            assert self.how.table is not None  # a metric that is not a Minkowski distance has a table
            out[part] = self._log_sum(self.how.table(Q[part], self.rows) / width, shape)
        return out

    def _log_sum(self, u: Array, shape: str) -> Array:
        with np.errstate(divide="ignore"):
            if shape in SHAPES:
                return np.asarray(np.log(SHAPES[shape](u) @ self.counts))
            exponent = u * u / 2 if shape == "gaussian" else u
            least = exponent.min(axis=1, keepdims=True)
            return np.asarray(np.log(np.exp(least - exponent) @ self.counts) - least[:, 0])
