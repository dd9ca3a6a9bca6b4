"""The course map: topic -> names to call -> tests. `python -m tests.syllabus` prints what is missing.

`syllabus.toml` has a table per topic, under its id:

    [LIN-08]
    topic = "Ridge regression in closed form"
    names = ["linear_model.Ridge"]                                   # below `learnable`, each used by a test
    tests = ["tests/linear_model/test_ridge.py::test_closed_form"]   # files and functions of this repository
    example = "docs/..."                                             # optional, a page that shows it

`errata.toml` has a table per formula or number that the course has wrong: the right `form`, and the `tests` that prove
it.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Topic:
    """One row of the course."""

    id: str
    topic: str
    names: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    example: str = ""

    def problems(self) -> list[str]:
        """What is missing from this topic, as messages."""
        found = [f"{self.id}: no public name is listed"] if not self.names else []
        found += [f"{self.id}: no test is listed"] if not self.tests else []
        found += [f"{self.id}: learnable.{name} does not import" for name in self.names if not imports(name)]
        found += [f"{self.id}: {test} does not exist" for test in self.tests if not exists(test)]
        used = set().union(*(reached(test) for test in self.tests if exists(test)))
        found += [f"{self.id}: no test uses {name}" for name in self.names if name.split(".")[-1] not in used]
        found += (
            [f"{self.id}: {self.example} does not exist"] if self.example and not (ROOT / self.example).exists() else []
        )
        return found


@cache
def table() -> dict[str, object]:
    """The file as a dictionary."""
    return tomllib.loads((Path(__file__).parent / "syllabus.toml").read_text(encoding="utf-8"))


@cache
def errata() -> dict[str, dict[str, Any]]:
    """The right form of each formula that the course has wrong, and its tests, by id."""
    return tomllib.loads((Path(__file__).parent / "errata.toml").read_text(encoding="utf-8"))


def unproven() -> list[str]:
    """What is missing among the errata: those without a table, a form, or tests that exist."""
    known = errata()
    found = [f"{key}: no test is named" for key in table()["expected"]["errata"] if key not in known]  # type: ignore[index]  # TOML
    for key, entry in known.items():
        found += [] if str(entry.get("form", "")).strip() else [f"{key}: its right form is not stated"]
        found += [] if entry.get("tests") else [f"{key}: no test is listed"]
        found += [f"{key}: {test} does not exist" for test in entry.get("tests", ()) if not exists(test)]
    return found


def topics() -> dict[str, Topic]:
    """Every topic by its id."""
    return {key: Topic(key, **entry) for key, entry in table().items() if key != "expected"}  # type: ignore[arg-type]  # TOML


@cache
def expected() -> list[str]:
    """The ids of the whole course, with ranges such as `FRM-01..07` expanded."""
    found = []
    for entry in table()["expected"]["ids"]:  # type: ignore[index]  # TOML
        group, first, last = re.fullmatch(r"([A-Z]+)-(\d+)(?:\.\.(\d+))?", entry).groups()  # type: ignore[union-attr]  # fails loudly
        found += [f"{group}-{number:02d}" for number in range(int(first), int(last or first) + 1)]
    return found


def imports(name: str) -> bool:
    """Whether `learnable.<name>` exists; attributes of classes count too, as in `linear_model.Ridge.summary`."""
    parts = name.split(".")
    for length in range(len(parts), -1, -1):
        try:
            value = importlib.import_module(".".join(["learnable", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            value = getattr(value, attribute, None)  # type: ignore[assignment]  # any object
        return value is not None
    return False


def exists(test: str) -> bool:
    """Whether a file holds the test function that is named behind `::`."""
    path, _, function = test.partition("::")
    return (ROOT / path).exists() and function.partition("[")[0] in functions(path)


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def reached(test: str) -> set[str]:
    """The identifiers in a test and in everything it uses from its own file: helpers, fixtures, tables, imports.

    Names imported from other libraries do not count.
    """
    path, _, function = test.partition("::")
    known, found, pending = definitions(path), set(), {function.partition("[")[0]}
    while pending:
        found |= pending
        pending = set().union(*(known.get(name, ()) for name in pending)) - found
    return found - known["other libraries"]


@cache
def definitions(path: str) -> dict[str, set[str]]:
    """The identifiers in each top-level definition of a file, and the names imported from other libraries."""
    found: dict[str, set[str]] = {"other libraries": set()}
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("learnable"):
            found |= {name.asname or name.name: identifiers(f"{node.module} {name.name}") for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found["other libraries"] |= {name.asname or name.name for name in node.names}
        else:
            names = [part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
            stored = [node.name] if hasattr(node, "name") else [name.id for name in names]
            found |= dict.fromkeys(stored, identifiers(ast.unparse(node)))
    return found


def identifiers(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def not_reproducible() -> dict[str, str]:
    """The worked numbers that cannot be computed again, and the reasons."""
    return dict(table()["expected"]["not_reproducible"])  # type: ignore[index]  # TOML


def unserved() -> list[str]:
    """The topics of the course that have no table and could have one."""
    return [key for key in expected() if key not in topics() and key not in not_reproducible()]


def problems() -> list[str]:
    """What is wrong in the tables that are there."""
    return [problem for topic in topics().values() for problem in topic.problems()]


if __name__ == "__main__":
    found = [f"{key}: not in the map" for key in unserved()] + problems() + unproven()
    found += [f"{key} cannot be computed again: {why}" for key, why in not_reproducible().items()]
    print("\n".join(found))
    found = found[: len(found) - len(not_reproducible())]
    print(f"{len(found)} problems, {len(expected())} topics, {len(errata())} errata")
    sys.exit(bool(found))
