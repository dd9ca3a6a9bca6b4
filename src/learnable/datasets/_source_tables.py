"""Tables that come with the source of the project, not with the package."""

from __future__ import annotations

from pathlib import Path


def source_table(name: str) -> Path:
    """A file of the folder tests/references: around the working directory, or around this package where it is source.

    >>> source_table("of_another_project.csv")
    Traceback (most recent call last):
    FileNotFoundError: of_another_project.csv is not in tests/references here: run this inside the project's source
    """
    for folder in (Path.cwd(), *Path.cwd().parents, *Path(__file__).resolve().parents):
        path = folder / "tests" / "references" / name
        if path.exists():
            return path
    raise FileNotFoundError(f"{name} is not in tests/references here: run this inside the project's source")
