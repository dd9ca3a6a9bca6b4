"""What becomes of the parts of a study when time is up or somebody interrupts: some are left out, some hurry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from ...core import BudgetError, DataError
from ...core.runtime import context
from .time_left import Clock

IMPATIENT = 2.0  # seconds for each part that is to be done although somebody has interrupted
Early = Literal["", "budget", "interrupt"]
Found = TypeVar("Found")


def insisted(work: Callable[[Clock, Early], Found], clock: Clock, early: Early = "") -> Found:
    """What must be found, `early` being what ended the parts before it: after an interrupt it begins again and hurries.

    A second interrupt ends it.
    """
    if early != "interrupt":
        try:
            return work(clock, early)
        except KeyboardInterrupt:
            pass
    return work(Clock(IMPATIENT), "interrupt")


class Patience:
    """Does one part after the other, until time is up or somebody interrupts; `early` says which."""

    def __init__(self, early: Early = "") -> None:
        self.early: Early = early

    def __call__(self, work: Callable[[], Found], otherwise: Found) -> Found:
        """What a part found; `otherwise` if there was no time for all of it, or if it cannot be had."""
        if self.early:
            return otherwise
        try:
            context.give_way()
            found = work()
            context.give_way()  # what time cut short is not what it says
        except BudgetError:
            self.early = "budget"
        except KeyboardInterrupt:
            self.early = "interrupt"
        except (DataError, ArithmeticError, ValueError):
            pass
        else:
            return found
        return otherwise
