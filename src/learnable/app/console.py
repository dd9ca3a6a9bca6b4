"""Messages on standard error, results on standard output, atomic file writes."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..core.printable import printable
from .to_json import plain

if TYPE_CHECKING:
    import logging

    from rich.console import Console

SCHEMA = 2  # version of what --json prints
"""The version of the output of `--json`; incremented by incompatible changes."""

AsJson = Annotated[bool, typer.Option("--json", help="Write the result as JSON to standard output.")]


@cache
def human() -> Console:
    """Standard error: colours and progress only on a terminal, plain text if NO_COLOR is set."""
    return _literal_console()(stderr=True, highlight=False, color_system=_colours())


def output() -> Console:
    """Standard output; as wide as the terminal, 120 characters without one."""
    wide, high = get_terminal_size() if sys.stdout.isatty() else (120, 25)
    return _literal_console()(width=wide, height=high, highlight=False, color_system=_colours())


@cache
def _literal_console() -> type[Console]:
    from rich.console import Console
    from rich.segment import Segment

    class LiteralConsole(Console):
        """A console that prints text from data literally: no markup, no emoji codes, no escape sequences."""

        def __init__(self, **options: Any) -> None:
            super().__init__(markup=False, emoji=False, **options)

        def render_str(self, text: str, **options: Any) -> Any:
            """A string on one line, with the characters that are printed."""
            return super().render_str(printable(text), **options)

        def render(self, renderable: Any, options: Any = None) -> Any:
            """The segments of a renderable, styled text included."""
            for piece in super().render(renderable, options):
                yield piece if piece.control else Segment(printable(piece.text, keep="\n"), piece.style)

    return LiteralConsole


def _colours() -> Literal["auto"] | None:
    """None disables bold text too, which rich by itself keeps if NO_COLOR is set."""
    return None if os.environ.get("NO_COLOR") else "auto"


def say(text: str) -> None:
    """Print a message on standard error."""
    human().print(text, soft_wrap=True)


def print_line(text: str) -> None:
    """Print a line of the result on standard output."""
    print(printable(text))


def complain(text: str) -> None:
    """Print an error message."""
    human().print("error: ", style="bold red", end="")
    say(text)


def print_json(content: dict[str, Any]) -> None:
    """Print a result as JSON with the version of its layout first; flushed, as a service continues."""
    print(json.dumps(plain({"schema": SCHEMA, **content}), allow_nan=False), flush=True)


def print_bytes(content: str | bytes) -> None:
    """Write the bytes of a file to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content.encode() if isinstance(content, str) else content)
    sys.stdout.buffer.flush()


def printable_records(handler: logging.Handler) -> None:
    """Escape the records of a handler, and indent their further lines so that none looks like a record."""
    import logging

    before = handler.formatter or logging.Formatter()

    class Printable(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return printable(before.format(record), keep="\n").replace("\n", "\n    ")

    handler.setFormatter(Printable())


def make_folder(folder: Path, flag: str = "--out") -> None:
    """Create the output folder, before the work rather than after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        complain(f"the folder {folder} cannot be created: {error.strerror}; choose another with {flag}")
        raise typer.Exit(2) from None


def write(path: Path, content: str | bytes, advice: str = "choose another folder with --out") -> None:
    """Write a file atomically."""
    from ..core.files.atomic_write import place

    try:
        place(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        complain(f"{path} cannot be written: {error.strerror or error}; {advice}")
        raise typer.Exit(2) from None
