"""Columns whose distribution differs between the classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..core import Array, Data, Trace, Traits, estimator, learned, param
from ..core.runtime.context import give_way
from ..core.scaling import power_of_two
from ..core.validate.features import FeatureValidator
from ._selector_base import Selector


@estimator
class ConditionalDensityFilter(Selector):
    """Conditional density filter: keep features whose class-conditional histograms differ.

    s_j = min over classes c, c' of  d_j^c . d_j^c' / (|d_j^c| |d_j^c'|),    keep column j if s_j <= threshold

    d_j^c is the histogram of column j within class c, on bins that the classes share; s is 1 where the shapes are the
    same and 0 where they do not meet. Sees more than means: a class that is wide and one that is narrow differ. A
    target of numbers is cut at its median. Missing entries are left aside.

    >>> X = [[0.0, 1.0], [1.0, 2.0], [8.0, 1.0], [9.0, 2.0]]
    >>> ConditionalDensityFilter(bins=4).fit(X, [0, 0, 1, 1]).similarities_.round(3)
    array([0., 1.])
    """

    title = "conditional density filter"
    traits = Traits(missing="native", uses_target="always")

    threshold: float = param(0.9, "similarity above which a column is dropped", between=(0, 1))
    bins: int = param(20, "number of bins of equal width", at_least=1)

    similarities_: Array = learned("least similarity of two classes in each column", shape="features")
    densities_: Array = learned("class frequencies in each bin, by column", shape="features classes bins")
    bin_edges_: Array = learned("edges of the bins of each column", shape="features edges")

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else data.weight
        rows = np.flatnonzero(weight > 0)
        X, weight = np.asarray(data.X[rows], dtype=np.float64), weight[rows]
        codes = classes_or_halves(data.y[rows], weight)
        scale = power_of_two(np.maximum(np.nanmax(np.abs(np.nan_to_num(X)), axis=0), 1e-300))
        found = [self._of_column(column, codes, weight) for column in (X * scale).T]
        self.densities_ = np.array([densities for densities, _ in found])
        with np.errstate(over="ignore"):
            self.bin_edges_ = np.array([edges for _, edges in found]) / scale[:, None]
        self.similarities_ = np.array([least_similarity(densities) for densities in self.densities_])
        trace.exact("the histograms of the training rows, counted directly")

    def _of_column(self, column: Array, codes: Array, weight: Array) -> tuple[Array, Array]:
        """The histogram of each class, its bins adding up to one, and the edges of the bins."""
        give_way()
        there = ~np.isnan(column)
        values, codes, classes = column[there], codes[there], int(codes.max()) + 1
        low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
        width = (high - low) or 1.0
        indices = np.minimum(((values - low) / width * self.bins).astype(np.int64), self.bins - 1)
        counts = np.bincount(codes * self.bins + indices, weights=weight[there], minlength=classes * self.bins)
        table = counts.reshape(classes, self.bins)
        total = table.sum(axis=1, keepdims=True)
        return table / np.where(total > 0, total, 1.0), low + width * np.arange(self.bins + 1) / self.bins

    def _support(self) -> Array:
        return np.asarray(self.similarities_ <= self.threshold)


def classes_or_halves(y: Array, weight: Array) -> Array:
    """The place of each row's class, or for numbers with a fractional part whether they are above their median."""
    y = np.array(y.tolist()) if y.dtype.kind == "O" else y
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        order = np.argsort(y, kind="stable")
        middle = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
        return np.asarray(y > y[order][min(middle, len(y) - 1)]).astype(np.int64)
    return FeatureValidator("ConditionalDensityFilter").classes(y, len(y))[1]


def least_similarity(densities: Array) -> float:
    """The smallest cosine between the histograms of two classes; 1 where there is only one class.

    >>> round(least_similarity(np.array([[1.0, 0.0], [0.5, 0.5]])), 3)
    0.707
    """
    norms = np.linalg.norm(densities, axis=1)
    there = np.flatnonzero(norms > 0)
    cosines = [densities[a] @ densities[b] / (norms[a] * norms[b]) for a, b in combinations(there, 2)]
    return min([1.0, *(min(float(cosine), 1.0) for cosine in cosines)])
