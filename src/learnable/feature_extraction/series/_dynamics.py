"""Features of how a series goes: stationarity, trend, periodicity, seasonality."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ._distribution_and_autocorrelation import Features


def stationarity(z: Array, mean: float, sd: float) -> Features:
    """Whether level and spread stay: KPSS and Dickey-Fuller statistics, spread of the halves."""
    first, second = z[: len(z) // 2], z[len(z) // 2 :]
    both = float(first.var() + second.var()) if len(first) else 0.0
    return {
        "kpss": kpss(z),
        "dickey_fuller": dickey_fuller(z),
        "spread_shift": float(second.var() - first.var()) / both if both > 0 else 0.0,
        "level_shift": float(second.mean() - first.mean()) if len(first) else 0.0,
    }


def kpss(z: Array) -> float:
    """sum of squared partial sums / (n^2 long-run variance): large where the level wanders.

    The variance is Bartlett's with 4 (n / 100)^(1/4) lags. [Kwiatkowski et al., 1992]
    """
    n = len(z)
    lags = min(int(4 * (n / 100) ** 0.25), n - 1)
    weights = 1 - np.arange(1, lags + 1) / (lags + 1)
    products = np.array([float(z[lag:] @ z[: n - lag]) for lag in range(1, lags + 1)])
    variance = (float(z @ z) + 2 * float(weights @ products)) / n
    return float((np.cumsum(z) ** 2).sum() / n**2 / variance) if variance > 1e-12 else 0.0


def dickey_fuller(z: Array) -> float:
    """t of rho in   difference = constant + rho level before + noise: far below 0 where the series comes back.

    [Dickey and Fuller, 1979]
    """
    if len(z) < 4:
        return 0.0
    level, change = z[:-1] - z[:-1].mean(), np.diff(z) - np.diff(z).mean()
    spread = float(level @ level)
    if spread <= 1e-12:
        return 0.0
    rho = float(level @ change) / spread
    residual = change - rho * level
    error = float(residual @ residual) / (len(level) - 2) / spread
    return float(np.clip(rho / np.sqrt(error), -1e6, 1e6)) if error > 1e-24 else 0.0


def trend(z: Array, mean: float, sd: float) -> Features:
    """The straight line through the series, and how much of it that explains."""
    gradient, share = _line(z)
    return {
        "slope": sd * gradient,
        "strength": share,
        "crossings": float((np.diff(np.signbit(z)) != 0).mean()) if len(z) > 1 else 0.0,
        "rising": float((np.diff(z) > 0).mean()) if len(z) > 1 else 0.0,
    }


def _line(z: Array) -> tuple[float, float]:
    """Slope of the regression line per step, and its R^2."""
    if len(z) < 2:
        return 0.0, 0.0
    t = np.arange(len(z)) - (len(z) - 1) / 2
    gradient = float(t @ z / (t @ t))
    total = float(z @ z)
    return gradient, gradient**2 * float(t @ t) / total if total > 0 else 0.0


def spectrum(z: Array) -> Array:
    """Power at each frequency above 0, the line taken out, as shares that sum to 1 (or all 0)."""
    if len(z) < 4:
        return np.zeros(1)
    straight = z - _line(z)[0] * (np.arange(len(z)) - (len(z) - 1) / 2)
    power = np.abs(np.fft.rfft(straight))[1:] ** 2
    total = power.sum()
    return power / total if total > 1e-12 * len(z) ** 2 else np.zeros(len(power))


def dominant_period(z: Array) -> float:
    """The period with the most power; 0 if there is none."""
    power = spectrum(z)
    return len(z) / (int(power.argmax()) + 1) if power.any() else 0.0


def periodicity(z: Array, mean: float, sd: float) -> Features:
    """The strongest wave: its period and its share of the power."""
    power = spectrum(z)
    return {
        "period": dominant_period(z),
        "share": float(power.max()),
        "share_of_three": float(np.sort(power)[-3:].sum()),
    }


def seasonality(z: Array, mean: float, sd: float, period: int | None = None) -> Features:
    """A pattern that repeats: how much of what the trend leaves it explains.

    strength = 1 - var(remainder) / var(season + remainder),   season = mean of each place in the period
    """
    length = period or round(dominant_period(z))
    if length < 2 or len(z) <= 2 * length:
        return {"period": float(length), "strength": 0.0, "peak": 0.0}
    window = np.ones(length) if length % 2 else np.concatenate([[0.5], np.ones(length - 1), [0.5]])
    whole = len(window) // 2
    detrended = z[whole : len(z) - whole] - np.convolve(z, window / length, "valid")
    place = np.arange(whole, len(z) - whole) % length
    season = np.bincount(place, detrended) / np.bincount(place)
    remainder, total = detrended - season[place], float(detrended.var())
    strength = max(0.0, 1 - float(remainder.var()) / total) if total > 1e-12 else 0.0
    return {"period": float(length), "strength": strength, "peak": float(season.argmax())}
