"""Base classes of estimators by nearest neighbours: the training rows and the search among them."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from ..core import Array, Data, DataError, Estimator, Matrix, ParameterError, Traits, declaring, learned, param
from ..core.errors import not_fitted, warn
from ..core.validate.targets import is_sparse
from ..engines.neighbours import Found, NeighbourSearch, Within
from ._graphs import graph_of, ragged
from ._metrics import SAYS, comparison, effective, is_metric, warn_of_power
from ._mixed_features import ByMetric
from ._point_index import PointIndex

_SEARCHES: WeakKeyDictionary[Estimator, tuple[Matrix, NeighbourSearch]] = WeakKeyDictionary()  # nothing that files hold


def flaw_of_codes(codes: Array, labels: Any) -> str:
    """What keeps codes from being those of classes, a column for each list of labels; empty if nothing does."""
    known = all(isinstance(one, np.ndarray) and one.ndim == 1 for one in labels)
    if not known or codes.dtype != np.int64 or codes.shape[1] != len(labels):
        return "codes_ must hold whole numbers, a column for each target in classes_"
    sound = all(((column >= 0) & (column < len(one))).all() for column, one in zip(codes.T, labels, strict=True))
    return "" if sound else "codes_ names a class that is not in classes_"


@declaring
class Neighbourhood(ByMetric):
    """Base class of estimators that keep the training rows and search neighbours among them."""

    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = param(
        "auto", "search algorithm: all are exact, and auto chooses by the shape of the data"
    )
    leaf_size: int = param(30, "accepted for compatibility; the leaf size suits the processor", at_least=1)
    p: float | None = param(2, "power of the Minkowski metric, also inf", above=0, infinite=True)
    metric: Any = param("minkowski", "distance metric", accepts=is_metric, says=SAYS)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")

    effective_metric_: str | Callable[..., Any] = learned("name of the metric, the simplest that it has")
    effective_metric_params_: dict[str, Any] = learned("options of the metric")
    n_samples_fit_: int = learned("number of rows kept", least=0)
    rows_: Matrix = learned("the rows kept", shape="rows features", matrix=True)
    kept_: Array = learned(
        "which rows are kept, if distances were given and some rows had no weight", shape="rows", optional=True
    )

    traits = Traits(sparse=True, storage="csr", parametric=False, lazy=True)

    def _counting(self, data: Data) -> Any:
        """The training rows of positive weight; the columns of the others are dropped from precomputed distances."""
        if data.weight is None:
            return slice(None)
        kept = np.flatnonzero(data.weight > 0)
        if self.pairwise and len(kept) < data.n:
            self._check_square(data.X)
            self.kept_ = kept
        return kept

    def _check_square(self, X: Matrix) -> None:
        if self.pairwise and X.shape[0] != X.shape[1]:
            raise DataError(
                f"{type(self).__name__}: a precomputed matrix holds the distances of every training row to every "
                f"training row; X has the shape {X.shape}"
            )

    def _as_compared(self, X: Matrix) -> Matrix:
        """The rows as they are compared: of precomputed distances to all training rows, those to the rows kept."""
        kept = self.__dict__.get("kept_")
        return X if kept is None else X[:, kept]

    def _keep(self, X: Matrix) -> None:
        """Keep the rows and the metric."""
        self._check_square(self._as_compared(X))
        power = 2.0 if self.p is None else self.p
        self._warn_of_power(power)
        self.effective_metric_, options = effective(self.metric, power, self.metric_params)
        self.effective_metric_params_, self.rows_ = options, self._learn_categories(X, options)
        self.n_samples_fit_ = self._search.rows  # what is wrong with the metric shows now

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """The validated rows; those of a search or of a tree, where one is given in place of rows."""
        if self.pairwise and is_sparse(X) and X.format in ("bsr", "dok"):
            raise TypeError(
                f"{type(self).__name__}: precomputed distances in {X.format} format are not supported due to its "
                "handling of explicit zeros; use X.tocsr()"
            )
        return super()._enter(X.rows_ if isinstance(X, Neighbourhood) else X.data if isinstance(X, PointIndex) else X)

    def _warn_of_power(self, power: float) -> None:
        """Say that a power below 1 is not a metric, and that another one counts than is given."""
        owner = type(self).__name__
        warn_of_power(owner, self.p, self.metric_params)
        if self.metric in ("minkowski", "p") and power < 1 and self.algorithm in ("auto", "brute"):
            warn(
                f"{owner}: Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the "
                "execution with `algorithm='brute'`.",
                UserWarning,
            )

    def _build(self) -> NeighbourSearch:
        options = self.effective_metric_params_
        how = comparison(self.effective_metric_, options, self.rows_, type(self).__name__)
        by_tables = hasattr(self.effective_metric_, "pairwise")
        return NeighbourSearch.of(self._as_compared(self.rows_), how, "brute" if by_tables else self.algorithm)

    @property
    def _search(self) -> NeighbourSearch:
        """The search among the rows kept, made when it is first needed."""
        rows, search = _SEARCHES.get(self, (None, None))
        if search is None or rows is not self.rows_:
            search = self._build()
            _SEARCHES[self] = self.rows_, search
        return search

    def _nearest(self, X: Matrix | None, k: int) -> Found:
        """Distances and rows of the `k` nearest, of other rows if `X` is None."""
        others = X is None
        if k > self.n_samples_fit_ - others:
            raise DataError(
                f"{type(self).__name__}: {k} neighbours are required (n_neighbors) of {self.n_samples_fit_ - others} "
                f"training rows{' other than the row itself' * others}; fit more rows, n_samples = "
                f"{self.n_samples_fit_} now, or ask for fewer"
            )
        found = self._search.nearest_others(k) if X is None else self._search.nearest(self._as_compared(X), k)
        if self.pairwise and np.isinf(found[0]).any():
            raise DataError(
                f"{type(self).__name__}: {k} neighbors are required for each sample, but some have fewer stored"
            )
        return found

    def _within(self, X: Matrix | None, radius: float | None) -> Within:
        if radius is None:
            raise ParameterError(f"{type(self).__name__}: radius=None finds no rows; give a radius")
        found = self._search.others_within(radius) if X is None else self._search.within(self._as_compared(X), radius)
        return self._narrow(found[0]), *found[1:]

    def _narrow(self, distances: Array) -> Array:
        """Distances cast to the precision of the rows."""
        return distances.astype(np.float32) if self.rows_.dtype == np.float32 else distances


class LeavingOut(Neighbourhood):
    """Base class of predictors by neighbours: of `X=None`, each training row by its neighbours but itself."""

    def _read(self, X: Any) -> Any:
        """The validated query rows; None for the training rows, each without itself."""
        if X is not None or not self.__sklearn_is_fitted__():
            return super()._read(X)
        if self.__dict__.get("counts_") is not None:
            raise DataError(
                f"{type(self).__name__}: X=None leaves out a row, but with sample weights it counts as several; use "
                "cross_val_predict with LeaveOneOut()"
            )
        return None


class WithNearest(Neighbourhood):
    """Base class of estimators by the k nearest neighbours."""

    n_neighbors: int

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances to and indices of the nearest training rows of each row of `X`, nearest first.

        Without `X`, the nearest other rows of each training row.
        """
        k = _count(self, self.n_neighbors if n_neighbors is None else n_neighbors)
        distances, rows = self._nearest(_queries(self, X), k)
        return (self._narrow(distances), rows) if return_distance else rows

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: Literal["connectivity", "distance"] = "connectivity"
    ) -> Any:
        """The graph of neighbours, sparse: 1, or the distance, where a training row is near a row of `X`."""
        return self._nearest_graph(_queries(self, X), self.n_neighbors if n_neighbors is None else n_neighbors, mode)

    def _nearest_graph(self, X: Matrix | None, n_neighbors: int, mode: str) -> Any:
        k = _count(self, n_neighbors)
        distances, rows = self._nearest(X, k)
        found = self._narrow(distances).ravel(), rows.ravel(), np.arange(len(rows) + 1, dtype=np.int64) * k
        return graph_of(found, mode, self.n_samples_fit_, type(self).__name__)


