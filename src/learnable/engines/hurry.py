"""What is done with a budget: parts of a fit have their shares of the time left, functions keep to it as fits do."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.ambient import budget, current, give_way
from ..core.threads import KernelLimits, single_threaded_blas


@contextmanager
def share_of_time(share: float) -> Iterator[None]:
    """Give the block so large a share of the time that is left; without a budget it has all it needs."""
    left = current().deadline - time.monotonic()
    if math.isinf(left):
        yield
        return
    with budget(seconds=max(left * share, 1e-9)), KernelLimits(current().deadline):
        yield


@contextmanager
def within_budget() -> Iterator[None]:
    """Hold the kernels that a function calls to the budget, as a fit holds its own; one used up ends it at once."""
    give_way()
    with single_threaded_blas(), KernelLimits(current().deadline):
        yield
