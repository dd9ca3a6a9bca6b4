"""Parts of a report that fail: the rest is written, a line says what is missing, and the failure is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ...core.errors import warn
from ...core.printable import printable
from . import svg

MOST_LETTERS = 300  # of a reason
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Failed:
    """What stands in the place of a drawing that failed."""

    reason: str

    @classmethod
    def of(cls, error: Exception) -> Failed:
        """The failure with its reason in one line."""
        return cls(f"{type(error).__name__}: {printable(str(error))}"[:MOST_LETTERS])


def drawn(title: str, draw: Callable[[Any], object], size: tuple[float, float] = (5.6, 3.4)) -> str | Failed:
    """What `draw` draws onto the axes of a new figure, as SVG."""
    try:
        return svg.drawn(title, draw, size)
    except Exception as error:
        return Failed.of(error)


class Failures:
    """What failed while a page was made: `found` has a sentence for each failure."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def note(self, what: str, failed: Failed) -> str:
        """Keep a failure; the sentence that stands in its place."""
        self.found.append(f"{what} could not be made: {failed.reason}")
        return self.found[-1]

    def warn(self) -> None:
        """Warn of all failures."""
        if self.found:
            warn(f"parts of the report are missing: {'; '.join(self.found)}", UserWarning)

    def attempt(self, what: str, work: Callable[[], Found], otherwise: Any) -> Found:
        """What some work finds; `otherwise` if it fails."""
        try:
            return work()
        except Exception as error:
            self.note(what, Failed.of(error))
            return cast("Found", otherwise)

    def section(self, what: str, caller: Callable[[], Any]) -> Any:
        """A part of a page, or a line that says why there is none; templates call it around the part."""
        from markupsafe import Markup

        try:
            return caller()
        except Exception as error:
            return Markup('<p class="quiet failed">{}.</p>').format(self.note(what, Failed.of(error)))
