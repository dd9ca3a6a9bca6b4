"""The time that a study may still take."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

from ...core.runtime import context

AUDIT_FRACTION = 0.3  # of the time left, for the audit
SHORTEST = 1e-6  # seconds: a budget of 0 would mean no budget


class Clock:
    """A time limit in seconds from a moment on, the present one by default; without a number, no limit."""

    def __init__(self, seconds: float | None = None, began: float | None = None) -> None:
        self.began = time.monotonic() if began is None else began
        self.seconds = float("inf") if seconds is None else seconds

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.seconds < float("inf")

    @property
    def left(self) -> float:
        """Seconds until the limit, negative after it."""
        return self.began + self.seconds - time.monotonic()

    def keeping(self, seconds: float) -> Any:
        """The fits of the block must end this many seconds before the limit."""
        return context.budget(seconds=max(self.left - seconds, SHORTEST)) if self.limited else nullcontext()

    def giving(self, fraction: float, at_least: float = 0.0) -> Any:
        """The fits of the block may take this fraction of the time left, or `at_least` seconds if that is more."""
        left = self.left
        return self.keeping(left - max(fraction * left, at_least)) if self.limited else nullcontext()
