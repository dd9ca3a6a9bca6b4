"""Type annotations: tests of values against them, and their description in error messages."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Annotated, Any, Literal

import numpy as np


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value of any type must be like, for use in an annotation: `Annotated[Any, Kind(test, "a word")]`."""

    test: Callable[[Any], bool]
    words: str


def holds_numbers(hint: Any) -> bool:
    """Whether the annotation `hint` is of a number, or of a list or an array of them."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType, Sequence, Iterable):
        return any(holds_numbers(part) for part in typing.get_args(hint))
    return (origin or hint) in (float, int, np.ndarray)


def holds_whole_numbers(hint: Any) -> bool:
    """Whether the annotation `hint` is of a whole number, perhaps beside other things."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return any(map(holds_whole_numbers, typing.get_args(hint))) if union else hint is int


def stored_test(hint: Any) -> Callable[[Any], bool]:
    """As `kind_test`, of what was learned: an array is one, not a list to be made into one, and nothing is a class.

    >>> kind_test(np.ndarray)([1]), stored_test(np.ndarray)([1]), stored_test(Any)(int)
    (True, False, False)
    """
    test, strict = kind_test(hint), _arrays_in(hint)

    def holds(value: Any) -> bool:
        if not test(value) or (hint is Any and isinstance(value, type)):
            return False
        return not strict or value is None or isinstance(value, (np.ndarray, np.generic))

    return holds


def _arrays_in(hint: Any) -> bool:
    """Whether an annotation is an array, or an array or None."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    named = [part for part in parts if part is not type(None)]
    return bool(named) and all((typing.get_origin(part) or part) is np.ndarray for part in named)


def kind_test(hint: Any) -> Callable[[Any], bool]:
    """A predicate: is a value of the type that the annotation `hint` names?"""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        tests = [kind_test(part) for part in typing.get_args(hint)]
        return lambda value: any(test(value) for test in tests)
    if origin is Literal:
        options = typing.get_args(hint)
        return lambda value: any(_is_option(value, option) for option in options)
    if origin is Annotated:
        return _kind_of(hint).test
    if typing.is_typeddict(hint):
        return _entries_test(hint)
    if origin is list and typing.get_args(hint):
        of_item = kind_test(typing.get_args(hint)[0])
        return lambda value: isinstance(value, list) and all(of_item(item) for item in value)
    if origin in (Sequence, Iterable):
        of_entry = kind_test(typing.get_args(hint)[0])
        walked = _is_listed if origin is Sequence else _is_walked
        return lambda value: walked(value) and (not _is_listed(value) or all(of_entry(entry) for entry in value))
    if origin is Mapping:
        of_value = kind_test(typing.get_args(hint)[1])
        return lambda value: isinstance(value, Mapping) and all(map(of_value, value.values()))
    if origin is tuple and Ellipsis not in typing.get_args(hint):
        of_each = [kind_test(part) for part in typing.get_args(hint)]
        return lambda value: isinstance(value, tuple) and _fits(value, of_each)
    simple: dict[Any, Callable[[Any], bool]] = {
        Any: lambda value: True,
        float: lambda value: isinstance(value, Real) and not isinstance(value, bool),
        int: lambda value: isinstance(value, Integral) and not isinstance(value, bool),
        bool: lambda value: isinstance(value, (bool, np.bool_)),
        np.ndarray: lambda value: isinstance(value, (list, tuple)) or hasattr(type(value), "__array__"),
    }
    kind = origin or hint
    if kind in simple:
        return simple[kind]
    return callable if kind in (Callable, typing.Callable) else lambda value: isinstance(value, kind)


def plain_types(hint: Any) -> frozenset[type] | None:
    """The exact types whose values are all of the type that `hint` names; None if any value is.

    >>> sorted(kind.__name__ for kind in plain_types(float | None))
    ['NoneType', 'float', 'int']
    """
    if hint is Any:
        return None
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = [plain_types(part) for part in typing.get_args(hint)]
        return frozenset[type]().union(*(part for part in parts if part is not None)) if None not in parts else None
    return frozenset({float: (float, int)}.get(hint, (hint,) if hint in (int, bool, str, types.NoneType) else ()))


def _kind_of(hint: Any) -> Kind:
    """The kind that an annotation carries."""
    kind: Kind = hint.__metadata__[0]
    return kind


def _is_listed(value: Any) -> bool:
    """Whether it holds entries one after the other; a text is one thing."""
    return isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) == 1


def _is_walked(value: Any) -> bool:
    """Whether it is an iterable of entries, or an iterator."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _fits(values: tuple[Any, ...], tests: list[Callable[[Any], bool]]) -> bool:
    return len(values) == len(tests) and all(test(value) for value, test in zip(values, tests, strict=True))


@cache
def _entries_test(hint: Any) -> Callable[[Any], bool]:
    """A predicate: has a dict the entries that a TypedDict names, each of its type?"""
    tests = {name: kind_test(kind) for name, kind in typing.get_type_hints(hint).items()}
    marked = typing.get_type_hints(hint, include_extras=True)
    required = {name for name, kind in marked.items() if typing.get_origin(kind) is not typing.NotRequired}

    def holds(value: Any) -> bool:
        if not isinstance(value, dict) or not required <= value.keys() <= tests.keys():
            return False
        return all(tests[name](entry) for name, entry in value.items())

    return holds


def _is_option(value: Any, option: Any) -> bool:
    """Whether `value` is the literal `option`: equal and of its type, a flag being no number."""
    return isinstance(value, type(option)) and isinstance(value, bool) == isinstance(option, bool) and value == option


def type_words(hint: Any) -> str:
    """A type in words: `Literal["a", "b"] | None` becomes `"a", "b" or None`."""
    *first, last = dict.fromkeys(_kinds(hint))
    return f"{', '.join(first)} or {last}" if first else last


def _kinds(hint: Any) -> list[str]:
    """The types, options and values that the annotation `hint` allows, one by one."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return [kind for part in typing.get_args(hint) for kind in _kinds(part)]
    if origin is Literal:
        return [f'"{option}"' if isinstance(option, str) else repr(option) for option in typing.get_args(hint)]
    if origin is Annotated:
        return [_kind_of(hint).words]
    if origin is Mapping and typing.get_origin(typing.get_args(hint)[1]) is Annotated:
        return [f"dict whose values are each {type_words(typing.get_args(hint)[1])}"]
    if origin in (Sequence, Iterable) and typing.get_args(hint)[0] in (int, float, str):
        return [f"list of {type_words(typing.get_args(hint)[0])}"]
    words = {
        type(None): "None",
        np.ndarray: "array",
        Sequence: "list",
        Iterable: "list",
        Mapping: "dict",
        Callable: "callable",
        Any: "anything",
    }
    kind = origin or hint
    return [words.get(kind) or str(getattr(kind, "__name__", kind))]
