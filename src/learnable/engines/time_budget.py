"""Time budgets inside a fit: a fraction of the remaining time for a step, and the whole for functions outside a fit."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.runtime.context import budget, current, give_way
from ..core.runtime.threads import KernelLimits, single_threaded_blas


@contextmanager
def fraction_of_time(fraction: float) -> Iterator[None]:
    """Limit the block to this fraction of the remaining time, if a budget is in force."""
    left = current().deadline - time.monotonic()
    if math.isinf(left):
        yield
        return
    with budget(seconds=max(left * fraction, 1e-9)), KernelLimits(current().deadline):
        yield


@contextmanager
def within_budget() -> Iterator[None]:
    """Hold the kernels that a function calls to the budget, as in a fit; raise at once if it is used up."""
    give_way()
    with single_threaded_blas(), KernelLimits(current().deadline):
        yield
