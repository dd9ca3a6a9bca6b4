"""How long a study may still take."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

from ...core.runtime import context

LOOKING = 0.3  # share of the time for a look through the table
SHORTEST = 1e-6  # seconds: a budget of none is no budget


class Clock:
    """So many seconds from a moment on, the present one if none is given; without a number, for ever."""

    def __init__(self, seconds: float | None = None, began: float | None = None) -> None:
        self.began = time.monotonic() if began is None else began
        self.seconds = float("inf") if seconds is None else seconds

    @property
    def limited(self) -> bool:
        """Whether there is an end."""
        return self.seconds < float("inf")

    @property
    def left(self) -> float:
        """Seconds until the end, below 0 after it."""
        return self.began + self.seconds - time.monotonic()

    def keeping(self, seconds: float) -> Any:
        """The fits of the block may go on until so many seconds before the end."""
        return context.budget(seconds=max(self.left - seconds, SHORTEST)) if self.limited else nullcontext()

    def giving(self, share: float, at_least: float = 0.0) -> Any:
        """The work of the block may take this share of the time that is left, or so many seconds if they are more."""
        left = self.left
        return self.keeping(left - max(share * left, at_least)) if self.limited else nullcontext()
