"""A live line for every running fit, on standard error."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import Any, Self

from .ambient import Event


class Bar:
    """A watcher that draws: rich's progress bar on a terminal that has rich, plain lines elsewhere."""

    def __init__(self, every: float) -> None:
        self.every = every
        self._last = 0.0
        self._stack = ExitStack()
        self._rich: Any = None
        self._tasks: list[Any] = []

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
        if self._rich is not None:
            self._tasks.append(self._rich.add_task(name, total=limit, state=""))

    def moved(self, event: Event) -> bool:
        """Move the line on, at most once per `every` seconds."""
        state = f"iteration {event.iteration}, objective {event.objective:.6g}"
        if self._rich is not None:
            self._rich.update(self._tasks[-1], completed=event.iteration, state=state)
        elif time.monotonic() - self._last >= self.every:
            self._last = time.monotonic()
            print(f"{type(event.estimator).__name__}: {state}, {event.seconds:.1f} s", file=sys.stderr)
        return False

    def ended(self, estimator: Any) -> None:
        """Close the line."""
        if self._rich is not None:
            task = self._tasks.pop()
            self._rich.update(task, total=1, completed=1)
