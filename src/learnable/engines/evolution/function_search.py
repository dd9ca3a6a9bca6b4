"""Searches for the optimum of a function."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeAlias

from ...core import Array, DataError, RandomState, Trace, declaring, param, seed_of
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
