"""Mean shift: clusters around the modes of a density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, Trace, estimator, learned, param
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.runtime.context import give_way
from ..core.runtime.random import RandomState, stream
from ..core.scaling import unit_of
from ..core.validate.features import FeatureValidator
from ..engines.iterate import Progress, State, iterate
from ..engines.neighbours import NeighbourSearch, RowComparison, TreeSearch


@estimator
class MeanShift(Clusterer):
    """Mean shift clustering: points move to the modes of the density; rows belong to the nearest mode.

    next point = mean of the rows within the bandwidth of this one, until it is fixed;  modes: the fixed points

    The bandwidth determines the number of clusters: the larger, the fewer. Its default is `estimate_bandwidth`. Modes
    within the bandwidth of a denser one are dropped. Training and new rows belong to the nearest mode; with
    cluster_all=False, rows farther than the bandwidth from all modes have the label -1. [Comaniciu and Meer, 2002]

    >>> MeanShift(bandwidth=2.0).fit([[0.0], [1.0], [5.0], [6.0]]).cluster_centers_.tolist()
    [[5.5], [0.5]]
    """

    bandwidth: float | None = param(None, "radius of the flat kernel; None: by estimate_bandwidth", at_least=0)
    seeds: Array | None = param(None, "initial points; None: all rows")
    bin_seeding: bool = param(False, "whether the initial points are cells of a grid instead of all rows")
    min_bin_freq: int = param(1, "minimum number of rows of a cell of the grid", at_least=1)
    cluster_all: bool = param(True, "whether rows farther than the bandwidth from all modes are clustered")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    max_iter: int = param(300, "maximum number of iterations of a point", at_least=0)

    cluster_centers_: Array = learned("modes, the densest first", shape="clusters features")
    n_iter_: int = learned("largest number of iterations of a point")
    bandwidth_: float = learned("bandwidth used")

    title = "mean shift clustering"
    reference = "Comaniciu and Meer, Mean shift: a robust approach toward feature space analysis, 2002"

    def _fit(self, data: Data, trace: Trace) -> None:
        unit = unit_of(data.X)
        X = np.ascontiguousarray(data.X * unit, dtype=np.float64)
        wide = estimate_bandwidth(X) if self.bandwidth is None else self.bandwidth * unit
        seeds = self._seeds(X, unit, wide)
        if not len(seeds):
            raise DataError(
                f"MeanShift: there are no initial points; give seeds, or lower min_bin_freq={self.min_bin_freq}"
            )
        method = MeanShiftSteps(TreeSearch(X, EUCLIDEAN), X, seeds, wide)
        state = iterate(method, max(self.max_iter, 1), trace)
        if not state["rows"].any():
            raise DataError(
                f"MeanShift: no row is within bandwidth={wide / unit:g} of any seed; pass other seeds or a "
                "larger bandwidth"
            )
        found = find_modes(state["points"], state["rows"], wide)
        self.cluster_centers_, self.bandwidth_ = (found / unit).astype(data.X.dtype), wide / unit
        self.n_iter_ = int(state["steps"].max())
        self.labels_ = self._assign(data.X)
        here = method.progress(state)
        trace.certify(
            "step", here.criterion, here.tolerance, "no point moves by more than a thousandth of the bandwidth"
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
        distances, rows = NeighbourSearch.of(self.cluster_centers_, EUCLIDEAN).nearest(X, 1)
        far = (distances[:, 0] > self.bandwidth_) & (not self.cluster_all)
        return np.where(far, -1, rows[:, 0])


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
    """Mean shift clustering as a function: the modes, and the cluster of each row.

    next point = mean of the rows within the bandwidth of this one, until it is fixed

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


EUCLIDEAN = RowComparison(power=2.0)
BATCH = 20  # points that move together, so that lists of their neighbours stay short


