"""Distribution and autocorrelation features of a time series."""

from __future__ import annotations

import numpy as np

from ...core import Array

Features = dict[str, float]


def standardised(x: Array) -> tuple[Array, float, float]:
    """The series with mean 0 and standard deviation 1 (all 0 if it is constant), its mean and its deviation."""
    scale = float(np.abs(x).max(initial=0.0)) or 1.0
    small = x / scale
    mean, sd = float(small.mean()), float(small.std())
    flat = sd <= 1e-14 * max(abs(mean), 1e-300)
    z = np.zeros(len(x)) if flat else (small - mean) / sd
    return z, mean * scale, 0.0 if flat else sd * scale


def distribution(z: Array, mean: float, sd: float) -> Features:
    """Location, spread and shape of the values."""
    low, middle, high = np.quantile(z, [0.25, 0.5, 0.75])
    varied = bool(z.any())
    return {
        "mean": mean,
        "sd": sd,
        "skewness": float((z**3).mean()),
        "kurtosis": float((z**4).mean() - 3) if varied else 0.0,
        "median": mean + sd * float(middle),
        "quartile_range": sd * float(high - low),
        "largest": mean + sd * float(z.max()),
        "smallest": mean + sd * float(z.min()),
    }


def correlations(z: Array, lags: int) -> Array:
    """Autocorrelation at lags 1, 2, ...; 0 where the series is too short or constant."""
    n = len(z)
    return np.array([float(z[lag:] @ z[: n - lag]) / n if lag < n else 0.0 for lag in range(1, lags + 1)])


def partial(acf: Array) -> Array:
    """Partial autocorrelations from autocorrelations, by Durbin's recursion."""
    found, weights = [], np.empty(0)
    for lag in range(len(acf)):
        spread = 1 - float(weights @ acf[:lag])
        last = (float(acf[lag]) - float(weights @ acf[:lag][::-1])) / spread if spread > 1e-12 else 0.0
        weights = np.append(weights - last * weights[::-1], last)
        found.append(last)
    return np.array(found)


def autocorrelation(z: Array, mean: float, sd: float) -> Features:
    """How much the series remembers of itself."""
    acf = correlations(z, 10)
    pacf = partial(acf[:3])
    below = np.flatnonzero(correlations(z, min(len(z) - 1, 200)) <= 0)
    return {
        "lag_1": float(acf[0]),
        "lag_2": float(acf[1]),
        "lag_3": float(acf[2]),
        "lag_10": float(acf[9]),
        "squares_to_lag_10": float((acf**2).sum()),
        "partial_2": float(pacf[1]),
        "partial_3": float(pacf[2]),
        "first_zero": float(below[0] + 1) if len(below) else float(len(z)),
    }
