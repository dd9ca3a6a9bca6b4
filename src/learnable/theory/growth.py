"""How the time of an algorithm grows with the size of its input."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Column, checked, limits, numbers


@dataclass(frozen=True)
class GrowthOrder:
    """The exponent of time ~ size^exponent, with its confidence interval."""

    exponent: float
    interval: tuple[float, float]
    sizes: Array
    costs: Array
    confidence: float = 0.95

    def __str__(self) -> str:
        low, high = self.interval
        return f"size^{self.exponent:.2f} ({100 * self.confidence:g} % interval {low:.2f} to {high:.2f})"


@checked(confidence=limits(above=0, below=1))
def growth_order(sizes: Column, costs: Column, *, confidence: float = 0.95) -> GrowthOrder:
    """Growth order: the exponent that fits costs (seconds or steps) at several sizes, by least squares of logarithms.

    log cost = a + exponent log size + error

    The interval is that of the slope by Student's t. Small sizes, where fixed costs count, should be left out.

    >>> print(growth_order([10, 20, 40, 80], [100, 800, 6400, 51200]))
    size^3.00 (95 % interval 3.00 to 3.00)
    """
    from scipy.special import stdtrit

    x, t = numbers("growth_order", "sizes", sizes, None), numbers("growth_order", "costs", costs, None)
    if len(x) != len(t) or len(x) < 3 or x.min() <= 0 or t.min() <= 0 or np.ptp(x) == 0:
        raise DataError(
            f"growth_order: sizes and costs must be at least three positive numbers each, with different sizes; got "
            f"{len(x)} and {len(t)}"
        )
    u, v = np.log(x) - np.log(x).mean(), np.log(t)
    exponent = float(u @ v / (u @ u))
    rest = v - v.mean() - exponent * u
    half = float(stdtrit(len(x) - 2, 0.5 + confidence / 2) * np.sqrt(rest @ rest / (len(x) - 2) / (u @ u)))
    return GrowthOrder(exponent, (exponent - half, exponent + half), x, t, confidence)


@checked(repeats=limits(at_least=1))
def measure_growth(task: Callable[[Any], Callable[[], Any]], sizes: Sequence[int], *, repeats: int = 3) -> GrowthOrder:
    """Measure the growth order of a task: the least processor time of several runs at each size.

    `task(size)` prepares the input, untimed, and returns the call that is timed.

    >>> order = measure_growth(lambda n: lambda: sum(range(n)), [100_000, 200_000, 400_000])
    >>> order.sizes.tolist(), len(order.costs)
    ([100000.0, 200000.0, 400000.0], 3)
    """
    if not callable(task):
        raise DataError(f"measure_growth: task must be a function of a size; got {task!r:.60}")
    costs = []
    for size in sizes:
        call, found = task(size), []
        if not callable(call):
            raise DataError(f"measure_growth: task must return a function, which is timed; got {call!r:.60}")
        for _ in range(repeats):
            begun = time.process_time()
            call()
            found.append(max(time.process_time() - begun, 1e-9))
        costs.append(min(found))
    return growth_order(list(sizes), costs)
