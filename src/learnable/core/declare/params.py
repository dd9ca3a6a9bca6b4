"""Parameters and learned attributes, each declared once on one line.

The declaration `alpha: float = param(1.0, "strength of the shrinkage", at_least=0)` gives the constructor
its argument, `get_params` its entry, `fit` its check with a message, and the docstring its line.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, dataclass_transform

import numpy as np

from ..errors import LearnableError, ParameterError, ParameterTypeError
from ..numeric import MAX_INT64
from ..validate.sparse_input import refuse_broken_among
from . import registry
from .annotations import holds_numbers, holds_whole_numbers, plain_types
from .annotations import kind_test as kind_test
from .annotations import stored_test as stored_test
from .annotations import type_words as type_words

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

REQUIRED = dataclasses.MISSING  # the default of a parameter that has none
SEVERAL = (list, tuple, np.ndarray)
TOO_MANY = 2**31  # a count from here on is to blame if something has no room
NO_ROOM = (MemoryError, OverflowError, ValueError, IndexError)  # what arrays of too many entries end with

COMMON_STATE = {
    "n_features_in_": "number of columns seen by fit",
    "feature_names_in_": "their names, if the table had names",
    "trace_": "the trace of the fit, a row per iteration",
    "certificate_": "certificate of optimality: its kind, value, tolerance and whether it holds",
}


def per_class(function: Function) -> Function:
    """Cache the result of a function of a class, which never changes."""
    return typing.cast(Function, cache(function))


@dataclass(frozen=True, slots=True)
class ParameterRule:
    """What a parameter means and which values it may take, beyond its type."""

    meaning: str
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    accepts: Callable[[Any], bool] | None = None
    says: str = ""
    tune: tuple[Any, ...] = ()
    simpler: Literal["", "larger", "smaller"] = ""
    infinite: bool = False
    missing: bool = False
    counted: bool = False
    plain: frozenset[type] | None = frozenset()

    def skips_kind_test(self, value: Any) -> bool:
        """Whether the exact type of `value` says that it is of the right kind; `plain` of None allows everything."""
        return self.plain is None or type(value) in self.plain

    def holds(self, value: Any) -> bool:
        """Whether `value`, already of the right type, obeys the rule; bounds apply to numbers, also inside arrays."""
        return self._allows_all(value) and (self.accepts is None or self.accepts(value))

    def _allows_all(self, value: Any) -> bool:
        """Whether the number, or every number of the array, is allowed; an array of anything else has no bounds."""
        if self.infinite and self.missing and not self._bounds():
            return True
        if isinstance(value, Real):
            return isinstance(value, bool) or (self._allows(float(value)) and not self._beyond_counting(value))
        if not isinstance(value, SEVERAL):
            return True
        numbers = _numbers(value)
        if numbers is None:
            return not self._bounds()
        return numbers.size == 0 or (self._allows(numbers.min()) and self._allows(numbers.max()))

    def _allows(self, number: float) -> bool:
        """Whether the number is one to compute with and lies within the bounds."""
        if number != number:
            return self.missing
        return (
            (self.infinite or abs(number) < np.inf)
            and (self.above is None or number > self.above)
            and (self.at_least is None or number >= self.at_least)
            and (self.below is None or number < self.below)
            and (self.at_most is None or number <= self.at_most)
        )

    def _beyond_counting(self, value: Any) -> bool:
        """Whether a count exceeds the largest machine integer."""
        return self.counted and isinstance(value, Integral) and abs(int(value)) > MAX_INT64

    def demand(self, value: Any) -> str:
        """The rule in words, for the error message about `value`."""
        numbers = _numbers(value)
        if numbers is None:
            return f"numbers {self.words()}" if isinstance(value, SEVERAL) and self._bounds() else self.words()
        unsound = ["finite"] if not self.infinite and not np.isfinite(numbers).all() else []
        most = [f"at most {MAX_INT64}"] if self._beyond_counting(value) else []
        return " and ".join([*unsound, *([self.words()] if self.words() else []), *most])

    def _bounds(self) -> list[tuple[str, float]]:
        """The bounds that there are, each after its word."""
        bounds = (("above", self.above), ("at least", self.at_least), ("below", self.below), ("at most", self.at_most))
        return [(word, bound) for word, bound in bounds if bound is not None]

    def words(self) -> str:
        """The rule as a phrase, such as `at least 0`."""
        phrases = [f"{word} {bound:g}" for word, bound in self._bounds()]
        return " and ".join([*phrases, *([self.says] if self.says else [])])


@dataclass(frozen=True, slots=True)
class Limits:
    """What a learned attribute in a file keeps beyond its type and shape, so that it can be followed unchecked.

    `counts` is the axis whose length a whole number is, or a list has; `each` names the axes of the arrays in a list;
    entries of an array are whole numbers from `least` to below the length of the axis `index`, or at least `least`. A
    `matrix` is an array of numbers or a sparse matrix. The entries of `probabilities` along the last axis sum to 1.
    """

    counts: str | None = None
    each: tuple[str, ...] | None = None
    index: str | None = None
    least: float | None = None
    matrix: bool = False
    probabilities: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """What a learned attribute means, and its axes by name (`features`, `targets`, ...; `?` if it may be absent)."""

    meaning: str
    axes: tuple[str, ...] | None
    optional: bool
    limits: Limits = Limits()


def param(
    default: Any,
    meaning: str,
    *,
    kw_only: bool = True,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    between: tuple[float, float] | None = None,
    accepts: Callable[[Any], bool] | None = None,
    says: str = "",
    tune: tuple[Any, ...] = (),
    simpler: Literal["", "larger", "smaller"] = "",
    infinite: bool = False,
) -> Any:
    """Declare a parameter: its default, its meaning in words, and the rule its values keep.

    `tune` lists usual values of one that is chosen by cross-validation, `simpler` the side on which models are simpler.
    Numbers are finite unless the default is not, or `infinite` says that infinity means something.
    """
    if between is not None:
        at_least, at_most = between
    rule = ParameterRule(meaning, above, at_least, below, at_most, accepts, says, tune, simpler, infinite)
    return dataclasses.field(default=default, kw_only=kw_only, metadata={"rule": rule})


def learned(
    meaning: str,
    *,
    shape: str | None = None,
    optional: bool = False,
    init: Literal[False] = False,
    counts: str | None = None,
    each: str | None = None,
    index: str | None = None,
    least: float | None = None,
    matrix: bool = False,
    probabilities: bool = False,
) -> Any:
    """Declare an attribute that `fit` sets: meaning, axes by name (None: not an array), whether it may be absent.

    A number or a list that `counts` an axis has its length; `each` names the axes of the arrays in a list, of which one
    that ends with `*` may differ from array to array; entries that are an `index` into an axis are whole numbers below
    its length, and not below `least`, which is 0 for them. A `matrix` of numbers is dense or sparse, or None where a
    kernel was given instead of it. The entries of `probabilities`, also of each array in a list, sum to 1 along the
    last axis.
    """
    axes = None if shape is None else tuple(shape.split())
    limits = Limits(counts, None if each is None else tuple(each.split()), index, least, matrix, probabilities)
    return dataclasses.field(init=init, metadata={"shape": Shape(meaning, axes, optional, limits)})


@dataclass_transform(field_specifiers=(learned,), eq_default=False)  # param(...) counts as a plain default there
def declaring(cls: Class) -> Class:
    """Let an abstract class declare what all of its estimators have; it is not registered itself."""
    dataclasses.dataclass(eq=False, repr=False)(cls)
    return cls


@dataclass_transform(field_specifiers=(learned,), eq_default=False)
def estimator(cls: Class) -> Class:
    """Turn the declarations of a class into its constructor and documentation, and register it under its name."""
    declaring(cls)
    cls.__doc__ = _documented(cls)
    registry.register(cls)
    return cls


@per_class
def parameters(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """The declared parameters of an estimator class, by name and in the order of its constructor."""
    found = [field for field in dataclasses.fields(cls) if "rule" in field.metadata]
    return {field.name: field for field in sorted(found, key=lambda field: bool(field.kw_only))}


@per_class
def learned_shapes(cls: type) -> dict[str, Shape]:
    """The declared learned attributes of an estimator class, by name."""
    return {field.name: field.metadata["shape"] for field in dataclasses.fields(cls) if "shape" in field.metadata}


def check(instance: object) -> None:
    """Raise a `ParameterError` that names the class, the parameter, the rule and the value, if one is broken."""
    for name, default, is_kind, rule, text in _checks(type(instance)):
        value = getattr(instance, name)
        if value is not default:
            refuse_broken_among(type(instance).__name__, [(name, value)])
            check_value(type(instance).__name__, name, value, is_kind, rule, text)


def check_value(
    owner: str, name: str, value: Any, is_kind: Callable[[Any], bool], rule: ParameterRule, text: str
) -> None:
    """Refuse a value that is not of its kind, which `text` names, or that breaks its rule."""
    if not rule.skips_kind_test(value) and not is_kind(value):
        must = f"{text}, {rule.words()}" if rule.words() else text
        shown = (
            _cut(value) if isinstance(value, str) and '"' in text else _described(value)
        )  # a text, but none of those
        raise ParameterTypeError(f"{owner}: {name} must be {must}; got {shown}")
    try:
        must = "" if rule.holds(value) else rule.demand(value) or text
    except OverflowError:
        must = "within the range of floating-point numbers"
    if must:
        wrong_type = isinstance(value, SEVERAL) and bool(rule._bounds()) and _numbers(value) is None
        kind = ParameterTypeError if wrong_type else ParameterError
        raise kind(f"{owner}: {name} must be {must}; got {_cut(value)}")


def blame_counts(owner: str, error: BaseException | None, given: Iterable[tuple[str, ParameterRule, Any]]) -> None:
    """Raise a `ParameterError` in place of an `error` of NumPy's that the largest count among those given explains."""
    if not isinstance(error, NO_ROOM) or isinstance(error, LearnableError):
        return
    counts = [(int(value), name) for name, rule, value in given if rule.counted and isinstance(value, Integral)]
    most, name = max(counts, default=(0, ""))
    if most >= TOO_MANY:
        raise ParameterError(
            f"{owner}: {name}={most} needs more memory than is available; use a smaller value"
        ) from error


