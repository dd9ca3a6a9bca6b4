"""Progress bars of running fits, on standard error."""

from __future__ import annotations

import math
import sys
import time
from contextlib import ExitStack
from numbers import Integral
from typing import Any, Self

from .context import Event

KEPT = 10  # lines of fits that are over


class Bar:
    """A watcher that draws: rich's progress bar on a terminal that has rich, plain lines elsewhere.

    A fit inside another has a line below it while it runs; the lines of the last few outermost fits stay.
    """

    def __init__(self, every: float) -> None:
        self.every = every
        self._last: dict[str, float] = {}
        self._stack = ExitStack()
        self._rich: Any = None
        self._running: list[tuple[Any, Any]] = []  # fits and their lines; several threads may add theirs
        self._over: list[Any] = []

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            try:
                from rich.console import Console
                from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
            except ImportError:
                return self
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[state]}"),
                TimeElapsedColumn(),
            )
            self._rich = self._stack.enter_context(Progress(*columns, console=Console(stderr=True)))
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def started(self, estimator: Any) -> None:
        """Open a line for a fit."""
        name, limit = type(estimator).__name__, getattr(estimator, "max_iter", None)
        known = isinstance(limit, Integral) and int(limit) > 0
        if self._rich is not None:
            self._running.append((estimator, self._rich.add_task(name, total=limit if known else None, state="")))

    def moved(self, event: Event) -> bool:
        """Move the line on, at most once per `every` seconds; steps of no fit in particular have none."""
        state = f"iteration {event.iteration}, objective {event.objective:.6g}"
        if self._rich is not None:
            for _, line in self._lines(event.estimator):
                self._rich.update(line, completed=event.iteration, state=state)
        elif event.estimator is not None:
            name, now = type(event.estimator).__name__, time.monotonic()
            if now - self._last.get(name, -math.inf) >= self.every:
                self._last[name] = now
                print(f"{name}: {state}, {event.seconds:.1f} s", file=sys.stderr)
        return False

    def ended(self, estimator: Any) -> None:
        """Close the line."""
        for fit in self._lines(estimator):
            self._running.remove(fit)
            self._rich.update(fit[1], total=1, completed=1)
            inside = bool(self._running)
            self._over += [] if inside else [fit[1]]
            gone = [fit[1]] if inside else self._over[:-KEPT]
            self._over = self._over[-KEPT:]
            for line in gone:
                self._rich.remove_task(line)

    def _lines(self, estimator: Any) -> list[tuple[Any, Any]]:
        """The fit of this estimator that began last, if one runs, with its line."""
        return [fit for fit in self._running if fit[0] is estimator][-1:]
