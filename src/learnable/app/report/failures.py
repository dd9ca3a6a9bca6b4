"""Failures in parts of a report: the rest is written, and each failure is reported on the page and as a warning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ...core.errors import warn
from ...core.printable import printable
from . import svg

MAX_LETTERS = 300  # of a reason
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Failed:
    """The placeholder of a figure that failed."""

    reason: str

    @classmethod
    def of(cls, error: Exception) -> Failed:
        """The failure with its reason in one line."""
        return cls(f"{type(error).__name__}: {printable(str(error))}"[:MAX_LETTERS])


def drawn(title: str, draw: Callable[[Any], object], size: tuple[float, float] = (5.6, 3.4)) -> str | Failed:
    """The figure that `draw` makes on new axes, as SVG."""
    try:
        return svg.drawn(title, draw, size)
    except Exception as error:
        return Failed.of(error)


class Failures:
    """The failures of a page: `found` has a sentence for each."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def note(self, what: str, failed: Failed) -> str:
        """Record a failure and return its sentence for the page."""
        self.found.append(f"{what} could not be made: {failed.reason}")
        return self.found[-1]

    def warn(self) -> None:
        """Warn of all failures."""
        if self.found:
            warn(f"parts of the report are missing: {'; '.join(self.found)}", UserWarning)

    def attempt(self, what: str, work: Callable[[], Found], otherwise: Any) -> Found:
        """The result of `work`; `otherwise` if it fails."""
        try:
            return work()
        except Exception as error:
            self.note(what, Failed.of(error))
            return cast("Found", otherwise)

    def section(self, what: str, caller: Callable[[], Any]) -> Any:
        """A section of a page, or a line with the reason of its failure; templates call it around the section."""
        from markupsafe import Markup

        try:
            return caller()
        except Exception as error:
            return Markup('<p class="quiet failed">{}.</p>').format(self.note(what, Failed.of(error)))
