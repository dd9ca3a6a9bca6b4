"""The memory that all requests together may hold, and its return to the operating system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from .problems import too_much_held

FREE = 65_536  # bytes of each request that are not counted, so that small requests are served whatever large ones hold


class Budget:
    """Bytes of bodies, tables and responses that are in memory at once, over all requests."""

    def __init__(self, most: int, emptied: Callable[[], None] = lambda: None) -> None:
        self.most, self.used, self.lock, self.emptied = most, 0, Lock(), emptied

    def resize(self, before: int, after: int) -> None:
        """Change the number of bytes that a request holds.

        A single request may exceed the budget, because --max-bytes bounds it: it would otherwise never be accepted.
        """
        with self.lock:
            if after > before and self.used > before and self.used - before + after > self.most:
                raise too_much_held(self.most)
            self.used += after - before


class Reservation:
    """What one request holds of a budget, until it has ended and no thread works for it any more.

    >>> budget = Budget(100_000)
    >>> one = Reservation(budget)
    >>> one.resize(165_536)
    >>> budget.used
    100000
    >>> one.unpin()
    >>> budget.used
    0
    """

    def __init__(self, budget: Budget) -> None:
        self.budget, self.counted, self.pins = budget, 0, 1

    def resize(self, size: int) -> None:
        """Hold `size` bytes from now on; a problem is raised if other requests hold too many."""
        counted = max(0, size - FREE)
        if counted != self.counted and self.pins:
            self.budget.resize(self.counted, counted)
            self.counted = counted

    def pin(self) -> None:
        """Keep the reservation until one more `unpin`."""
        self.pins += 1

    def unpin(self) -> None:
        """Release the reservation when this was the last pin."""
        self.pins -= 1
        if not self.pins and self.counted:
            self.budget.resize(self.counted, 0)
            self.counted = 0
            if not self.budget.used:
                self.budget.emptied()


def return_memory() -> None:
    """Give memory that the allocators of this process hold free back to the operating system, where possible."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError):  # of the C library of GNU
        ctypes.CDLL(None).malloc_trim(0)
