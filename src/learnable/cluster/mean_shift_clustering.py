"""Groups about the places where rows are densest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, Trace, estimator, learned, param
from ..core.sparse_input import checks_sparse
from ..engines.design import unit_of
from ..engines.iterate import iterate
from ..engines.neighbours import Search, TreeSearch
from .shifting import STRAIGHT, Shifting, estimate_bandwidth, get_bin_seeds, summits


@estimator
class MeanShift(Clusterer):
    """Places climb to where rows are densest; rows belong to the summit that is nearest.

    next place = mean of the rows within the bandwidth of this one, until it stands;  summits: places so far apart

    The number of groups comes from the bandwidth: the wider, the fewer. Without one, `estimate_bandwidth` gives it.
    Rows and new rows are in the group of the nearest summit; with cluster_all=False, those that are farther than the
    bandwidth from all have the label -1. [Comaniciu and Meer, 2002]

    >>> MeanShift(bandwidth=2.0).fit([[0.0], [1.0], [5.0], [6.0]]).cluster_centers_.tolist()
    [[5.5], [0.5]]
    """

    bandwidth: float | None = param(None, "how far a place looks; by estimate_bandwidth if None", at_least=0)
    seeds: Array | None = param(None, "places to begin from; all rows if None")
    bin_seeding: bool = param(False, "whether to begin from cells of a grid in place of rows")
    min_bin_freq: int = param(1, "rows that a cell must have to be begun from", at_least=1)
    cluster_all: bool = param(True, "whether rows far from all summits belong to the nearest, too")
    n_jobs: int | None = param(None, "accepted as in scikit-learn; learnable.threads says how many threads work")
    max_iter: int = param(300, "most steps of a place", at_least=0)

    cluster_centers_: Array = learned("the summits, the densest first", shape="groups features")
    n_iter_: int = learned("steps of the place that moved longest")
    bandwidth_: float = learned("how far places looked")

    reference = "Comaniciu and Meer, Mean shift: a robust approach toward feature space analysis, 2002"

    def _fit(self, data: Data, trace: Trace) -> None:
        unit = unit_of(data.X)
        X = np.ascontiguousarray(data.X * unit, dtype=np.float64)
        wide = estimate_bandwidth(X) if self.bandwidth is None else self.bandwidth * unit
        seeds = self._seeds(X, unit, wide)
        if not len(seeds):
            raise DataError(
                f"MeanShift: there is no place to begin from; give seeds, or lower min_bin_freq={self.min_bin_freq}"
            )
        method = Shifting(TreeSearch(X, STRAIGHT), X, seeds, wide)
        state = iterate(method, max(self.max_iter, 1), trace)
        if not state["rows"].any():
            raise DataError(
                f"MeanShift: no row is within bandwidth={wide / unit:g} of any seed; give other seeds or a wider one"
            )
        found = summits(state["places"], state["rows"], wide)
        self.cluster_centers_, self.bandwidth_ = (found / unit).astype(data.X.dtype), wide / unit
        self.n_iter_ = int(state["steps"].max())
        self.labels_ = self._assign(data.X)
        here = method.progress(state)
        trace.certify(
            "step", here.criterion, here.tolerance, "no place moves by more than a thousandth of the bandwidth"
        )

    def _seeds(self, X: Array, unit: float, wide: float) -> Array:
        if self.seeds is not None:
            seeds = np.asarray(self.seeds, dtype=np.float64) * unit
            if seeds.ndim != 2 or seeds.shape[1] != X.shape[1]:
                raise DataError(
                    f"MeanShift: seeds must have the {X.shape[1]} columns of X; their shape is {seeds.shape}"
                )
            return seeds
        return get_bin_seeds(X, wide, self.min_bin_freq) if self.bin_seeding else X

    def _assign(self, X: Matrix) -> Array:
        distances, rows = Search.of(self.cluster_centers_, STRAIGHT).nearest(X, 1)
        far = (distances[:, 0] > self.bandwidth_) & (not self.cluster_all)
        return np.where(far, -1, rows[:, 0])


@checks_sparse
def mean_shift(
    X: Any,
    *,
    bandwidth: float | None = None,
    seeds: Any = None,
    bin_seeding: bool = False,
    min_bin_freq: int = 1,
    cluster_all: bool = True,
    max_iter: int = 300,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """The summits that `MeanShift` finds, and the group of each row.

    next place = mean of the rows within the bandwidth of this one, until it stands

    >>> centres, labels = mean_shift([[0.0], [1.0], [5.0], [6.0]], bandwidth=2.0)
    >>> labels.tolist()
    [1, 1, 0, 0]
    """
    model = MeanShift(
        bandwidth=bandwidth,
        seeds=seeds,
        bin_seeding=bin_seeding,
        min_bin_freq=min_bin_freq,
        cluster_all=cluster_all,
        max_iter=max_iter,
        n_jobs=n_jobs,
    ).fit(X)
    return model.cluster_centers_, model.labels_
