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

from .to_json import plain

if TYPE_CHECKING:
    from rich.console import Console

SCHEMA = 1
"""The version of what `--json` writes; a change that breaks a reader counts it up."""

AsJson = Annotated[bool, typer.Option("--json", help="Write the result as JSON to standard output.")]


@cache
def human() -> Console:
    """Standard error: colours and moving lines only on a screen, and plain letters where NO_COLOR is set."""
    from rich.console import Console

    return Console(stderr=True, color_system=_colours())


def output() -> Console:
    """Standard output; as wide as the screen, also a dumb one, and of a readable width where nobody looks at any."""
    from rich.console import Console

    wide, high = get_terminal_size() if sys.stdout.isatty() else (120, 25)
    return Console(width=wide, height=high, highlight=False, markup=False, color_system=_colours())


def _colours() -> Literal["auto"] | None:
    """None leaves out bold letters too, which rich by itself keeps where NO_COLOR is set."""
    return None if os.environ.get("NO_COLOR") else "auto"


def say(text: str) -> None:
    """A line for the person at the screen; what looks like markup in a name is no markup."""
    human().print(text, highlight=False, markup=False, soft_wrap=True)


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