@dataclass(frozen=True)
class MeanShiftSteps:
    """The iteration: points that still move by more than a thousandth of the bandwidth are updated."""

    search: TreeSearch
    X: Array
    seeds: Array
    bandwidth: float

    def start(self) -> State:
        """Points at the seeds."""
        count = len(self.seeds)
        return {
            "points": self.seeds.astype(np.float64),
            "rows": np.zeros(count),
            "moved": np.full(count, np.inf),
            "steps": np.zeros(count),
        }

    def step(self, state: State) -> State:
        """Moving points replaced by the mean of the rows within the bandwidth; a point without any is kept."""
        after = {name: value.copy() for name, value in state.items()}
        moving = np.flatnonzero(self._is_moving(state))
        for start in range(0, len(moving), BATCH):
            give_way()
            chosen = moving[start : start + BATCH]
            _, rows, offsets = self.search.within(after["points"][chosen], self.bandwidth)
            counts = np.diff(offsets)
            owner = np.repeat(np.arange(len(chosen)), counts)
            sums = np.stack([np.bincount(owner, column[rows], len(chosen)) for column in self.X.T], axis=1)
            moves = (counts[:, None] > 0) & (self.bandwidth > 0)  # equal rows are their mean, which may round
            means = np.where(moves, sums / np.maximum(counts, 1)[:, None], after["points"][chosen])
            after["moved"][chosen] = np.linalg.norm(means - after["points"][chosen], axis=1)
            after["points"][chosen], after["rows"][chosen] = means, counts
        after["steps"] += self._is_moving(after)
        return after

    def progress(self, state: State) -> Progress:
        """The mean number of rows within the bandwidth, and the largest move of a point."""
        return Progress(float(state["rows"].mean()), float(state["moved"].max()), self._tolerance)

    @property
    def _tolerance(self) -> float:
        return 1e-3 * self.bandwidth

    def _is_moving(self, state: State) -> Array:
        return np.asarray(state["moved"] > self._tolerance)


def find_modes(points: Array, rows: Array, bandwidth: float) -> Array:
    """Points with neighbours, the densest first, without those within the bandwidth of a denser one."""
    points, first = np.unique(points[rows > 0], axis=0, return_index=True)
    rows = rows[rows > 0][first]
    points = points[np.lexsort((*points.T[::-1], rows))[::-1]]
    search = NeighbourSearch.of(points, EUCLIDEAN)
    kept = np.ones(len(points), dtype=bool)
    for i in range(len(points)):
        if kept[i]:
            near = search.within(points[[i]], bandwidth)[1]
            kept[near] = False
            kept[i] = True
    return np.asarray(points[kept])


@checked(quantile=limits(at_least=0, at_most=1), n_samples=limits(at_least=1))
def estimate_bandwidth(
    X: Rows,
    *,
    quantile: float = 0.3,
    n_samples: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> float:
    """Bandwidth estimate for `MeanShift`: the mean distance to the neighbour at a quantile of all rows.

    bandwidth = mean over rows of the distance to the neighbour number quantile * n

    >>> estimate_bandwidth([[0.0], [1.0], [2.0], [10.0]], quantile=0.5)
    2.75
    """
    rows, _ = FeatureValidator("estimate_bandwidth").matrix(X)
    if n_samples is not None:
        rows = rows[stream(random_state).permutation(len(rows))[:n_samples]]
    k = max(1, int(len(rows) * quantile))
    search, total = TreeSearch(rows, EUCLIDEAN), 0.0  # a tree is fastest for many neighbours
    for start in range(0, len(rows), BATCH):
        give_way()
        total += float(search.nearest(rows[start : start + BATCH], k)[0][:, -1].sum())
    return total / len(rows)


@checked(bin_size=limits(at_least=0), min_bin_freq=limits(at_least=1))
def get_bin_seeds(X: Rows, bin_size: float, min_bin_freq: int = 1) -> Array:
    """Centres of the cells of a grid with at least min_bin_freq rows: fewer initial points than rows.

    seeds = bin_size times the rounded X / bin_size, each once

    >>> get_bin_seeds([[0.1], [0.2], [1.1]], 1.0).tolist()
    [[0.0], [1.0]]
    """
    rows, _ = FeatureValidator("get_bin_seeds").matrix(X)
    if bin_size == 0:
        return np.asarray(rows)
    cells, counts = np.unique(np.round(rows / bin_size), axis=0, return_counts=True)
    seeds = cells[counts >= min_bin_freq] * bin_size
    return np.asarray(rows if len(seeds) == len(rows) else seeds)
