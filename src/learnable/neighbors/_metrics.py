"""Metrics by name, as the search for neighbours takes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix, ParameterError
from ..core.errors import warn
from ..core.validate.sparse_input import as_dense
from ..engines.neighbours import RowComparison
from ..metrics._metric_options import check_options
from ..metrics._row_pairs import Pair
from ..metrics.distances import BOOLEAN, METRICS, distance_metrics, table_of_distances, whitening

POWERS = {
    "euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf, "infinity": np.inf,
}  # fmt: skip
BALLS = {"canberra": "canberra", "hamming": "hamming", "matching": "hamming", "haversine": "haversine"}
WITH_MISSING = ("nan_euclidean", "gower")
SAME = {"sokalmichener": "rogerstanimoto"}  # two names of one metric
KNOWN = tuple(sorted({*METRICS, *POWERS, *SAME, "p"}))


def is_metric(value: Any) -> bool:
    """Whether the value is a valid metric.

    >>> is_metric("gower"), is_metric("length")
    (True, False)
    """
    return callable(value) or hasattr(value, "pairwise") or (isinstance(value, str) and value in KNOWN)


SAYS = "the name of a metric of learnable.metrics.pairwise_distances, a DistanceMetric, or a function of two rows"


@dataclass(frozen=True)
class DistanceTable:
    """The distances of all rows of two tables by a metric and its options."""

    metric: str | Callable[..., float]
    options: dict[str, Any]

    def __call__(self, Q: Matrix, X: Matrix) -> Array:
        if isinstance(self.metric, str) and self.metric in ("haversine", *WITH_MISSING):
            return np.asarray(distance_metrics()[self.metric](Q, X, **self.options))
        if hasattr(self.metric, "pairwise"):
            return np.asarray(self.metric.pairwise(_dense(Q), _dense(X)), dtype=np.float64)
        if callable(self.metric) and hasattr(Q, "tocsr") and hasattr(X, "tocsr"):  # of sparse rows, as they came
            pairs = ((Q[[i]], X[[j]]) for i in range(Q.shape[0]) for j in range(X.shape[0]))
            found = np.array([self.metric(row, other, **self.options) for row, other in pairs], dtype=np.float64)
            return found.reshape(Q.shape[0], X.shape[0])
        if self.metric == "sqeuclidean" and not self.options and isinstance(Q, np.ndarray):
            from scipy.spatial.distance import cdist

            return np.asarray(cdist(Q, X, "sqeuclidean"))  # of differences: products would round, and break ties
        flags = self.metric in BOOLEAN and holds_flags(Q) and holds_flags(X)
        found = table_of_distances(Pair(Q, X, False, False, flags), self.metric, dict(self.options))
        if callable(self.metric) and np.isnan(found).any():
            row, other = np.argwhere(np.isnan(found))[0]
            raise ParameterError(
                f"the function given as metric returned NaN for {np.asarray(Q[row])!r:.60} and "
                f"{np.asarray(X[other])!r:.60}; it must return a number for every two rows"
            )
        return found


def holds_flags(X: Matrix) -> bool:
    """Whether all entries are 0 or 1, as in a boolean table converted to a matrix."""
    entries = X.data if hasattr(X, "tocsr") else X
    return bool(((entries == 0) | (entries == 1)).all())


@dataclass(frozen=True)
class GivenTable:
    """Precomputed distances; in a sparse matrix, those that are not stored are infinite."""

    owner: str

    def __call__(self, Q: Matrix, X: Matrix) -> Array:
        if (Q.data if hasattr(Q, "tocsr") else Q).min(initial=0) < 0:
            raise DataError(f"{self.owner}: Negative values in data passed to precomputed distance matrix.")
        if not hasattr(Q, "tocsr"):
            return np.asarray(Q)
        found = np.full(Q.shape, np.inf)
        found[np.repeat(np.arange(Q.shape[0]), np.diff(Q.indptr)), Q.indices] = Q.data
        return found


def effective(metric: Any, p: float, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """The metric and its options, a Minkowski distance under its simplest name.

    >>> effective("minkowski", 2, None), effective("minkowski", 3, None)
    (('euclidean', {}), ('minkowski', {'p': 3}))
    """
    options = dict(options or {})
    if metric not in ("minkowski", "p"):
        return metric, options
    power = options.pop("p", p)
    simple = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(power)
    if simple is not None and options.get("w") is None:
        return simple, {}
    return "minkowski", {"p": power, **options}


def warn_of_power(owner: str, power: float | None, options: dict[str, Any] | None) -> None:
    """Say that a power among the options counts, and not the one that is a parameter."""
    if power is not None and options is not None and "p" in options:
        message = "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored."
        warn(f"{owner}: {message}", SyntaxWarning)


def comparison(metric: Any, options: dict[str, Any], X: Matrix, owner: str) -> RowComparison:
    """How the rows of `X`, from which some metrics take their scale, are compared."""
    if metric == "precomputed":
        return RowComparison(table=GivenTable(owner))
    check_options(metric, options, X.shape[1], owner)
    if metric in POWERS and not options:
        name = "chebyshev" if metric == "infinity" else metric
        return RowComparison(power=POWERS[metric], table=DistanceTable(name, {}))
    if metric == "minkowski" and (power := options.get("p", 2.0)) >= 1 and np.isfinite(power):
        weight = options.get("w")
        turn = None if weight is None else np.asarray(weight, dtype=np.float64) ** (1 / power)
        return RowComparison(power=float(power), turn=turn)
    if metric == "seuclidean":
        return RowComparison(power=2, turn=1 / np.sqrt(_variances(X, options.get("V"))))
    if metric == "mahalanobis":
        return RowComparison(power=2, turn=whitening(_dense(X), owner, options.get("VI"), options.get("V")))
    if metric == "gower" and "ranges" not in options:
        options = {**options, "ranges": column_ranges(X)}
    ball = BALLS.get(metric) if isinstance(metric, str) and not options else None
    metric = SAME.get(metric, metric) if isinstance(metric, str) else metric
    if metric == "haversine" and X.shape[1] != 2:
        raise DataError(f"{owner}: haversine is only valid in 2 dimensions, latitude and longitude in radians")
    return RowComparison(ball=ball, table=DistanceTable(metric, options))


def column_ranges(X: Matrix) -> Array:
    """The range of each column; 0 where all its values are missing."""
    rows = np.asarray(_dense(X), dtype=np.float64)
    known = ~np.isnan(rows)
    reach = np.max(rows, axis=0, where=known, initial=-np.inf) - np.min(rows, axis=0, where=known, initial=np.inf)
    return np.asarray(np.maximum(reach, 0.0))


def _variances(X: Matrix, given: Any) -> Array:
    found = np.var(_dense(X), axis=0, ddof=1) if given is None else np.asarray(given, dtype=np.float64)
    return np.where(found > 0, found, 1.0)


def _dense(X: Matrix) -> Array:
    return as_dense(X)
