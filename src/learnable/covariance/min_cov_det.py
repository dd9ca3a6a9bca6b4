"""Minimum covariance determinant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, Data, DataError, RandomState, Trace, Traits, declaring, estimator, learned, param
from ..core.runtime.random import seed_of
from ._covariance_base import StoresPrecision
from ._minimum_determinant import minimum_determinant
from ._moments import precision_of, refuse_one_row, scatter_of, squared_distances

MAX_DECREASE = 1e-9
OUTLYING = 0.025  # probability that a normal row is not used after reweighting


class _Reweighted(NamedTuple):
    location: Array
    covariance: Array
    support: Array


@declaring
class RobustCovariance(StoresPrecision):
    """The minimum covariance determinant, corrected for consistency and reweighted."""

    support_fraction: float | None = param(
        None, "fraction of the rows that are used at first; None: (n + p + 1) / 2n", above=0, at_most=1
    )
    random_state: RandomState = param(None, "seed of the starts")
    raw_location_: Array = learned("mean of the most concentrated rows", shape="features")
    raw_covariance_: Array = learned("their covariance", shape="features features")
    raw_support_: Array = learned("which rows they are", shape="samples")
    support_: Array = learned("rows used after reweighting", shape="samples")
    dist_: Array = learned("squared distances of the training rows", shape="samples")

    traits = Traits(stochastic=True, parametric=False)

    def _fit_robust(self, data: Data, trace: Trace) -> None:
        X, weight = data.X.astype(np.float64), data.weight
        refuse_one_row(data, type(self).__name__)
        found = minimum_determinant(X, weight, self.support_fraction, seed_of(self.random_state))
        location, covariance = found.location, found.covariance
        if self.assume_centered:
            location = np.zeros(data.p)
            covariance = scatter_of(X[found.support], None if weight is None else weight[found.support], True)[1]
        self.raw_location_, self.raw_covariance_, self.raw_support_ = location, covariance, found.support
        self.support_ = found.support
        self.dist_ = squared_distances(X, location, covariance, precision_of(covariance))
        self._refuse_zero(weight)
        self._correct(weight)
        self._reweight(X, weight)
        self._cast(data.X.dtype)
        trace.record(found.log_determinant, steps=found.steps)
        trace.stopped = "converged"
        plane = "" if found.full_rank else "; the most concentrated rows lie in a plane"
        trace.certify(
            "concentration", found.fall, MAX_DECREASE,
            f"another concentration step lowers the log determinant by at most {MAX_DECREASE:.0e}; the best of "
            f"{found.starts} starts, which does not prove "
            f"that no other rows have a smaller one{plane}",
        )  # fmt: skip

    def _cast(self, dtype: Any) -> None:
        for name in ("raw_location_", "raw_covariance_", "dist_"):
            setattr(self, name, getattr(self, name).astype(dtype, copy=False))
        self._store_as(dtype)

    def _store_as(self, dtype: Any) -> None:
        for name in ("location_", "covariance_", "precision_"):
            if getattr(self, name) is not None:
                setattr(self, name, getattr(self, name).astype(dtype, copy=False))

    def _refuse_zero(self, weight: Array | None) -> None:
        used = float(self.support_.sum() if weight is None else weight[self.support_].sum())
        rows = float(len(self.support_) if weight is None else weight.sum())
        varied = self.dist_.any() or self.raw_covariance_.any()
        if used < rows and not varied:
            raise DataError(
                f"{type(self).__name__}: The covariance matrix of the support data is equal to 0, try to increase "
                "support_fraction"
            )

    def _correct(self, weight: Array | None) -> Array:
        """Divide the distances by the factor that makes the raw covariance consistent for normal rows."""
        used = self.support_.sum() if weight is None else weight[self.support_].sum()
        rows = len(self.support_) if weight is None else weight.sum()
        factor = consistency_factor(len(self.raw_covariance_), min(float(used / rows), 1.0))
        self.dist_ = self.dist_ / factor
        return np.asarray(self.raw_covariance_ * factor)

    def _reweight(self, X: Array, weight: Array | None) -> _Reweighted:
        """Estimate again from the rows whose distance is usual for normal ones."""
        usual = self.dist_ < _chi2().isf(OUTLYING, X.shape[1])
        kept = None if weight is None else weight[usual]
        location, covariance = scatter_of(X[usual], kept, self.assume_centered)
        self._store(X, location, covariance * consistency_factor(X.shape[1], 1 - OUTLYING))
        self.support_ = usual if weight is None else usual & (weight > 0)
        self.dist_ = squared_distances(X, self.location_, self.covariance_, self.get_precision())
        return _Reweighted(location, covariance, usual)

    def correct_covariance(self, data: Any) -> Array:
        """The raw covariance times the factor that makes it consistent for normal rows; `dist_` are divided by it."""
        self._read(data)
        return self._correct(None)

    def reweight_covariance(self, data: Any) -> tuple[Array, Array, Array]:
        """Location, covariance and rows used after leaving out those whose `dist_` is unusual for normal rows."""
        X = self._read(data)
        found = self._reweight(X.astype(np.float64), None)
        self._store_as(X.dtype)
        return found.location, found.covariance, found.support


def consistency_factor(columns: int, used: float) -> float:
    """The ratio of a normal covariance to that of the nearest fraction of the rows. [Croux and Haesbroeck, 1999]

    >>> round(consistency_factor(2, 0.5), 4)
    3.2589
    """
    chi2 = _chi2()
    return float(used / chi2.cdf(chi2.ppf(used, columns), columns + 2)) if used < 1 else 1.0


def _chi2() -> Any:
    from scipy.stats import chi2

    return chi2


@estimator
class MinCovDet(RobustCovariance):
    """Minimum covariance determinant (MCD): a robust location and covariance, whatever up to half of the rows are.

    minimise over subsets of h rows    det covariance of the subset

    Concentration steps from many starts; h is about half of the rows. The covariance is made consistent for normal
    rows, and estimated again from all rows at usual distances. [Rousseeuw and van Driessen, 1999]

    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.4], [90.0, 90.0]]
    >>> MinCovDet(random_state=0).fit(X).location_
    array([0.5 , 0.48])
    """

    title = "minimum covariance determinant"
    reference = "Rousseeuw and van Driessen, A fast algorithm for the minimum covariance determinant estimator, 1999"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._fit_robust(data, trace)
