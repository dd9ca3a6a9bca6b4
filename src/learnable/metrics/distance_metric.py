"""A distance as an object, in scikit-learn's form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import ParameterError, ParameterTypeError
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

    dtype: Any = np.float64

    def __init__(self, metric: str | Callable[..., float], **options: Any) -> None:
        self.metric = metric
        self.options = options

    @classmethod
    def get_metric(cls, metric: Any, dtype: Any = np.float64, **kwargs: Any) -> DistanceMetric:
        """The metric of that name, or that a function of two rows computes.

        It computes in double precision, and gives distances in `dtype`.
        """
        if np.dtype(dtype) not in (np.float32, np.float64):
            raise ParameterError(f"Unexpected dtype {dtype} provided. Please select a dtype from float32, float64")
        found = metric if isinstance(metric, cls) else cls._of_name(metric, kwargs)
        found.dtype = np.dtype(dtype)
        return found

    @classmethod
    def _of_name(cls, metric: Any, kwargs: dict[str, Any]) -> DistanceMetric:
        if callable(metric):
            return cls(metric, **kwargs)
        name = _ALIASES.get(metric, metric)
        if name == "function":
            return cls(kwargs.pop("func"), **kwargs)
        if name not in METRICS or name == "precomputed":
            raise ParameterError(f"Unrecognized metric {metric!r}; the metrics are {', '.join(METRICS)}")
        if name == "minkowski":
            _check_minkowski(**kwargs)
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

            return haversine_distances(X, Y).astype(self.dtype, copy=False)
        tables = pair("DistanceMetric.pairwise", X, Y)
        if self.metric == "russellrao":  # which is positive between equal rows
            tables = replace(tables, same=False)
        return table_of_distances(tables, self.metric, dict(self.options)).astype(self.dtype, copy=False)

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


def _check_minkowski(p: float = 2, w: Any = None) -> None:
    """Refuse powers and weights with which the sum of powers is not a distance."""
    if not p > 0:
        raise ParameterError(f"DistanceMetric: p must be greater than 0 for minkowski; got {p!r:.40}")
    if hasattr(w, "toarray"):
        raise ParameterTypeError("DistanceMetric: w is a sparse matrix; pass the weights as a dense array")
    if w is None:
        return
    try:
        weight = np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"DistanceMetric: w must hold numbers: {error}") from None
    if weight.size == 0 or not (weight >= 0).all():
        raise ParameterError(f"DistanceMetric: w must hold a weight, zero or more, for each column; got {w!r:.60}")
