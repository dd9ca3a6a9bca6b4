"""What a fit of several parts does with a budget: give each part its share of the time that is left."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.ambient import budget, current
from ..core.threads import KernelLimits


@contextmanager
def share_of_time(share: float) -> Iterator[None]:
    """Give the block so large a share of the time that is left; without a budget it has all it needs."""
    left = current().deadline - time.monotonic()
    if math.isinf(left):
        yield
        return
    with budget(seconds=max(left * share, 1e-9)), KernelLimits(current().deadline):
        yield
