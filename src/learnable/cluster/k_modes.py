"""k-modes clustering of categorical data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    RandomState,
    Trace,
    Traits,
    WeightedClusterer,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..engines.multi_start import Run, best_run
from ._kmeans.base_centroid import table_with_weight
from ._kmeans.kmodes_base import (
    MixedRows,
    alternation,
    categories_of,
    coded,
    drop_weightless,
    flaw_of_modes,
    plus_plus_rows,
)


@estimator
class KModes(WeightedClusterer):
    """K-modes clustering of categorical data: centres are the most frequent category of every column.

    minimise over modes c and labels    sum_i s_i (number of columns in which x_i and c_label(i) differ)

    Alternates assignment to the nearest mode and update of the modes; neither raises the objective. Every distinct
    value of a column is a category, and an unseen one differs from all. Cost of an iteration: rows times clusters times
    columns. [Huang, 1998]

    >>> X = [["red", "small"], ["red", "large"], ["blue", "large"], ["blue", "huge"]]
    >>> model = KModes(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1]), model.inertia_
    (True, 2.0)
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    max_iter: int = param(100, "maximum number of iterations of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the initial modes")
    modes_: Array = learned("modes as indices into the categories of each column", shape="clusters columns")
    categories_: list[Array] = learned("categories of each column", counts="features")
    inertia_: float = learned("weighted number of mismatches of the training rows with their modes")
    n_iter_: int = learned("number of iterations of the best run")

    traits = Traits(takes="table", categorical=True, stochastic=True)
    title = "k-modes clustering"
    reference = (
        "Huang, Extensions to the k-means algorithm for clustering large data sets with categorical values, 1998"
    )

    @property
    def cluster_centers_(self) -> Array:
        """The modes as category values."""
        columns = [known[codes] for known, codes in zip(self.categories_, self.modes_.T, strict=True)]
        plain = all(column.dtype.kind in "fiub" for column in columns)
        return np.stack(columns if plain else [column.astype(object) for column in columns], axis=1)

    def _unsound(self) -> str:
        """Modes are categories of their columns."""
        return flaw_of_modes(self.modes_, self.categories_)

    def _fit(self, data: Data, trace: Trace) -> None:
        table, weight = table_with_weight(self, data)
        self.categories_ = categories_of(table, np.arange(data.p), type(self).__name__)
        rows = self._rows(data.X)
        best = best_prototypes(drop_weightless(rows, data.weight), weight, 1.0, self, trace)
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


def best_prototypes(rows: MixedRows, weight: Array, gamma: float, model: Any, trace: Trace) -> Run:
    """The run of lowest cost; certifies the trace."""
    seed, count = seed_of(model.random_state), model.n_clusters
    starts = (plus_plus_rows(rows, weight, gamma, count, generator(seed, run)) for run in range(model.n_init))
    best = best_run((alternation(rows, weight, gamma, start) for start in starts), model.max_iter, trace)
    trace.certify(
        "labels",
        best.criterion,
        0.0,
        "every row is assigned to its nearest centre; number of labels changed in the last iteration",
    )
    return best
