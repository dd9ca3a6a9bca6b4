"""Fingerprints of functions and classes that are the same in every run of a program.

A name alone is not enough: after an edit of a scorer or a transformer, a journal or a checkpoint of an earlier run
would return its old results. So the code counts, and the values that it reads.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

LIBRARIES = {"learnable", "sklearn", "numpy", "scipy", "pandas", "polars", *sys.stdlib_module_names} - {"__main__"}
PROCESS = {"_io", "_thread", "concurrent", "io", "logging", "multiprocessing", "queue", "socket", "threading"}
_address = re.compile(r" at 0x[0-9a-fA-F]+")
_plain = (str, bytes, int, float, complex, tuple, frozenset, type(None))
_changing = (list, dict, set)


def parts_of_code(code: CodeType) -> list[Any]:
    """Instructions, constants (the code of functions inside among them) and names."""
    return [code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount]


def parts_of_function(function: Any) -> list[Any]:
    """What determines the result of a function besides its arguments; for library functions without their globals.

    A bound method has its object; a wrapper of a library, or one written in C, what it wraps: what it may remember of
    earlier calls decides nothing.
    """
    if isinstance(function, FunctionType):
        if hasattr(function, "__wrapped__") and _library(function.__globals__.get("__name__")):
            return [function.__wrapped__]
        code = [function.__code__, function.__defaults__, function.__kwdefaults__]
        return [*code, *_enclosed(function), *_globals_read(function)]
    if hasattr(function, "__wrapped__"):
        return [function.__wrapped__]
    owner = getattr(function, "__self__", None)
    own = getattr(function, "__func__", None)
    return [] if owner is None or isinstance(owner, ModuleType) else [owner, own]


def parts_of_class(cls: type) -> list[Any]:
    """The methods and the plain attributes of a class and its bases, as far as no library defines them."""
    own = [base for base in cls.__mro__ if not _library(base.__module__)]
    return [[base.__module__, base.__qualname__, *_members(base)] for base in own]


def parts_of_slots(value: Any) -> list[Any]:
    """Names and values of the slots of an object."""
    members = {name: own for base in type(value).__mro__ for name, own in vars(base).items()}
    slots = sorted(name for name, own in members.items() if isinstance(own, MemberDescriptorType))
    return [(name, getattr(value, name)) for name in slots if hasattr(value, name)]


def address_free(value: Any) -> str:
    """How a value is written, without its place in memory."""
    return _address.sub("", repr(value))


def _enclosed(function: FunctionType) -> list[Any]:
    """The values that a function took from the functions around it; those still to be set are None."""
    names = function.__code__.co_freevars
    cells = zip(names, function.__closure__ or (), strict=True)
    return [(name, _content(cell)) for name, cell in cells]


def _globals_read(function: FunctionType) -> list[Any]:
    """Names and values of the globals that a function of a user reads and does not set, as counters are set."""
    if _library(function.__module__):
        return []
    read, written = _global_names(function.__code__)
    found = [(name, function.__globals__[name]) for name in sorted(read - written) if name in function.__globals__]
    return [(name, value) for name, value in found if not _of_the_process(value)]


def _library(module: str | None) -> bool:
    return (module or "").partition(".")[0] in LIBRARIES


def _of_the_process(value: Any) -> bool:
    """Whether a value is another one in every run, as loggers, locks and open files are, or a library."""
    return isinstance(value, ModuleType) or type(value).__module__.partition(".")[0] in PROCESS


@cache
def _global_names(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The globals that code, and the code inside it, reads and sets."""
    from dis import get_instructions

    inside = [_global_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    steps = [(step.opname, step.argval) for step in get_instructions(code)]
    read = {name for step, name in steps if step in ("LOAD_GLOBAL", "LOAD_NAME")}
    written = {name for step, name in steps if step in ("STORE_GLOBAL", "DELETE_GLOBAL")}
    return frozenset(read).union(*(r for r, _ in inside)), frozenset(written).union(*(w for _, w in inside))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _members(cls: type) -> list[Any]:
    """Methods by their code, other attributes by their values, but none that Python or a method of the class sets."""
    members = sorted(vars(cls).items())
    functions = [_unwrapped(own) for _, own in members if isinstance(own, FunctionType)]
    codes = [function.__code__ for function in functions if isinstance(function, FunctionType)]
    counters = {name for code in codes for name in _names_set_in(code)}
    described = [(name, _parts_of_member(name, own)) for name, own in members if name not in counters]
    return [(name, parts) for name, parts in described if parts]


def _unwrapped(function: Any) -> Any:
    """The function inside its decorators."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


@cache
def _names_set_in(code: CodeType) -> frozenset[str]:
    from dis import get_instructions

    return frozenset(step.argval for step in get_instructions(code) if step.opname == "STORE_ATTR")


def _parts_of_member(name: str, member: Any) -> list[Any]:
    """What a member of a class is made of, without lists, dicts and sets around a method: programs collect in them."""
    function = getattr(member, "__func__", member)
    if isinstance(function, FunctionType):
        around = [*_enclosed(function), *_globals_read(function)]
        kept = [part for part in around if not isinstance(part[1], _changing)]
        return [function.__code__, function.__defaults__, function.__kwdefaults__, *kept]
    if isinstance(member, property):
        return [member.fget, member.fset]
    if hasattr(member, "__wrapped__") or hasattr(member, "func"):
        return [member]
    return [member] if isinstance(member, _plain) and not name.startswith("__") else []
