"""Which pairs of class and promise the ordinary run leaves to a representative: the rule, and the lists it reads.

Every class keeps every promise in the ordinary run, apart from the promises that take long (`thorough`, and
scikit-learn's `thorough_checks`): a class that stands in a list of `representatives.toml` leaves those to its
representative, which has the same engine. `make test-all` runs all pairs. A class that is not listed is tested whole.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from tests.contract.cases import CLASSES
from tests.contract.promise import PROMISES, exemptions
from tests.shape.test_imports import PACKAGE, imports, parsed

LISTS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "representatives.toml").read_text(encoding="utf-8"))
THOROUGH: frozenset[str] = frozenset(LISTS["thorough"])
THOROUGH_CHECKS: frozenset[str] = frozenset(LISTS["thorough_checks"])
ENGINES: dict[str, dict[str, list[str]]] = LISTS["engines"]
REPRESENTATIVE = {
    name: representative
    for lists in ENGINES.values()
    for representative, represented in lists.items()
    for name in represented
}
EXEMPT = exemptions()


def binds(name: str, promise: str) -> bool:
    """Whether the class called `name` makes the promise, and is not exempt from it."""
    return PROMISES[promise].binds(CLASSES[name]) and name not in EXEMPT.get(promise, {})


def is_left_to_representative(name: str, promise: str) -> bool:
    """Whether the ordinary run tests the promise on the representative of the class alone, which makes it too."""
    return promise in THOROUGH and name in REPRESENTATIVE and binds(REPRESENTATIVE[name], promise)


def engines_of(cls: type) -> set[str]:
    """Modules of `engines` that the modules of the class, its base classes and their helpers in the family import."""
    todo = [base.__module__ for base in cls.__mro__ if base.__module__.startswith("learnable.")]
    seen: set[str] = set()
    found: set[str] = set()
    while todo:
        module = todo.pop()
        if module in seen or module.split(".")[1] in ("core", "parts"):
            continue
        seen.add(module)
        for imported in imported_modules(module):
            family = imported.split(".")[1]
            if family == "engines":
                found.add(imported.removeprefix("learnable.engines."))
            if family in ("engines", module.split(".")[1]):
                todo.append(imported)
    return found


@cache
def imported_modules(module: str) -> list[str]:
    """Modules of this package that a module imports."""
    path = file_of(module)
    assert path is not None, module
    return sorted({name for name, _ in imports(parsed(path), path) if name.count(".") > 1 and is_module(name)})


def is_module(name: str) -> bool:
    return name.startswith("learnable.") and file_of(name) is not None


@cache
def file_of(module: str) -> Path | None:
    """The file of a module, None for packages and what is not a module."""
    path = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return path if path.is_file() else None


OF_FUNCTIONS = {  # engines of functions and decision processes, which tests/evolution and tests/reinforcement test
    "procedure", "evolution.annealing", "evolution.covariance", "evolution.differential", "evolution.function_search",
    "evolution.non_domination",
}  # fmt: skip


def all_engines() -> set[str]:
    """Every module of `engines` that estimators use."""
    root = PACKAGE / "engines"
    paths = (path.relative_to(root).with_suffix("") for path in root.rglob("*.py"))
    return {".".join(path.parts) for path in paths if path.name != "__init__"} - OF_FUNCTIONS
