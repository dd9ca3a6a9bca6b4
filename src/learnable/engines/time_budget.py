"""Time budgets inside a fit: a share of what is left for a part of it, and the whole for functions outside a fit."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.runtime.context import budget, current, give_way
from ..core.runtime.threads import KernelLimits, single_threaded_blas


@contextmanager
def fraction_of_time(share: float) -> Iterator[None]:
    """Limit the block to this share of the time that is left; without a budget there is no limit."""
    left = current().deadline - time.monotonic()
    if math.isinf(left):
        yield
        return
    with budget(seconds=max(left * share, 1e-9)), KernelLimits(current().deadline):
        yield


@contextmanager
def within_budget() -> Iterator[None]:
    """Hold the kernels that a function calls to the budget, as in a fit; raise at once if it is used up."""
    give_way()
    with single_threaded_blas(), KernelLimits(current().deadline):
        yield
