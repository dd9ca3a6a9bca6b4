"""Duality gaps: how far an objective is above what its dual proves."""

from __future__ import annotations

import numpy as np


def gap_between(objective: float, proven: float) -> float:
    """How far an objective is above what is proven, rounding apart; NaN stays NaN, which proves nothing.

    >>> gap_between(1.0, 0.75), gap_between(1.0, float("nan"))
    (0.25, nan)
    """
    return float(np.maximum(objective - proven, 0.0))


def relative_gap(gap: float, objective: float) -> float:
    """A gap as a share of the objective."""
    if not objective < np.inf:
        return np.inf
    return gap / objective if objective > 0 else (0.0 if gap == 0 else np.inf)