def counts_of(instance: object) -> Iterable[tuple[str, ParameterRule, Any]]:
    """The parameters of an estimator with their rules, as `blame_counts` takes them."""
    return ((name, rule, getattr(instance, name)) for name, _, _, rule, _ in _checks(type(instance)))


def _described(value: Any) -> str:
    """A value of the wrong type, and its type."""
    if isinstance(value, type):
        return f"{_cut(value)}, a class; {value.__name__}() makes one of it"
    return f"{_cut(value)} of type {type(value).__name__}"


def _numbers(value: Any) -> np.ndarray[Any, Any] | None:
    """The numbers of a parameter that is a number or an array of them; None of one that is or holds anything else."""
    if not isinstance(value, (Real, *SEVERAL)):
        return None
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    if array.dtype == object and all(isinstance(item, Real) for item in array.flat):
        array = np.array([float(item) for item in array.flat])
    return array if array.dtype.kind in "iufb" else None


def _cut(value: Any) -> str:
    """A value as text, short enough for a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


@per_class
def hints(cls: type) -> dict[str, Any]:
    """The types of the declared names, read once."""
    return typing.get_type_hints(cls)


@per_class
def _checks(cls: type) -> list[tuple[str, Any, Callable[[Any], bool], ParameterRule, str]]:
    return [
        (name, field.default, *check_of(name, hints(cls)[name], field.metadata["rule"], field.default))
        for name, field in parameters(cls).items()
    ]


def check_of(
    name: str, hint: Any, rule: ParameterRule, default: Any
) -> tuple[Callable[[Any], bool], ParameterRule, str]:
    """What `check_value` needs to know of a parameter or an argument."""
    rule = dataclasses.replace(suited(rule, name, hint, default), plain=plain_types(hint))
    is_kind = _is_verbosity if name == "verbose" else kind_test(hint)
    return is_kind, rule, type_words(hint)


def _is_verbosity(value: Any) -> bool:
    """Whether it says how much to print: a number, or yes or no."""
    return isinstance(value, (bool, np.bool_, Integral))


def suited(rule: ParameterRule, name: str, hint: Any, default: Any) -> ParameterRule:
    """The rule of a parameter: seeds are not negative, jobs not none, and what may be anything need not be finite."""
    if name == "random_state":
        return dataclasses.replace(rule, at_least=0)
    rule = dataclasses.replace(rule, counted=holds_whole_numbers(hint))
    if name == "n_jobs" and rule.accepts is None:
        return dataclasses.replace(rule, accepts=lambda count: count != 0, says="None or a number other than 0")
    number = default if isinstance(default, float) else 0.0
    anything = not holds_numbers(hint)
    return dataclasses.replace(
        rule,
        infinite=rule.infinite or anything or not abs(number) < np.inf,
        missing=anything or number != number,
    )


def _array_words(axes: tuple[str, ...]) -> str:
    """An array with these axes as scikit-learn writes it, in both shapes where an axis may be absent.

    >>> _array_words(("targets?", "features"))
    'array of shape (features,) or (targets, features)'
    >>> _array_words(("targets?",))
    'number, or array of shape (targets,)'
    """
    required, every = [axis for axis in axes if not axis.endswith("?")], [axis.rstrip("?") for axis in axes]
    number = "" if required else "number, or "
    shapes = [required, every] if 0 < len(required) < len(every) else [every]
    return f"{number}array of shape " + " or ".join(f"({', '.join(s)}{',' * (len(s) == 1)})" for s in shapes)


def _documented(cls: type) -> str:
    """The class docstring with its Parameters and Attributes written from the declarations."""
    lines = [(cls.__doc__ or "").rstrip(), "", "    Parameters", "    ----------"]
    for name, field in parameters(cls).items():
        rule: ParameterRule = field.metadata["rule"]
        limits = f" ({rule.words()})" if rule.words() else ""
        shown = getattr(field.default, "__name__", repr(field.default))  # a function by its name, not its address
        default = "" if field.default is REQUIRED else f", default={shown}"
        lines += [
            f"    {name} : {type_words(hints(cls)[name])}{default}",
            f"        {rule.meaning}{limits}.",
        ]
    lines += ["", "    Attributes", "    ----------"]
    for name, shape in learned_shapes(cls).items():
        kind = f" : {_array_words(shape.axes)}" if shape.axes else ""
        lines += [f"    {name}{kind}", f"        {shape.meaning}."]
    for name, meaning in COMMON_STATE.items():
        lines += [f"    {name}", f"        {meaning}."]
    return "\n".join(lines) + "\n"