class WithRadius(Neighbourhood):
    """Base class of estimators by all neighbours within a radius."""

    radius: float | None

    def radius_neighbors(
        self, X: Any = None, radius: float | None = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """Distances to and indices of all training rows within the radius of each row of `X`, an array a row."""
        found = self._within(_queries(self, X), self.radius if radius is None else _reach(self, radius))
        if sort_results and not return_distance:
            raise ValueError(f"{type(self).__name__}: return_distance must be True if sort_results is True.")
        distances, rows = ragged(found, sort_results)
        return (distances, rows) if return_distance else rows

    def radius_neighbors_graph(
        self,
        X: Any = None,
        radius: float | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
        sort_results: bool = False,
    ) -> Any:
        """The graph of neighbours, sparse: 1, or the distance, where a training row is within the radius."""
        reach = self.radius if radius is None else _reach(self, radius)
        return self._radius_graph(_queries(self, X), reach, mode, sort_results)

    def _radius_graph(self, X: Matrix | None, radius: float | None, mode: str, sort_results: bool = False) -> Any:
        return graph_of(self._within(X, radius), mode, self.n_samples_fit_, type(self).__name__, sort_results)


def _queries(model: Neighbourhood, X: Any) -> Matrix | None:
    """The validated query rows; None for the training rows themselves."""
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    return None if X is None else model._read(X)


def _count(model: Neighbourhood, k: Any) -> int:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"{type(model).__name__}: n_neighbors does not take {type(k)} value, enter integer value")
    if k < 1:
        raise DataError(f"{type(model).__name__}: n_neighbors must be at least 1; got {k}")
    return int(k)


def _reach(model: Neighbourhood, radius: Any) -> float:
    if isinstance(radius, bool) or not isinstance(radius, Real) or not float(radius) >= 0:
        raise ParameterError(f"{type(model).__name__}: radius must be a number of at least 0; got {radius!r:.60}")
    return float(radius)


def counted(weight: Array, rows: Array, k: float) -> Array:
    """How often each neighbour counts among the `k` nearest if a row stands for as many copies as its weight.

    >>> counted(np.array([2.0, 2.0, 5.0]), np.array([[0, 1, 2]]), 3).tolist()
    [[2.0, 1.0, 0.0]]
    """
    weights = weight[rows]
    return np.asarray(np.clip(k - (np.cumsum(weights, axis=1) - weights), 0, weights))


def rows_enough(weight: Array, k: int, owner: str) -> int:
    """The number of rows whose weights sum to at least `k`, whichever they are."""
    total = np.cumsum(np.sort(weight))
    if total[-1] < k:
        raise DataError(
            f"{owner}: {k} neighbours are required (n_neighbors), but the weights of all rows sum to {total[-1]:g}"
        )
    return int(np.searchsorted(total, k) + 1)
