"""A distance as an object, in scikit-learn's form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ..core.validate.sparse_input import ChecksSparse
from ._row_pairs import pair
from .distances import METRICS, table_of_distances

_ALIASES = {"p": "minkowski", "infinity": "chebyshev", "sokalmichener": "rogerstanimoto", "pyfunc": "function"}
_SQUARED = ("euclidean", "l2", "seuclidean", "mahalanobis")


class DistanceMetric(ChecksSparse):
    """A distance with its parameters, and a measure of the same order that costs less: the reduced distance.

    |x - y|^p is reduced for minkowski, (x - y)' V (x - y) for mahalanobis, the square for euclidean, the squared sine
    of half the angle for haversine; every other distance is its own.

    >>> metric = DistanceMetric.get_metric("minkowski", p=1)
    >>> metric.pairwise([[0.0, 0.0]], [[3.0, 4.0]]).tolist()
    [[7.0]]
    """

    def __init__(self, metric: str | Callable[..., float], **options: Any) -> None:
        self.metric = metric
        self.options = options

    @classmethod
    def get_metric(cls, metric: Any, dtype: Any = np.float64, **kwargs: Any) -> DistanceMetric:
        """The metric of that name, or that a function of two rows computes; it computes in double precision."""
        if np.dtype(dtype) not in (np.float32, np.float64):
            raise ParameterError(f"Unexpected dtype {dtype} provided. Please select a dtype from float32, float64")
        if isinstance(metric, cls):
            return metric
        if callable(metric):
            return cls(metric, **kwargs)
        name = _ALIASES.get(metric, metric)
        if name == "function":
            return cls(kwargs.pop("func"), **kwargs)
        if name not in METRICS or name == "precomputed":
            raise ParameterError(f"Unrecognized metric {metric!r}; the metrics are {', '.join(METRICS)}")
        return cls(name, **kwargs)

    @property
    def _power(self) -> float:
        """p, where the reduced distance is the p-th power of the distance."""
        if self.metric in _SQUARED:
            return 2.0
        p = float(self.options.get("p", 2)) if self.metric == "minkowski" else 1.0
        return 1.0 if np.isinf(p) else p

    def pairwise(self, X: Any, Y: Any = None) -> Array:
        """The distance of every row of `X` to every row of `Y` (None: `X`)."""
        if self.metric == "haversine":
            from .distance_functions import haversine_distances

            return haversine_distances(X, Y)
        return table_of_distances(pair("DistanceMetric.pairwise", X, Y), self.metric, dict(self.options))

    def dist_to_rdist(self, dist: Any) -> Array:
        """The reduced distances of true ones."""
        true = np.asarray(dist, dtype=np.float64)
        return np.asarray(np.sin(true / 2) ** 2 if self.metric == "haversine" else true**self._power)

    def rdist_to_dist(self, rdist: Any) -> Array:
        """The true distances of reduced ones."""
        reduced = np.asarray(rdist, dtype=np.float64)
        if self.metric == "haversine":
            return np.asarray(2 * np.arcsin(np.sqrt(reduced)))
        return np.asarray(reduced ** (1 / self._power))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r:.40}" for name, value in self.options.items())
        return f"DistanceMetric({self.metric!r}{options})"
