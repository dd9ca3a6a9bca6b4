"""Features of many series."""

from __future__ import annotations

import numpy as np

from ...core import Data, Matrix, Trace, Transformer, estimator, param
from .features import chosen_families, time_series_features


@estimator
class TimeSeriesFeatures(Transformer):
    """Time series features: each series, a row, as a vector of named statistics.

    X[i] = features of series i: distribution, autocorrelation, stationarity, entropy, nonlinear, trend, ...

    See time_series_features for what they are. Nothing is learned from the rows; their length is kept.

    >>> series = np.random.default_rng(0).normal(size=(5, 40)).cumsum(axis=1)
    >>> features = TimeSeriesFeatures(families=["trend"]).fit(series)
    >>> features.transform(series).shape, features.get_feature_names_out().tolist()
    ((5, 4), ['trend.slope', 'trend.strength', 'trend.crossings', 'trend.rising'])
    """

    families: list[str] | tuple[str, ...] | None = param(None, "families of features; None: all")
    period: int | None = param(None, "length of the season; None: estimated", at_least=2)

    title = "time series features"
    reference = "Hyndman et al., 2015"

    def _fit(self, data: Data, trace: Trace) -> None:
        chosen_families(self.families)

    def _transform(self, X: Matrix) -> Matrix:
        rows = [list(time_series_features(row, families=self.families, period=self.period).values()) for row in X]
        return np.array(rows, dtype=X.dtype)

    def _names_out(self, names: list[str]) -> list[str]:
        return list(time_series_features(np.zeros(len(names)), families=self.families, period=self.period))
