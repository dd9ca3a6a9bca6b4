"""Parts of a study that can be left out when time is up or somebody interrupts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from ...core import BudgetError, DataError, ambient

Early = Literal["", "budget", "interrupt"]
Found = TypeVar("Found")


class Patience:
    """Does one part after the other, until time is up or somebody interrupts; `early` says which."""

    def __init__(self) -> None:
        self.early: Early = ""

    def __call__(self, work: Callable[[], Found], otherwise: Found) -> Found:
        """What a part found; `otherwise` if there was no time for all of it, or if it cannot be had."""
        if self.early:
            return otherwise
        try:
            ambient.give_way()
            found = work()
            ambient.give_way()  # what time cut short is not what it says
        except BudgetError:
            self.early = "budget"
        except KeyboardInterrupt:
            self.early = "interrupt"
        except (DataError, ArithmeticError, ValueError):
            pass
        else:
            return found
        return otherwise
