"""Named features of one series, by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked
from ...core.errors import DataError, ParameterError
from ._complexity import entropy, nonlinear
from ._distribution_and_autocorrelation import Features, autocorrelation, distribution, standardised
from ._dynamics import periodicity, seasonality, stationarity, trend

FAMILIES: dict[str, Callable[..., Features]] = {
    "distribution": distribution,
    "autocorrelation": autocorrelation,
    "stationarity": stationarity,
    "entropy": entropy,
    "nonlinear": nonlinear,
    "trend": trend,
    "periodicity": periodicity,
    "seasonality": seasonality,
}


@checked()
def time_series_features(
    series: Rows, *, families: Sequence[str] | None = None, period: int | None = None
) -> dict[str, float]:
    """Time series features of one series, under names such as "trend.slope".

    Families: distribution (mean, sd, skewness ...), autocorrelation, stationarity (KPSS, Dickey-Fuller ...), entropy
    (permutation, sample, spectral), nonlinear, trend, periodicity and seasonality. All but location, spread and slope
    are those of   z = (x - mean) / sd.   period is that of the season; without one it is the strongest in the spectrum.
    What is undefined for a short or constant series is 0.

    >>> wave = np.sin(2 * np.pi * np.arange(120) / 12)
    >>> found = time_series_features(wave, families=["periodicity", "seasonality"])
    >>> found["periodicity.period"], round(found["seasonality.strength"], 3)
    (12.0, 1.0)
    """
    x = np.asarray(series, dtype=np.float64)
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all():
        raise DataError(
            f"time_series_features: a series of finite numbers is needed; got shape {x.shape}. "
            "Fill or drop missing values first"
        )
    return _features(x, chosen_families(families), period)


def chosen_families(families: Sequence[str] | None) -> list[str]:
    """The families requested, checked; all if None."""
    if families is None:
        return list(FAMILIES)
    unknown = [name for name in families if name not in FAMILIES]
    if unknown:
        raise ParameterError(f"unknown family {unknown[0]!r} of features; the families are {', '.join(FAMILIES)}")
    return list(families)


def _features(x: Array, families: list[str], period: int | None) -> dict[str, float]:
    z, mean, sd = standardised(x)
    found: dict[str, float] = {}
    for family in families:
        extra = {"period": period} if family == "seasonality" else {}
        found |= {f"{family}.{name}": value for name, value in FAMILIES[family](z, mean, sd, **extra).items()}
    return found
