"""Words for the person at the screen on standard error, results on standard output, files whole or not at all."""

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

SCHEMA = 1
"""The version of what `--json` writes; a change that breaks a reader counts it up."""

AsJson = Annotated[bool, typer.Option("--json", help="Write the result as JSON to standard output.")]


@cache
def human() -> Console:
    """Standard error: colours and moving lines only on a screen, and plain letters where NO_COLOR is set."""
    return _literal_console()(stderr=True, highlight=False, color_system=_colours())


def output() -> Console:
    """Standard output; as wide as the screen, also a dumb one, and of a readable width where nobody looks at any."""
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
            """A string on one line: what is laid out is what is printed."""
            return super().render_str(printable(text), **options)

        def render(self, renderable: Any, options: Any = None) -> Any:
            """The pieces of anything that is printed; those of texts with a style have not been strings."""
            for piece in super().render(renderable, options):
                yield piece if piece.control else Segment(printable(piece.text, keep="\n"), piece.style)

    return LiteralConsole


def _colours() -> Literal["auto"] | None:
    """None leaves out bold letters too, which rich by itself keeps where NO_COLOR is set."""
    return None if os.environ.get("NO_COLOR") else "auto"


def say(text: str) -> None:
    """A line for the person at the screen."""
    human().print(text, soft_wrap=True)


def print_line(text: str) -> None:
    """A line of the result on standard output."""
    print(printable(text))


def complain(text: str) -> None:
    """What went wrong and what to do about it."""
    human().print("error: ", style="bold red", end="")
    say(text)


def print_json(content: dict[str, Any]) -> None:
    """A result for programs on standard output, with the version of its shape first; at once, as a service goes on."""
    print(json.dumps(plain({"schema": SCHEMA, **content}), allow_nan=False), flush=True)


def print_bytes(content: str | bytes) -> None:
    """A file on standard output, byte by byte as it would be on a disk."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content.encode() if isinstance(content, str) else content)
    sys.stdout.buffer.flush()


def printable_records(handler: logging.Handler) -> None:
    """Let every record that a handler writes be printable, and no line inside a record begin like another record."""
    import logging

    before = handler.formatter or logging.Formatter()

    class Printable(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return printable(before.format(record), keep="\n").replace("\n", "\n    ")

    handler.setFormatter(Printable())


def make_folder(folder: Path, flag: str = "--out") -> None:
    """The folder for results, before the work begins rather than after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        complain(f"the folder {folder} cannot be made: {error.strerror}; name another with {flag}")
        raise typer.Exit(2) from None


def write(path: Path, content: str | bytes, advice: str = "name another folder with --out") -> None:
    """Write a file whole or not at all."""
    from ..core.files.atomic_write import place

    try:
        place(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        complain(f"{path} cannot be written: {error.strerror or error}; {advice}")
        raise typer.Exit(2) from None
