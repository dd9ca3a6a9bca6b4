"""k-means clustering."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from ..core import Array, ConvergenceWarning, Data, DataError, RandomState, Trace, estimator, param, seed_of
from ..core.errors import warn
from ..engines.columns.column_statistics import ColumnStatistics, column_statistics
from ..engines.iterate import Run, best_run
from ..engines.kmeans import Bounds, Empty, Lloyd, ScaledData, Stop
from ..engines.kmeans_init import Init
from ..engines.kmeans_on_blocks import BlockLloyd, assigned, column_spread, seed_centres
from ..engines.passes import TrainingRows
from ..engines.sampled_rows import SAMPLE_ROWS, SampledRows
from ._kmeans.base_centroid import (
    CentroidClusterer,
    draw_centres,
    inertia,
    initial_centres,
    number_of_runs,
    rows_with_weight,
)

BOUNDS: dict[str, Bounds] = {"lloyd": "groups", "hamerly": "one", "elkan": "each", "plain": "none"}


@estimator
class KMeans(CentroidClusterer):
    """K-means clustering: rows are assigned to the nearest of n_clusters centroids, the means of their clusters.

    minimise over centroids c and labels    sum_i s_i |x_i - c_label(i)|^2

    Lloyd's algorithm alternates assignment and update; neither can raise the objective. Bounds on distances that remain
    valid after the moves of the centroids skip most rows in later iterations: one for all other centroids up to 255 of
    them (Hamerly's), for groups of about 128 of them above (Ding's), or one for each (Elkan's), by `algorithm`; the
    labels are always those of all distances in double precision, ties go to the first. An iteration costs at most rows
    times clusters times columns. The seeding is invariant to the order of the rows, and to copies instead of weights.
    [Lloyd, 1982; Elkan, 2003; Hamerly, 2010; Ding et al., 2015]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist()), model.inertia_
    ([[1.0, 2.0], [10.0, 2.0]], 16.0)
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    init: Init | Callable[..., Any] | Array = param(
        "k-means++",
        "initialisation: a method (random: rows, uniform: values within the ranges of the columns), initial centroids, "
        "or a function (X, n_clusters, random_state)",
    )
    n_init: int | Literal["auto"] = param(
        "auto", 'number of initialisations, the best is kept; "auto": 10 if random, uniform or a function, otherwise 1',
        at_least=1,
    )  # fmt: skip
    max_iter: int = param(300, "maximum number of iterations of a run", at_least=1)
    tol: float = param(
        1e-4,
        "tolerance: squared move of the centroids relative to the mean variance, or relative decrease of the objective",
        at_least=0,
    )
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    random_state: RandomState = param(None, "seed of the centroid initialisation")
    copy_x: bool = param(True, "accepted for compatibility; X is never changed")
    algorithm: Literal["lloyd", "hamerly", "elkan", "plain"] = param(
        "lloyd",
        "all give the same result; for dense data, lloyd keeps bounds for groups of about 128 centroids, hamerly one "
        "for all centroids, elkan one for each, plain none",
    )
    trials: int | None = param(
        None, "number of candidates for each seed of k-means++; None: 2 + log n_clusters", at_least=1
    )
    stop: Stop = param(
        "centres", "convergence criterion: move of the centres, no change of labels, or decrease of the objective"
    )
    empty_cluster: Empty = param("relocate", "handling of clusters without rows")

    title = "k-means clustering"
    reference = "Lloyd, Least squares quantization in PCM, 1982"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = rows_with_weight(self, data)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn("KMeans: algorithm='elkan' doesn't make sense for a single cluster; 'lloyd' does", RuntimeWarning)
        scaled = ScaledData(rows.X, rows.weight, BOUNDS[self.algorithm])
        tolerance = {"centres": self.tol * scaled.spread, "labels": 0.0, "objective": self.tol}[self.stop]
        starts = initial_centres(self, scaled, rows)
        found = best_run(
            (Lloyd(scaled, begin, tolerance, self.stop, self.empty_cluster) for begin in starts), self.max_iter, trace
        )
        self._keep(found, data, scaled)
        unit = scaled.spread if self.stop == "centres" and scaled.spread > 0 else 1.0
        moved = {
            "centres": "moved the centroids by this sum of squares relative to the mean variance",
            "labels": "changed this number of labels",
            "objective": "lowered the objective by this fraction",
        }[self.stop]
        trace.certify(
            self.stop, found.criterion / unit, tolerance / unit,
            f"every row is assigned to its nearest centroid, and the last iteration {moved}",
        )  # fmt: skip

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if self.stop == "labels" or self.empty_cluster != "relocate":
            raise DataError('KMeans: a scan needs stop="centres" or "objective", and empty_cluster="relocate"')
        columns: ColumnStatistics = rows.total(column_statistics)
        origin, spread = column_spread(columns)
        tolerance = self.tol * spread if self.stop == "centres" else self.tol
        starts = (np.ascontiguousarray(start) for start in self._starts(rows, origin))
        found = best_run(
            (BlockLloyd(rows, start, origin, tolerance, self.stop) for start in starts), self.max_iter, trace
        )
        self.cluster_centers_ = found.state["centres"].astype(rows.first.X.dtype)
        self.n_iter_ = found.steps
        self.inertia_ = float(rows.total(assigned, self.cluster_centers_.astype(np.float64), origin).inertia)
        unit = spread if self.stop == "centres" and spread > 0 else 1.0
        trace.certify(
            self.stop, found.criterion / unit, tolerance / unit,
            "every row is assigned to its nearest centroid, and the last iteration moved little",
        )  # fmt: skip

    def _starts(self, rows: TrainingRows, origin: Array) -> Iterator[Array]:
        """Initial centroids for each run: drawn from a sample of the rows, or from all by k-means||."""
        seed = seed_of(self.random_state)
        if isinstance(self.init, str) and self.init == "k-means||":
            for run in range(number_of_runs(self.init, self.n_init)):
                centres, mass = seed_centres(rows, self.n_clusters, origin, seed + run)
                few = ScaledData(centres, np.maximum(mass, 1e-300))
                yield draw_centres(few, self.n_clusters, "k-means++", seed, run, self.trials) / few.unit
            return
        sample: SampledRows = rows.total(SampledRows.of, SAMPLE_ROWS)
        data = rows_with_weight(self, sample.data)
        scaled = ScaledData(data.X, data.weight)
        yield from (start / scaled.unit for start in initial_centres(self, scaled, data))

    def _keep(self, found: Run, data: Data, scaled: ScaledData) -> None:
        """Round the centroids to the precision of the data; labels and inertia are computed from the rounded ones."""
        self.cluster_centers_ = (found.state["centres"] / scaled.unit).astype(data.X.dtype)
        self.n_iter_ = found.steps
        unit = None
        if scaled.X.shape[0] == data.n:
            unit = 1.0 if scaled.unit == 1 else None  # ordinary rows
            self.labels_ = np.full(data.n, -1, dtype=np.int32)
            scaled.assign(self.cluster_centers_.astype(np.float64) * scaled.unit, self.labels_)
        else:
            self.labels_ = self._assign(data.X)
        self.inertia_ = inertia(data.X, data.weight, self.cluster_centers_, self.labels_, unit)
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances overflow")
        different = len(np.unique(self.labels_))
        if different < self.n_clusters and self.empty_cluster == "relocate":
            warn(
                f"KMeans: only {different} of n_clusters={self.n_clusters} clusters are not empty; X may have fewer "
                "distinct rows",
                ConvergenceWarning,
            )
