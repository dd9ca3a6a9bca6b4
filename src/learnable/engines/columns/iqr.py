"""Limits of outliers by the interquartile range or by standard deviations."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...core.validate.features import Array
from .column_statistics import ColumnStatistics
from .quantiles import column_quantiles

Rule = Literal["z-score", "iqr", "mad"]
THRESHOLDS: dict[str, float] = {"z-score": 3.0, "iqr": 1.5, "mad": 3.5}
NORMAL_MAD = 0.6744897501960817  # the median distance from the centre of a standard normal variable


def ordinary_range(X: Array, weight: Array | None, rule: Rule, threshold: float | None) -> tuple[Array, Array]:
    """The least and the largest ordinary value of each column; everything is ordinary in a column without entries.

    z-score: mean -+ t sd;  iqr: q25 - t (q75 - q25) and q75 + t (q75 - q25);  mad: median -+ t (median distance from
    it) / 0.6745, which for normal columns is t standard deviations.

    >>> low, high = ordinary_range(np.array([[1.0], [2.0], [3.0], [4.0]]), None, "iqr", None)
    >>> low, high
    (array([-0.5]), array([5.5]))
    """
    wide = THRESHOLDS[rule] if threshold is None else threshold
    if rule == "z-score":
        summary = ColumnStatistics.of(X, weight)
        sd = np.sqrt(summary.spread / np.maximum(summary.weight, 1e-300))
        low, high = summary.mean - wide * sd, summary.mean + wide * sd
    elif rule == "iqr":
        first, third = column_quantiles(X, np.array([0.25, 0.75]), weight).astype(np.float64)
        low, high = first - wide * (third - first), third + wide * (third - first)
    else:
        middle = column_quantiles(X, np.array([0.5]), weight)[0].astype(np.float64)
        distance = column_quantiles(np.abs(X - middle), np.array([0.5]), weight)[0] / NORMAL_MAD
        low, high = middle - wide * distance, middle + wide * distance
    missing = np.isnan(low)
    return np.where(missing, -np.inf, low), np.where(missing, np.inf, high)
