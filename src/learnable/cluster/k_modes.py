"""k-modes: groups of rows of categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    RandomState,
    Trace,
    WeightedClusterer,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..engines.multi_start import Run, best_run
from ._kmeans.base_centroid import counted_table
from ._kmeans.kmodes_base import MixedRows, Prototypes, categories_of, coded, counted_part, far_apart


@estimator
class KModes(WeightedClusterer):
    """Groups of rows of categories, each about the most frequent category of every column.

    minimise over modes c and labels    sum_i s_i (number of columns in which x_i and c_label(i) differ)

    Nearest modes and modes of the nearest in turn; neither raises the sum. Every different value of a column is a
    category, and one that training rows do not have differs from all. Cost of a step: rows times groups times columns.
    [Huang, 1998]

    >>> X = [["red", "small"], ["red", "large"], ["blue", "large"], ["blue", "huge"]]
    >>> model = KModes(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1]), model.inertia_
    (True, 2.0)
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    n_init: int = param(1, "number of runs, of which the best is kept", at_least=1)
    max_iter: int = param(100, "most steps of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the rows that runs begin with")
    modes_: Array = learned(
        "place of the mode of each group among the categories of each column", shape="groups columns"
    )
    categories_: list[Array] = learned("the different values of each column", counts="features")
    inertia_: float = learned("weighted number of categories in which training rows differ from their modes")
    n_iter_: int = learned("steps of the best run")

    takes = "table"
    categorical = True
    stochastic = True
    reference = (
        "Huang, Extensions to the k-means algorithm for clustering large data sets with categorical values, 1998"
    )

    @property
    def cluster_centers_(self) -> Array:
        """The most frequent values of each group."""
        columns = [known[codes] for known, codes in zip(self.categories_, self.modes_.T, strict=True)]
        plain = all(column.dtype.kind in "fiub" for column in columns)
        return np.stack(columns if plain else [column.astype(object) for column in columns], axis=1)

    def _fit(self, data: Data, trace: Trace) -> None:
        table, weight = counted_table(self, data)
        self.categories_ = categories_of(table, np.arange(data.p), type(self).__name__)
        rows = self._rows(data.X)
        best = best_prototypes(counted_part(rows, data.weight), weight, 1.0, self, trace)
        self.modes_, self.n_iter_ = best.state["codes"], best.steps
        costs = self._costs(rows)
        self.labels_ = costs.argmin(axis=1).astype(np.int32)
        least = costs.min(axis=1)
        self.inertia_ = float(least.sum() if data.weight is None else (least * data.weight).sum())

    def _rows(self, X: Matrix) -> MixedRows:
        codes = coded(X, np.arange(X.shape[1]), self.categories_, type(self).__name__)
        return MixedRows(np.empty((X.shape[0], 0)), codes)

    def _costs(self, rows: MixedRows) -> Array:
        return rows.costs(MixedRows(np.empty((len(self.modes_), 0)), self.modes_), 1.0)

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self._costs(self._rows(X)).argmin(axis=1), dtype=np.int32)


def best_prototypes(rows: MixedRows, weight: Array, price: float, model: Any, trace: Trace) -> Run:
    """The run that ends cheapest; the trace is certified by it."""
    seed, count = seed_of(model.random_state), model.n_clusters
    starts = (far_apart(rows, weight, price, count, generator(seed, run)) for run in range(model.n_init))
    best = best_run((Prototypes(rows, weight, price, begin) for begin in starts), model.max_iter, trace)
    trace.certify("labels", best.criterion, 0.0, "no row is cheaper in another group; so many changed in the last step")
    return best
