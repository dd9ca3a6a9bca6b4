"""Validation of function arguments by annotations and rules, as parameters of estimators are validated."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Set
from typing import Annotated, Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ..errors import DataError, ErrorOwner
from ..validate.features import Array
from ..validate.row_source import RowSource
from ..validate.sparse_input import refuse_broken_among
from .annotations import Kind, kind_test
from .params import NO_ROOM, ParameterRule, blame_counts, check_of, check_value

Given = ParamSpec("Given")
Result = TypeVar("Result")
Check = tuple[Callable[[Any], bool], ParameterRule, str]
FREE = ParameterRule("")
NO_ROWS = (str, bytes, Mapping, Set, type)


def has_rows(value: Any) -> bool:
    """Whether it is a list, an array or a table of any library, whose rows are equally long.

    >>> [has_rows(value) for value in ([1, 2], [[1, 2], [3]], "text", None)]
    [True, False, False, False]
    """
    if isinstance(value, NO_ROWS) or not any(hasattr(value, name) for name in ("__len__", "shape", "__array__")):
        return False
    if not isinstance(value, (list, tuple)):
        return getattr(value, "ndim", 1) > 0
    return not any(_is_row(row) for row in (*value[:1], *value[-1:])) or _equally_long(value)


def has_rows_or_blocks(value: Any) -> bool:
    """Whether it is such a table, or a source of rows that are read in blocks."""
    return isinstance(value, RowSource) or has_rows(value)


def _is_row(value: Any) -> bool:
    """Whether it is a list of numbers; one of words is a text, and texts differ in length."""
    return isinstance(value, (list, tuple)) and not any(isinstance(entry, str) for entry in value[:1])


def _equally_long(rows: Any) -> bool:
    return len({len(row) if isinstance(row, (list, tuple)) else -1 for row in rows}) == 1


def is_column(value: Any) -> bool:
    """Whether it holds single entries one after the other.

    >>> [is_column(value) for value in ([1, 2], ["a"], [[1], [2]], "text")]
    [True, True, False, False]
    """
    if isinstance(value, (list, tuple)):
        return not any(isinstance(entry, (list, tuple, dict)) or np.ndim(entry) for entry in value[:1])
    return has_rows(value) and len(getattr(value, "shape", (0,))) == 1


def not_empty(values: Any) -> bool:
    """Whether there are entries, as far as is known without computing them."""
    return not hasattr(values, "__len__") or len(values) > 0


def only_numbers(value: Any) -> bool:
    """Whether an array holds nothing but numbers; None, flags and texts stand for no array.

    >>> [only_numbers(value) for value in ([1, 2.5], None, "auto", [1, "a"], [[1, 2], [3]])]
    [True, True, True, False, False]
    """
    try:
        return value is None or isinstance(value, (bool, str)) or np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # lists of different lengths
        return False


def is_label(value: Any) -> bool:
    """Whether it can name a class: a text, a number or another single value."""
    return value is not None and not isinstance(value, (list, tuple, Mapping, Set)) and np.ndim(value) == 0


def is_dtype(value: Any) -> bool:
    """Whether NumPy has arrays of such numbers."""
    try:
        return value is not None and np.dtype(value).kind in "biufc"
    except (TypeError, ValueError):
        return False


def is_model(value: Any) -> bool:
    """Whether it can be fitted: an instance of an estimator, not its class."""
    return hasattr(value, "fit") and not isinstance(value, type)


def is_fitted_model(value: Any) -> bool:
    """Whether it predicts: an instance of an estimator, or a model of another library that was read from a file."""
    return hasattr(value, "predict") and not isinstance(value, type)


# The annotations of arguments that come in many types: data, and what learns from them.
Rows: TypeAlias = Annotated[Any, Kind(has_rows, "a list, an array or a table whose rows are equally long")]
RowsOrScan: TypeAlias = Annotated[Any, Kind(has_rows_or_blocks, "a list, an array, a table or a scan of rows")]
Column: TypeAlias = Annotated[Any, Kind(is_column, "a list or an array with one entry after the other")]
Label: TypeAlias = Annotated[Any, Kind(is_label, "one label")]
DataType: TypeAlias = Annotated[Any, Kind(is_dtype, "a type of numbers that NumPy knows")]
OrNaN: TypeAlias = Annotated[float, Kind(kind_test(float), "a number or NaN")]
FittedModel: TypeAlias = Annotated[Any, Kind(is_fitted_model, "a fitted estimator, an instance with a predict")]
Model: TypeAlias = Annotated[Any, Kind(is_model, "an estimator, an instance with a fit such as Ridge()")]


def limits(
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    accepts: Callable[[Any], bool] | None = None,
    says: str = "",
    infinite: bool = False,
) -> ParameterRule:
    """The rule that an argument keeps, in the words of `param`."""
    return ParameterRule("", above, at_least, below, at_most, accepts, says, infinite=infinite)


def checked(**rules: ParameterRule) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Let a function refuse arguments of another type than their annotation, and those that break a rule.

    Errors of what it calls name it too. Rules of arguments that it does not have are ignored, so that functions can
    share them.

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
        named = ErrorOwner(function.__name__)
        several = next((name for name, one in signature.parameters.items() if one.kind is one.VAR_POSITIONAL), None)

        @functools.wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            if not checks:
                checks.update(_checks(function, signature, rules))
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # the call itself says best what is wrong with it
                return function(*args, **kwargs)
            refuse_broken_among(function.__name__, given.items())
            for name, value in given.items():
                if name in checks:
                    for one in value if name == several else [value]:
                        check_value(function.__name__, name, one, *checks[name])
            with named:
                try:
                    return function(*args, **kwargs)
                except NO_ROOM as error:
                    counts = ((name, checks[name][1], value) for name, value in given.items() if name in checks)
                    blame_counts(function.__name__, error, counts)
                    raise

        return call

    return decorated


def _checks(
    function: Callable[..., Any], signature: inspect.Signature, rules: dict[str, ParameterRule]
) -> dict[str, Check]:
    """What each argument must be; the annotations are read when the function is first called."""
    hints = typing.get_type_hints(function, include_extras=True)
    return {
        name: check_of(name, hints[name], rules.get(name, FREE), parameter.default)
        for name, parameter in signature.parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }


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
        length > 0 if requested is None else length == requested
        for length, requested in zip(array.shape, shape, strict=True)
    )
    if not fits:
        words = ", ".join("any" if requested is None else str(requested) for requested in shape)
        raise DataError(f"{owner}: {name} must have the shape ({words}); got {array.shape}")
    if not np.isfinite(array).all():
        raise DataError(f"{owner}: {name} must hold finite numbers; got NaN or infinity among them")
    return array
