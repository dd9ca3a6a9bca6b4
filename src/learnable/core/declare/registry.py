"""Registry of estimator classes: the only way from a name in a model file to a class."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar, cast

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

_classes: dict[str, type[Any]] = {}
_values: dict[str, type[Any]] = {}
_value_names: dict[type[Any], str] = {}
_functions: dict[str, Callable[..., Any]] = {}
COMPUTING = ("learnable.metrics.",)  # all functions of these families only compute
UFUNCS = ("log", "exp", "log1p", "expm1", "log2", "exp2", "sqrt", "square", "cbrt", "arcsinh", "sinh")  # of NumPy
HOMES = {  # values without a public name, and the name that brings them
    "Scorer": "make_scorer",
    "ColumnHistogram": "ExpectedColumn",
}
PACKAGES = ("gaussian_process.kernels",)  # whose values are named in files with their package


def register(cls: type[Any]) -> None:
    """Make `cls` known under its name; a class from elsewhere never takes the name of one of this package."""
    known = _classes.get(cls.__name__)
    if known is None or cls.__module__.startswith("learnable.") or not known.__module__.startswith("learnable."):
        _classes[cls.__name__] = cls


def value(cls: Class) -> Class:
    """Let files hold objects of this dataclass, whose fields are plain, as parameters of an estimator."""
    return named(cls.__name__)(cls)


def named(name: str) -> Callable[[Class], Class]:
    """The same under another name than that of the class, as classes of different packages may share one."""

    def register_value(cls: Class) -> Class:
        _values[name], _value_names[cls] = cls, name
        return cls

    return register_value


def value_name(cls: type[Any]) -> str | None:
    """The name under which files hold objects of a dataclass; None if they do not."""
    return _value_names.get(cls)


def find_value(name: str) -> type[Any] | None:
    """The dataclass of plain fields called `name`, imported from this package if need be; None if there is none."""
    import learnable

    package, _, short = name.rpartition(".") if isinstance(name, str) else ("", "", name)
    if package in PACKAGES:
        module = import_module(f"learnable.{package}")
        if short in module.__all__:
            getattr(module, short)
    home = HOMES.get(name, name)
    if home in learnable.public_names():
        getattr(learnable, home)
    return _values.get(name)


def function(call: Function) -> Function:
    """Let files name this public function, which only computes, as a parameter of an estimator."""
    _functions[call.__name__] = call
    return call


def find_function(name: str) -> Callable[..., Any] | None:
    """The function called `name` that files may hold, imported from this package if need be; None if there is none.

    Of NumPy these are the functions of `UFUNCS`, which transform targets and features.
    """
    import learnable

    if name in UFUNCS:
        import numpy

        return cast(Callable[..., Any], getattr(numpy, name))
    call = getattr(learnable, name) if name in learnable.public_names() else None
    if isinstance(call, FunctionType) and call.__module__.startswith(COMPUTING):
        return call
    return _functions.get(name)


def find(name: str) -> type[Any] | None:
    """The estimator class called `name`, imported from this package if need be; None if there is none."""
    import learnable

    if name in learnable.public_names():
        getattr(learnable, name)
    return _classes.get(name)


def all_estimators() -> dict[str, type[Any]]:
    """Every public estimator class by name."""
    import learnable

    for name in learnable.public_names():
        getattr(learnable, name)
    public = learnable.public_names()
    return {name: cls for name, cls in sorted(_classes.items()) if name in public}
