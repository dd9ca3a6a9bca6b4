"""Line search along a descent direction, by the weak Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from ...core.numeric import EPSILON

MAX_GROWTH = 10.0
MAX_TRIALS = 100
Point = TypeVar("Point")


class LineValue(NamedTuple):
    """Value and derivative of a function on a line."""

    value: float
    derivative: float


def line_search(
    line: Callable[[float], tuple[LineValue, Point]], start: LineValue, noise: float, steepest: float = 0.9
) -> tuple[float, Point] | None:
    """A step with sufficient decrease and at most `steepest` of the initial derivative (the weak Wolfe conditions).

    `line(step)` gives value and derivative at a step, and a point that is returned with the step. Values that differ by
    less than `noise` count as equal, so that the derivative decides where rounding hides the descent; and where the
    derivative predicts a decrease of at most `noise`, any step without increase is accepted. The first trial step is
    one; None if no step is found.
    [Hager and Zhang, 2005]

    >>> step, _ = line_search(lambda t: (LineValue((t - 3) ** 2, 2 * (t - 3)), None), LineValue(9.0, -6.0), 0.0, 0.1)
    >>> round(step, 12)
    3.0
    """
    low, below, high, above = 0.0, start, np.inf, start
    step = 1.0
    for _ in range(MAX_TRIALS):
        here, point = line(step)
        allowed = start.value + 1e-4 * step * start.derivative + noise
        if not (here.value <= allowed and np.isfinite(here.derivative)):
            high, above = step, here
        elif here.derivative < steepest * start.derivative and start.derivative < -noise:
            low, below = step, here
        else:
            return step, point
        guess = _next(low, below, high, above)
        if guess in (low, high, step):
            break
        step = guess
    return None


def objective_rounding(value: float) -> float:
    """Differences of an objective of this value that rounding can make."""
    return 16 * EPSILON * abs(value)


def _next(low: float, below: LineValue, high: float, above: LineValue) -> float:
    """The root of the linearly interpolated derivative, kept well inside the bracket."""
    if high == np.inf:
        return low * MAX_GROWTH
    width = high - low
    middle = low + width / 2
    if not np.isfinite(above.derivative) or not above.derivative > below.derivative:
        return middle
    root = low - below.derivative * width / (above.derivative - below.derivative)
    return float(np.clip(root, low + 0.1 * width, high - 0.1 * width)) if np.isfinite(root) else middle
