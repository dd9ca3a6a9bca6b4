"""Which estimators exist: the only road from a name in a file to a class."""

from __future__ import annotations

from typing import Any

_classes: dict[str, type[Any]] = {}


def register(cls: type[Any]) -> None:
    """Make `cls` known under its name; a class from elsewhere never takes the name of one of this package."""
    known = _classes.get(cls.__name__)
    if known is None or cls.__module__.startswith("learnable.") or not known.__module__.startswith("learnable."):
        _classes[cls.__name__] = cls


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
