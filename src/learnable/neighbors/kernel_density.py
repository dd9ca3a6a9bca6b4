"""Kernel density estimation: the mean of kernels centred at the rows."""

from __future__ import annotations

from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, Traits, estimator, learned, param
from ..core.roles.density_estimator import DensityEstimator
from ._kde_kernels import DensityKernel, drawn, log_total
from ._kde_sums import KernelSums
from ._metrics import SAYS, comparison, effective, is_metric

CANDIDATES = 24
_SUMS: WeakKeyDictionary[DensityEstimator, tuple[Array, KernelSums]] = WeakKeyDictionary()  # nothing that files hold


@estimator
class KernelDensity(DensityEstimator):
    """Kernel density estimation: the mean of kernels centred at the training rows.

    p(x) = sum_i weight_i K(d(x, x_i) / h) / (W h^p integral of K),    W = sum weight

    A small bandwidth h shows every row, a large one smooths: it is given, or by Scott's or Silverman's rule for columns
    of unit spread, or "cross_validation" takes the one under which rows left out are most likely. Sums over a tree of
    boxes, right to rounding unless `rtol` or `atol` allow more. The hypercube is Parzen's window. With other metrics
    than the Euclidean, whose integral of K is taken for all, densities are right up to a factor. [Parzen, 1962]

    >>> model = KernelDensity(bandwidth=1.0).fit([[0.0], [2.0]])
    >>> np.exp(model.score_samples([[1.0]])).round(4)
    array([0.242])
    """

    bandwidth: float | Literal["scott", "silverman", "cross_validation"] = param(
        1.0,
        "bandwidth of the kernel, or the rule to choose it",
        above=0,
        tune=(0.1, 0.3, 1.0, 3.0),
        simpler="larger",
    )
    algorithm: Literal["auto", "kd_tree", "ball_tree"] = param(
        "auto", "accepted for compatibility; sums have the same accuracy"
    )
    kernel: DensityKernel = param("gaussian", "kernel of the density")
    metric: Any = param("euclidean", "distance metric", accepts=is_metric, says=SAYS)
    atol: float = param(0, "absolute tolerance of the density", at_least=0)
    rtol: float = param(0, "relative tolerance of the density", at_least=0)
    breadth_first: bool = param(True, "accepted for compatibility")
    leaf_size: int = param(40, "accepted for compatibility", at_least=1)
    metric_params: dict[str, Any] | None = param(None, "options of the metric")
    folds: int = param(5, "number of cross-validation folds to choose the bandwidth", at_least=2)

    bandwidth_: float = learned("bandwidth of the kernel")
    rows_: Array = learned("the training rows", shape="rows features")
    counts_: Array | None = learned("weight of each training row, None if all count alike", shape="rows")

    traits = Traits(parametric=False, lazy=True)
    title = "kernel density estimation"
    reference = "Parzen, 1962"

    def _fit(self, data: Data, trace: Trace) -> None:
        kept = slice(None) if data.weight is None else np.flatnonzero(data.weight > 0)
        self.rows_ = data.X[kept]
        self.counts_ = None if data.weight is None else np.asarray(data.weight[kept], dtype=np.float64)
        self.bandwidth_ = self._chosen(data, trace)
        if not trace.rows:
            trace.exact("the training rows themselves are kept")

    def _chosen(self, data: Data, trace: Trace) -> float:
        if not isinstance(self.bandwidth, str):
            return float(self.bandwidth)
        if self.bandwidth == "cross_validation":
            return self._most_likely(trace)
        n, p = data.total_weight, data.p
        return float((n if self.bandwidth == "scott" else n * (p + 2) / 4) ** (-1 / (p + 4)))

    def _most_likely(self, trace: Trace) -> float:
        """The candidate under which rows left out are most likely; a row of the trace for each of them."""
        rows, counts = _distinct(self.rows_.astype(np.float64), self.counts_)
        if len(rows) < self.folds:
            raise ParameterError(
                f'{type(self).__name__}: bandwidth="cross_validation" needs at least folds={self.folds} different '
                f"rows; got {len(rows)}"
            )
        spread = np.sqrt(np.average((rows - np.average(rows, 0, counts)) ** 2, 0, counts).mean()) or 1.0
        usual = spread * (counts.sum() * (rows.shape[1] + 2) / 4) ** (-1 / (rows.shape[1] + 4))
        widths = usual * np.geomspace(0.05, 4.0, CANDIDATES)
        fold = np.arange(len(rows)) % self.folds
        likely = np.zeros(len(widths))
        for part in range(self.folds):
            train, test = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
            sums = self._sums(rows[train], counts[train])
            for place, width in enumerate(widths):
                likely[place] += counts[test] @ self._densities(sums, rows[test], float(width))
        if not np.isfinite(likely).any():
            raise ParameterError(
                f"{type(self).__name__}: the kernel {self.kernel} gives some held-out rows the density zero under "
                "every bandwidth tried; give a bandwidth, or use a kernel with unbounded support, such as gaussian"
            )
        for value, width in zip(likely, widths, strict=True):
            trace.record(-float(value), bandwidth=float(width))
        trace.stopped = "exact"
        trace.certify("exact", 0.0, 0.0, f"{CANDIDATES} bandwidths were compared on rows left out")
        return float(widths[np.argmax(likely)])

    def _sums(self, rows: Array, counts: Array | None) -> KernelSums:
        metric, options = effective(self.metric, 2, self.metric_params)
        if self.kernel == "hypercube" and metric != "euclidean":
            raise ParameterError(
                f"{type(self).__name__}: the kernel hypercube has a metric of its own; got {self.metric!r}"
            )
        how = comparison("chebyshev" if self.kernel == "hypercube" else metric, options, rows, type(self).__name__)
        return KernelSums(rows, counts, how)

    def _unsound(self) -> str:
        """The weights of the rows can be drawn by."""
        counts = self.counts_
        sound = counts is None or (np.isfinite(counts).all() and (counts >= 0).all() and counts.sum() > 0)
        return "" if sound else "counts_ must be weights, not all of them 0"

    def _densities(self, sums: KernelSums, X: Array, width: float) -> Array:
        p = X.shape[1]
        total = log_total(self.kernel, p) + p * np.log(width)
        shape, reach = ("tophat", width / 2) if self.kernel == "hypercube" else (self.kernel, width)
        allowed = self.atol * sums.whole * np.exp(min(total, 700.0))
        return np.asarray(sums.logs(X, shape, reach, self.rtol, allowed) - np.log(sums.whole) - total)

    def _log_density(self, X: Matrix) -> Array:
        rows, sums = _SUMS.get(self, (None, None))
        if sums is None or rows is not self.rows_:
            sums = self._sums(self.rows_.astype(np.float64), self.counts_)
            _SUMS[self] = self.rows_, sums
        return self._densities(sums, np.require(X, np.float64, "C"), self.bandwidth_).astype(X.dtype, copy=False)

    def _drawn(self, count: int, rng: np.random.RandomState) -> Array:
        if effective(self.metric, 2, self.metric_params)[0] not in ("euclidean", "l2"):
            raise ParameterError(
                f"{type(self).__name__}: sample needs Euclidean distances; got metric={self.metric!r:.40}"
            )
        passed = np.cumsum(np.ones(len(self.rows_)) if self.counts_ is None else self.counts_)
        centre = np.searchsorted(passed, rng.uniform(0, 1, count) * passed[-1], side="right")
        offsets = drawn(self.kernel, count, self.rows_.shape[1], rng)
        return np.asarray(self.rows_[centre] + self.bandwidth_ * offsets)


def _distinct(rows: Array, counts: Array | None) -> tuple[Array, Array]:
    """The different rows in the order of their first copies, and how often each counts: copies stay in one fold."""
    _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    total, order = np.bincount(place.ravel(), counts), np.argsort(first)
    return rows[first[order]], total[order].astype(np.float64)
