"""Functions whose arguments are checked as the parameters of estimators are: by their annotations and by rules."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .data import Array
from .errors import DataError
from .params import Rule, check_value, kind_test, type_words

Given = ParamSpec("Given")
Result = TypeVar("Result")
Check = tuple[Callable[[Any], bool], Rule, str]
FREE, SEED = Rule(""), Rule("", at_least=0)
GATHERED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def limits(
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    accepts: Callable[[Any], bool] | None = None,
    says: str = "",
    infinite: bool = False,
) -> Rule:
    """The rule that an argument keeps, in the words of `param`."""
    return Rule("", above, at_least, below, at_most, accepts, says, infinite=infinite)


def checked(**rules: Rule) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Let a function refuse arguments of another type than their annotation, and those that break a rule.

    Rules of arguments that the function does not have are ignored, so that functions can share them.

    >>> @checked(count=limits(at_least=1))
    ... def repeated(word: str, count: int = 2) -> str:
    ...     return word * count
    >>> repeated("ab", 0)
    Traceback (most recent call last):
    learnable.core.errors.ParameterError: repeated: count must be at least 1; got 0
    """

    def decorated(function: Callable[Given, Result]) -> Callable[Given, Result]:
        signature = inspect.signature(function)
        checks: dict[str, Check] = {}

        @functools.wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            if not checks:
                checks.update(_checks(function, signature, rules))
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # the call itself says best what is wrong with it
                return function(*args, **kwargs)
            for name, value in given.items():
                if name in checks:
                    check_value(function.__name__, name, value, *checks[name])
            return function(*args, **kwargs)

        return call

    return decorated


def _checks(function: Callable[..., Any], signature: inspect.Signature, rules: dict[str, Rule]) -> dict[str, Check]:
    """What each argument must be; the annotations are read when the function is first called."""
    hints = typing.get_type_hints(function)
    named = [name for name, parameter in signature.parameters.items() if parameter.kind not in GATHERED]
    rules = {"random_state": SEED, **rules}
    return {name: (kind_test(hints[name]), rules.get(name, FREE), type_words(hints[name])) for name in named}


def numbers(owner: str, name: str, value: Any, *shape: int | None) -> Array:
    """The argument `name` of `owner` as finite numbers of a shape, in which None stands for any length but 0.

    >>> numbers("area", "sides", [2, 3], 2)
    array([2., 3.])
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: {name} must hold numbers; got {value!r:.60}") from None
    fits = array.ndim == len(shape) and all(
        length > 0 if wanted is None else length == wanted for length, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        words = ", ".join("any" if wanted is None else str(wanted) for wanted in shape)
        raise DataError(f"{owner}: {name} must have the shape ({words}); got {array.shape}")
    if not np.isfinite(array).all():
        raise DataError(f"{owner}: {name} must hold finite numbers; got NaN or infinity among them")
    return array
