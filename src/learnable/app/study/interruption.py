"""What happens to the stages of a study when the budget ends or the user interrupts: some are skipped, others hurry."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Literal, TypeVar

from ...core import BudgetError, DataError
from ...core.runtime import context
from .time_left import Clock

AFTER_INTERRUPT = 2.0  # seconds for each stage that is required although the study was interrupted
Early = Literal["", "budget", "interrupt"]
Found = TypeVar("Found")


class StageRunner:
    """Runs the stages of a study; `clock` is the time that the present stage may take, `early` what ended the study."""

    def __init__(self, clock: Clock, early: Early = "") -> None:
        self.clock, self.early, self.interrupted = clock, early, early == "interrupt"

    def end_early(self, early: Early) -> None:
        """Record that a stage ended early; the first reason is the one that is reported."""
        self.early = self.early or early
        self.interrupted = self.interrupted or early == "interrupt"

    def run_or_skip(self, stage: Callable[[], Found], otherwise: Callable[[], Found]) -> Found:
        """The result of a stage that the study can do without after an interrupt."""
        try:
            return stage()
        except KeyboardInterrupt:
            self.early, self.interrupted = "interrupt", True
            return otherwise()

    def run_or_degrade(self, stage: Callable[[], Found], reserve: Callable[[], float] | None = None) -> Found:
        """The result of a required stage: after an interrupt it runs again within `AFTER_INTERRUPT` seconds.

        Its fits leave `reserve()` seconds of the clock to later stages. A second interrupt ends the study.
        """
        if not self.interrupted:
            try:
                return self._run(stage, reserve)
            except KeyboardInterrupt:
                self.early, self.interrupted = "interrupt", True
        self.clock = Clock(AFTER_INTERRUPT)
        return self._run(stage, reserve)

    def _run(self, stage: Callable[[], Found], reserve: Callable[[], float] | None) -> Found:
        with nullcontext() if reserve is None else self.clock.keeping(reserve()):
            return stage()


class PartRunner:
    """Runs the parts of a stage until the budget ends or the user interrupts; `early` says which."""

    def __init__(self, early: Early = "") -> None:
        self.early: Early = early

    def __call__(self, work: Callable[[], Found], otherwise: Found) -> Found:
        """The result of a part; `otherwise` if there was no time to complete it, or if it cannot be computed."""
        if self.early:
            return otherwise
        try:
            context.give_way()
            found = work()
            context.give_way()  # a result that the budget cut short is not used
        except BudgetError:
            self.early = "budget"
        except KeyboardInterrupt:
            self.early = "interrupt"
        except (DataError, ArithmeticError, ValueError):
            pass
        else:
            return found
        return otherwise
