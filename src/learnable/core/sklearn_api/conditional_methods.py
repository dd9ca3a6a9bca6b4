"""Conditional methods (`available_if`), such as those that a wrapped estimator has."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any


def available_if(condition: Callable[[Any], bool]) -> Callable[[Callable[..., Any]], Any]:
    """Make a method an attribute of those objects alone for which `condition(object)` is true.

    The condition may raise an AttributeError of its own, which then says why the method is missing.
    """
    return lambda method: Conditional(method, condition)


def delegated(method: str, components: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """A condition: every one of the `components` of an object has a method; what one says that lacks it is the cause.

    `components` finds them: a list of several, or one.
    """

    def there(instance: Any) -> bool:
        found = components(instance)
        for component in found if isinstance(found, list) else [found]:
            getattr(component, method)
        return True

    return there


class Conditional:
    """A descriptor that exposes a method only if a condition on the object holds."""

    def __init__(self, method: Callable[..., Any], condition: Callable[[Any], bool]) -> None:
        self.method, self.condition = method, condition
        self.__doc__, self.__name__ = method.__doc__, method.__name__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self.method
        name = self.method.__name__
        missing = f"This {owner.__name__!r} has no attribute {name!r}"
        try:
            there = self.condition(instance)
        except AttributeError as error:
            raise AttributeError(missing) from error
        if not there:
            raise AttributeError(missing)
        return MethodType(self.method, instance)
