"""Base class of estimators of a location and a covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Traits, declaring, learned, param
from ..core.roles.unsupervised import Unsupervised
from ..core.validate.features import Matrix
from ._moments import average_log_likelihood, precision_of, scatter_of, squared_distances


@declaring
class CovarianceEstimator(Unsupervised):
    """A location and a covariance; `_fit` sets both by `_store`."""

    assume_centered: bool = param(False, "whether columns have mean zero, so that the location is not estimated")
    location_: Array = learned("estimated mean", shape="features")
    covariance_: Array = learned("estimated covariance", shape="features features")
    precision_: Array | None = learned("inverse, or pseudo-inverse, of the covariance", shape="features features")

    traits = Traits(task="covariance estimation")

    def _store(self, X: Matrix, location: Array, covariance: Array, precision: Array | None = None) -> None:
        """Keep what was estimated in the precision of the data; the inverse unless `store_precision` is False."""
        self.location_ = location.astype(X.dtype, copy=False)
        self.covariance_ = covariance.astype(X.dtype, copy=False)
        if not getattr(self, "store_precision", True):
            self.precision_ = None
            return
        inverse = precision_of(covariance) if precision is None else precision
        self.precision_ = inverse.astype(X.dtype, copy=False)

    def get_precision(self) -> Array:
        """The inverse of the covariance; the pseudo-inverse of a singular one."""
        self._require_fit()
        stored = self.__dict__.get("precision_")
        return precision_of(self.covariance_.astype(np.float64)) if stored is None else stored

    def score(self, X_test: Any, y: Any = None) -> float:
        """The mean log likelihood of rows under the normal distribution of this location and covariance."""
        X = self._read(X_test)
        _, covariance = scatter_of(X - self.location_, None, True)
        return average_log_likelihood(covariance, self.get_precision().astype(np.float64))

    def error_norm(self, comp_cov: Any, norm: str = "frobenius", scaling: bool = True, squared: bool = True) -> float:
        """The Frobenius or spectral norm of the difference from another covariance.

        It is squared unless `squared` is False; with `scaling` the square is divided by the number of columns.
        """
        self._require_fit()
        try:
            other = np.asarray(comp_cov, dtype=np.float64)
        except (TypeError, ValueError):
            other = np.empty(())
        if other.shape != self.covariance_.shape or not np.isfinite(other).all():
            raise DataError(
                f"{type(self).__name__}: comp_cov must be a matrix of finite numbers with the shape "
                f"{self.covariance_.shape}; got {comp_cov!r:.60}"
            )
        error = other - self.covariance_
        if norm == "frobenius":
            size = float((error**2).sum())
        elif norm == "spectral":
            size = float(np.linalg.norm(error, 2)) ** 2
        else:
            raise NotImplementedError(f"error_norm: norm must be 'frobenius' or 'spectral'; got {norm!r:.40}")
        size = size / len(error) if scaling else size
        return size if squared else float(np.sqrt(size))

    def mahalanobis(self, X: Any) -> Array:
        """Squared Mahalanobis distances of rows from the location."""
        return self._distances(self._read(X))

    def _distances(self, X: Matrix) -> Array:
        found = squared_distances(
            X, self.location_.astype(np.float64), self.covariance_.astype(np.float64), self.get_precision()
        )
        return found.astype(X.dtype, copy=False)


@declaring
class StoresPrecision(CovarianceEstimator):
    """One that may leave the inverse to be computed when it is needed."""

    store_precision: bool = param(True, "whether the inverse is stored")
