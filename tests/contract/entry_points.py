"""Every public function, and every public method of every public class, with the arguments that can hold data."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import learnable

INSIDE = {"app", "core", "engines", "parts", "native"}  # without public names of their own
SETTERS = ("set_", "get_params", "clone")  # methods that take options
DATA = (
    "X Y y y_true y_pred y_prob y_score y_proba sample_weight groups x x_ K A S G W D V affinity table arrays new "
    "similar labels labels_true labels_pred rows background graph matrix image iterables"
)
DATA_NAMES = frozenset(DATA.split())
Entry = tuple[str, Callable[..., Any], str]


def families() -> Iterator[Any]:
    """Every package with public names."""
    for found in pkgutil.walk_packages(learnable.__path__, "learnable."):
        if found.ispkg and found.name.split(".")[1] not in INSIDE:
            yield importlib.import_module(found.name)


def public_objects() -> dict[str, Any]:
    """Public functions and classes by name, each once."""
    found = {name: getattr(package, name) for package in families() for name in getattr(package, "__all__", ())}
    return {name: value for name, value in found.items() if _is_ours(value)}


def entry_points() -> list[Entry]:
    """(name, function, argument) for every argument of a public function or method that can hold data."""
    return [entry for name, value in sorted(public_objects().items()) for entry in _entries(name, value)]


def _entries(name: str, value: Any) -> Iterator[Entry]:
    if inspect.isfunction(value):
        yield from ((name, value, argument) for argument in data_arguments(value))
    elif inspect.isclass(value):
        for method, function in methods(value):
            yield from ((f"{name}.{method}", function, argument) for argument in data_arguments(function))


def methods(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of a class as functions, also those that an object has only under a condition."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        function = getattr(cls, name) if isinstance(member, classmethod) else getattr(member, "method", member)
        known = inspect.isroutine(function) and _is_ours(function)
        if known and (not name.startswith("_") or name == "__call__") and not name.startswith(SETTERS):
            yield name, function


def data_arguments(function: Callable[..., Any]) -> list[str]:
    """The names of the arguments that hold rows, targets, weights or comparisons of rows."""
    return [name for name in inspect.signature(function).parameters if name in DATA_NAMES]


def _is_ours(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).startswith("learnable.")
