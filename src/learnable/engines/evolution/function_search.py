"""Searches for the optimum of a function."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from ...core import Array, DataError, ParameterTypeError, RandomState, Trace, declaring, param, seed_of
from ..iterate import Method, State
from ..procedure import Procedure

Optimum: TypeAlias = Any
"""A `scipy.optimize.OptimizeResult`, which is imported where one is made."""


@declaring
class FunctionSearch(Procedure):
    """Base class of optimisers."""

    random_state: RandomState = param(None, "seed of the search")

    @abstractmethod
    def _method(self, seed: int) -> Method: ...

    def _search_for(self, limit: int, *data: Any) -> tuple[State, Trace]:
        """Run the search."""
        state, self.trace_ = self._run(lambda: self._method(seed_of(self.random_state)), limit, *data)
        return state, self.trace_


def checked_values(owner: str, values: Array, count: int, what: str = "a number for each individual") -> Array:
    """What a function of the caller returned, without NaN."""
    if values.shape != (count,):
        raise DataError(f"{owner}: the function must return {what}; got the shape {values.shape} for {count}")
    if (values != values).any():
        raise DataError(
            f"{owner}: the function returned NaN for individual {int((values != values).argmax())}; return the worst "
            "possible value where it is not defined, such as infinity for a minimum"
        )
    return values


def as_number(owner: str, value: Any) -> float:
    """One value of a function of the caller."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ParameterTypeError(f"{owner}: func must return a number for a point; got {value!r:.60}") from None


def as_numbers(owner: str, values: Any) -> Array:
    """Many values of a function of the caller at once."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterTypeError(f"{owner}: func must return numbers; got {values!r:.60}") from None


def values_one_by_one(owner: str, func: Callable[..., Any], points: Iterable[Any], *args: Any) -> Array:
    """The values of points, of which each is a copy that the function may change."""
    return np.array([as_number(owner, func(point, *args)) for point in points])


def finite_success(found: Optimum) -> Optimum:
    """The result; it is not a success if no value was finite."""
    if not np.isfinite(found.fun):
        found.success, found.message = False, f"no finite value was found; {found.message}"
    return found
