"""The time that a study may still take."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

from ...core.runtime import context

ONE_MINUTE = 90.0  # seconds from which on minutes are shown
AUDIT_FRACTION = 0.3  # of the time left, for the audit
MIN_SECONDS = 1e-6  # seconds: a budget of 0 would mean no budget


class RemainingWork:
    """The evaluations that are left of each candidate, and an estimate of the time that they take.

    A candidate that was not evaluated yet is assumed to take as long as the others on average.

    >>> progress = RemainingWork({"ridge": 2, "forest": 2})
    >>> progress.finish("ridge", 30.0)
    >>> progress.estimate
    '; about 2 min left'
    """

    def __init__(self, left: dict[str, int] | None = None) -> None:
        self.left, self.seconds = dict(left or {}), dict[str, list[float]]()

    def finish(self, name: str, seconds: float) -> None:
        """Record an evaluation."""
        self.left[name] = self.left.get(name, 1) - 1
        self.seconds.setdefault(name, []).append(seconds)

    def leave_out(self, name: str) -> None:
        """Expect no further evaluation of a candidate."""
        self.left[name] = 0

    @property
    def estimate(self) -> str:
        """The time left in words; empty before the first evaluation."""
        if not self.seconds:
            return ""
        means = {name: sum(took) / len(took) for name, took in self.seconds.items()}
        average = sum(means.values()) / len(means)
        left = sum(count * means.get(name, average) for name, count in self.left.items())
        return f"; about {left / 60:.0f} min left" if left >= ONE_MINUTE else f"; about {left:.0f} s left"


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
        return context.budget(seconds=max(self.left - seconds, MIN_SECONDS)) if self.limited else nullcontext()

    def giving(self, fraction: float, at_least: float = 0.0) -> Any:
        """The fits of the block may take this fraction of the time left, or `at_least` seconds if that is more."""
        left = self.left
        return self.keeping(left - max(fraction * left, at_least)) if self.limited else nullcontext()
